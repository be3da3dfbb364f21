/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adds up what vCPUs did in regions of interest.
 *
 * For each vCPU there are sums up to each of its spans, so a region takes two look-ups,
 * regardless of its length and of nesting.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "timeline/rows/row-order.h"
#include "roi.h"
#include "roi-traffic.h"

const char *const roi_value_name[ROI_VALUES] = {
    [ROI_WALL] = "wall_ns",
    [ROI_RUNNING] = "running_ns",
    [ROI_RUNNABLE] = "runnable_ns",
    [ROI_BLOCKED] = "blocked_ns",
    [ROI_UNKNOWN] = "unknown_ns",
    [ROI_WAKE_DELAY] = "wake_delay_ns",
    [ROI_MIGRATIONS] = "migrations",
    [ROI_SENT] = "sent",
    [ROI_RECEIVED] = "received",
};

/* The sums of a vCPU until one of its spans begins; only of the states of a vCPU. */
struct until {
    uint64_t value[ROI_MIGRATIONS + 1];
    bool woken; /* the span is runnable, and follows a sleep */
};

struct roi_making {
    struct roi *roi;
    const struct timeline *t;
    const struct regions *regions;
    struct until **until;  /* by vCPU; NULL: not computed yet */
    struct roi_traffic traffic;
};

static enum roi_value value_of(enum vcpu_state state)
{
    switch (state) {
    case VCPU_RUNNING: return ROI_RUNNING;
    case VCPU_RUNNABLE: return ROI_RUNNABLE;
    case VCPU_BLOCKED: return ROI_BLOCKED;
    default: return ROI_UNKNOWN;
    }
}

/* Adds @ns of this span. */
static void go_on(struct until *u, const struct span *span, uint64_t ns)
{
    u->value[ROI_WALL] += ns;
    u->value[value_of(span->state)] += ns;
    if (u->woken)
        u->value[ROI_WAKE_DELAY] += ns;
}

/* A migration counts when the vCPU runs there. */
static struct until *add_up(const struct timeline *t, const struct vcpu *v)
{
    struct until *all = need_memory(v->nr + 1, sizeof(*all)), now = { 0 };
    uint32_t ran_on = STAY_NONE;
    size_t i;

    for (i = 0; i < v->nr; i++) {
        const struct span *span = &v->span[i];

        now.woken = span->state == VCPU_RUNNABLE && i &&
                    span[-1].state == VCPU_BLOCKED;
        if (span->state == VCPU_RUNNING) {
            now.value[ROI_MIGRATIONS] += ran_on != STAY_NONE &&
                                         ran_on != span->cpu;
            ran_on = span->cpu;
        }
        all[i] = now;
        go_on(&now, span, vcpus_end(&t->vcpus, v, i) - span->begin);
    }

    return all;
}

static struct until sum_until(struct roi_making *m, uint32_t vcpu, uint64_t ns)
{
    const struct vcpu *v = &m->t->vcpus.vcpu[vcpu];
    const struct span *span = vcpus_at(v, ns);
    struct until u;

    if (!m->until[vcpu])
        m->until[vcpu] = add_up(m->t, v);
    u = m->until[vcpu][span - v->span];
    go_on(&u, span, ns - span->begin);

    return u;
}

static void look_at(struct roi_making *m, const struct region *region,
                    uint64_t value[ROI_VALUES])
{
    struct until from, to;
    unsigned int i;

    value[ROI_WALL] = region->end - region->begin;
    roi_traffic_of(&m->traffic, region->acct, region->begin, region->end,
                   &value[ROI_SENT], &value[ROI_RECEIVED]);
    if (region->lane == STAY_NONE) {
        value[ROI_UNKNOWN] = value[ROI_WALL];
        return;
    }
    from = sum_until(m, region->lane, region->begin);
    to = sum_until(m, region->lane, region->end);
    for (i = ROI_RUNNING; i <= ROI_MIGRATIONS; i++)
        value[i] = to.value[i] - from.value[i];
}

static unsigned int bucket_of(uint64_t ns)
{
    unsigned int i = ns ? 63 - __builtin_clzll(ns) : 0;

    return i < ROI_BUCKETS ? i : ROI_BUCKETS - 1;
}

static void accept_interval(struct roi_making *m, const struct roi_interval *interval)
{
    struct roi_kind *kind = &m->roi->kind[interval->region->kind];
    unsigned int i;

    if (!interval->region->whole)
        return;
    for (i = 0; i < ROI_VALUES; i++)
        *list_add(kind->value[i].ns, kind->value[i].nr, kind->value[i].room) =
            interval->value[i];
    kind->bucket[bucket_of(interval->value[ROI_WALL])]++;
    roi_traffic_add(&m->traffic, interval->region, kind);
}

static bool is_more(const void *a, const void *b)
{
    return *(const uint64_t *)a > *(const uint64_t *)b;
}

static bool talks_less(const void *a, const void *b)
{
    const struct roi_partner *x = a, *y = b;

    return x->sent + x->received < y->sent + y->received;
}

static void put_in_order(struct roi_kind *kind)
{
    unsigned int i;

    for (i = 0; i < ROI_VALUES; i++)
        order_sort(kind->value[i].ns, kind->value[i].nr, sizeof(uint64_t),
                   is_more);
    order_sort(kind->partner, kind->nr_partners, sizeof(*kind->partner),
               talks_less);
}

void roi_make(struct roi *roi, const struct timeline *t,
              const struct regions *regions)
{
    struct roi_making m = { .roi = roi, .t = t, .regions = regions };
    size_t i;

    roi->interval = need_memory(regions->nr + 1, sizeof(*roi->interval));
    roi->kind = need_memory(regions->nr_kinds + 1, sizeof(*roi->kind));
    m.until = need_memory(t->vcpus.nr + 1, sizeof(*m.until));
    roi_traffic_make(&m.traffic, &t->rows, regions);
    for (i = 0; i < regions->nr; i++) {
        roi->interval[i].region = &regions->region[i];
        look_at(&m, &regions->region[i], roi->interval[i].value);
        accept_interval(&m, &roi->interval[i]);
    }
    for (i = 0; i < regions->nr_kinds; i++)
        put_in_order(&roi->kind[i]);
    for (i = 0; i < t->vcpus.nr; i++)
        free(m.until[i]);
    free(m.until);
    roi_traffic_free(&m.traffic);
}

void roi_free(struct roi *roi, const struct regions *regions)
{
    size_t i;
    unsigned int j;

    for (i = 0; i < regions->nr_kinds; i++)
        for (j = 0; j < ROI_VALUES; j++)
            free(roi->kind[i].value[j].ns);
    free(roi->kind);
    free(roi->interval);
}
