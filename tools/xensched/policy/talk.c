/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums up interactions between domains. */
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>

#include "model/matrix/cells.h"
#include "base/alloc.h"
#include "talk.h"

#define NOBODY (~0U)

struct summing {
    const struct policy_input *input;
    const struct domains *domains;
    unsigned int nr_acct;
    unsigned int *of; /* domains_by_acct(), with the guest in place of its device model */
    double *total; /* [domain] */
    struct cells pairs; /* (number of domain, number of one above): rate */
    struct cells pages, copied; /* only pages; only copied pages */
};

static bool is_counted(unsigned int event)
{
    switch (event) {
    case XEN_SCHEDLOG_EV_EVTCHN_SEND:
    case XEN_SCHEDLOG_EV_GRANT_MAP:
    case XEN_SCHEDLOG_EV_GRANT_COPY:
    case XEN_SCHEDLOG_EV_RING_PAGES:
        return true;
    default:
        return false;
    }
}

static unsigned int domain_of(const struct summing *s, uint16_t acct)
{
    return acct < s->nr_acct && s->of[acct] ? s->of[acct] - 1 : NOBODY;
}

static void add_direction(struct summing *s, uint16_t acct, uint16_t partner,
                          double rate, unsigned int event)
{
    unsigned int domain = domain_of(s, acct), other = domain_of(s, partner);

    if (domain == NOBODY || domain == other)
        return;
    s->total[domain] += rate;
    if (other == NOBODY || domain > other)
        return;
    cells_get(&s->pairs, (uint64_t)domain << 32 | other)->sum += rate;
    if (event == XEN_SCHEDLOG_EV_EVTCHN_SEND)
        return;
    cells_get(&s->pages, (uint64_t)domain << 32 | other)->sum += rate;
    if (event == XEN_SCHEDLOG_EV_GRANT_COPY)
        cells_get(&s->copied, (uint64_t)domain << 32 | other)->sum += rate;
}

/*
 * A page on a ring was also mapped, and counted then, unless its grant is persistent.  So only
 * the pages on the ring in excess of the mapped ones are added.
 */
static double rate_to_add(const struct summing *s,
                          const struct matrix_entry *entry)
{
    double rate = entry->rate;

    if (entry->event == XEN_SCHEDLOG_EV_RING_PAGES)
        rate -= matrix_rate(s->input->matrix, XEN_SCHEDLOG_EV_GRANT_MAP,
                            entry->current, entry->correspondent,
                            s->input->now_ns);

    return rate > 0 ? rate : 0;
}

static void add_entry(const struct matrix_entry *entry, void *arg)
{
    double rate;

    if (!is_counted(entry->event) ||
        entry->current == XEN_SCHEDLOG_ACCT_XEN ||
        entry->correspondent == XEN_SCHEDLOG_ACCT_XEN ||
        entry->correspondent == XEN_SCHEDLOG_ACCT_NONE)
        return;
    rate = rate_to_add(arg, entry);
    add_direction(arg, entry->current, entry->correspondent, rate, entry->event);
    add_direction(arg, entry->correspondent, entry->current, rate, entry->event);
}

/* Counts a device model's pairs for its guest, even if the guest has no number. */
static void join_device_models(struct summing *s)
{
    const struct domains *domains = s->domains;
    unsigned int i;

    for (i = 0; i < domains->nr; i++) {
        unsigned int with = s->input->guarded[i].goes_with;

        if (with && domains->domain[i].acct >= XEN_SCHEDLOG_ACCT_FIRST)
            s->of[domains->domain[i].acct] = with;
    }
}

static int by_rate(const void *x, const void *y)
{
    const struct talk_pair *p = x, *q = y;

    if (p->rate != q->rate)
        return p->rate > q->rate ? -1 : 1;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;

    return p->b < q->b ? -1 : p->b > q->b;
}

static struct talk_pair *pick_pairs(const struct summing *s, unsigned int *nr)
{
    const struct cells *cells = &s->pairs;
    struct talk_pair *pairs = need_memory(cells->used, sizeof(*pairs));
    const struct cell *cell;
    size_t i = 0;

    *nr = 0;
    while ((cell = cells_next(cells, &i)))
        if (cell->sum > 0) {
            const struct cell *pages = cells_find(&s->pages, cell->key);
            const struct cell *copied = cells_find(&s->copied, cell->key);

            pairs[(*nr)++] = (struct talk_pair){
                cell->key >> 32, cell->key & UINT32_MAX, cell->sum,
                pages ? pages->sum : 0, copied ? copied->sum : 0,
            };
        }
    qsort(pairs, *nr, sizeof(*pairs), by_rate);

    return pairs;
}

struct talk_pair *talk_pairs(const struct policy_input *input, unsigned int *nr,
                             double *total)
{
    struct summing s = { .input = input, .domains = input->domains, .total = total };
    struct talk_pair *pairs;

    memset(total, 0, input->domains->nr * sizeof(*total));
    s.of = domains_by_acct(input->domains, &s.nr_acct);
    join_device_models(&s);
    cells_init(&s.pairs);
    cells_init(&s.pages);
    cells_init(&s.copied);
    matrix_visit(input->matrix, input->now_ns, add_entry, &s);
    pairs = pick_pairs(&s, nr);
    cells_free(&s.pairs);
    cells_free(&s.pages);
    cells_free(&s.copied);
    free(s.of);

    return pairs;
}
