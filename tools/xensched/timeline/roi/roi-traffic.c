/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the notifications and pages of a region of interest.
 *
 * A notification is a row of evtchn-send, or, if evtchn-send is not logged, of
 * evtchn-recv.  Each domain has a group per partner and direction, and two groups for all
 * partners together, whose partner is NONE.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "timeline/rows/row-order.h"
#include "roi-traffic.h"

#define ALL XEN_SCHEDLOG_ACCT_NONE

struct roi_notified {
    uint64_t ns;
    uint64_t key;  /* acct << 32 | partner << 16 | sent */
};

struct roi_group {
    uint64_t key;
    size_t first, nr;
};

static uint64_t key_of(uint16_t acct, uint16_t partner, bool sent)
{
    return (uint64_t)acct << 32 | (uint32_t)partner << 16 | sent;
}

static bool is_sent(const struct roi_group *group)
{
    return group->key & 1;
}

static uint16_t partner_of(const struct roi_group *group)
{
    return group->key >> 16;
}

static void add_item(struct roi_traffic *traffic, uint64_t ns, uint64_t key)
{
    *list_add(traffic->item, traffic->nr, traffic->room) =
        (struct roi_notified){ ns, key };
}

static void collect_rows(struct roi_traffic *traffic, const struct rows *rows,
                         const bool wanted[NAMES_ACCTS])
{
    unsigned int event = rows->events & 1U << XEN_SCHEDLOG_EV_EVTCHN_SEND
                         ? XEN_SCHEDLOG_EV_EVTCHN_SEND
                         : XEN_SCHEDLOG_EV_EVTCHN_RECV;
    bool sends = event == XEN_SCHEDLOG_EV_EVTCHN_SEND;
    size_t i;

    for (i = 0; i < rows->nr; i++) {
        const struct timeline_row *row = &rows->row[i];
        uint16_t from = sends ? row->current : row->correspondent;
        uint16_t to = sends ? row->correspondent : row->current;

        if (row->event != event)
            continue;
        if (wanted[from]) {
            add_item(traffic, row->ns, key_of(from, to, true));
            add_item(traffic, row->ns, key_of(from, ALL, true));
        }
        if (wanted[to]) {
            add_item(traffic, row->ns, key_of(to, from, false));
            add_item(traffic, row->ns, key_of(to, ALL, false));
        }
    }
}

static int compare_items(const void *a, const void *b)
{
    const struct roi_notified *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;

    return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* Sorts by domain; groups of all partners are the largest. */
static int compare_groups(const void *a, const void *b)
{
    const struct roi_group *x = a, *y = b;

    if (x->key >> 32 != y->key >> 32)
        return x->key < y->key ? -1 : 1;
    if ((partner_of(x) == ALL) != (partner_of(y) == ALL))
        return partner_of(x) == ALL ? -1 : 1;
    if (x->nr != y->nr)
        return x->nr < y->nr ? 1 : -1;

    return x->key < y->key ? -1 : x->key > y->key;
}

static void find_groups(struct roi_traffic *traffic)
{
    size_t i, acct = 0;

    for (i = 0; i < traffic->nr; i++) {
        if (!i || traffic->item[i].key != traffic->item[i - 1].key)
            *list_add(traffic->group, traffic->nr_groups,
                      traffic->groups_room) = (struct roi_group){
                .key = traffic->item[i].key, .first = i,
            };
        traffic->group[traffic->nr_groups - 1].nr++;
    }
    if (traffic->nr_groups)
        qsort(traffic->group, traffic->nr_groups, sizeof(*traffic->group),
              compare_groups);
    for (i = 0; i <= traffic->nr_groups; i++)
        while (acct <= NAMES_ACCTS && (i == traffic->nr_groups ||
                                       acct <= traffic->group[i].key >> 32))
            traffic->first[acct++] = i;
}

void roi_traffic_make(struct roi_traffic *traffic, const struct rows *rows,
                      const struct regions *regions)
{
    bool *wanted = need_memory(NAMES_ACCTS, sizeof(*wanted));
    size_t i;

    memset(traffic, 0, sizeof(*traffic));
    traffic->first = need_memory(NAMES_ACCTS + 1, sizeof(*traffic->first));
    for (i = 0; i < regions->nr_kinds; i++)
        wanted[regions->kind[i].acct] = true;
    wanted[ALL] = false;
    collect_rows(traffic, rows, wanted);
    if (traffic->nr)
        qsort(traffic->item, traffic->nr, sizeof(*traffic->item),
              compare_items);
    find_groups(traffic);
    free(wanted);
}

void roi_traffic_free(struct roi_traffic *traffic)
{
    free(traffic->item);
    free(traffic->group);
    free(traffic->first);
}

/* Returns how many items of a group precede @ns. */
static size_t items_before(const struct roi_traffic *traffic,
                           const struct roi_group *group, uint64_t ns)
{
    return ns ? order_until(traffic->item + group->first, group->nr,
                            sizeof(*traffic->item),
                            offsetof(struct roi_notified, ns), ns - 1) : 0;
}

static uint64_t in_between(const struct roi_traffic *traffic,
                           const struct roi_group *group, uint64_t begin,
                           uint64_t end)
{
    return items_before(traffic, group, end) - items_before(traffic, group, begin);
}

void roi_traffic_of(const struct roi_traffic *traffic, uint16_t acct,
                    uint64_t begin, uint64_t end, uint64_t *sent,
                    uint64_t *received)
{
    size_t i;

    for (i = traffic->first[acct]; i < traffic->first[acct + 1U] &&
         partner_of(&traffic->group[i]) == ALL; i++)
        *(is_sent(&traffic->group[i]) ? sent : received) =
            in_between(traffic, &traffic->group[i], begin, end);
}

static struct roi_partner *find_partner(struct roi_kind *kind, uint16_t acct)
{
    unsigned int i;

    for (i = 0; i < kind->nr_partners; i++)
        if (kind->partner[i].acct == acct)
            return &kind->partner[i];
    if (kind->nr_partners == ROI_PARTNERS)
        return NULL;
    kind->partner[kind->nr_partners].acct = acct;

    return &kind->partner[kind->nr_partners++];
}

void roi_traffic_add(const struct roi_traffic *traffic,
                     const struct region *region, struct roi_kind *kind)
{
    size_t i = traffic->first[region->acct], nr = 0;

    for (; i < traffic->first[region->acct + 1U] && nr < 2 * ROI_PARTNERS;
         i++) {
        const struct roi_group *group = &traffic->group[i];
        struct roi_partner *partner;
        uint64_t n;

        if (partner_of(group) == ALL)
            continue;
        nr++;
        n = in_between(traffic, group, region->begin, region->end);
        partner = n ? find_partner(kind, partner_of(group)) : NULL;
        if (partner)
            *(is_sent(group) ? &partner->sent : &partner->received) += n;
    }
}
