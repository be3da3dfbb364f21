/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Derives rates of events over time.
 *
 * Time is cut into parts of the same length; the last part lasts until the end, so it is
 * usually longer.  A rate is the sum in a part, divided by its length.  It is unknown for
 * a part in which rows are lost.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "rates.h"

#define LEAST_NS 10000000ULL
#define PARTS    1000U

struct sent {
    uint32_t pair; /* sender << 16 | receiver */
    uint32_t part;
};

struct pair {
    size_t first, nr; /* of struct sent */
};

struct rates {
    const struct rows *rows;
    uint64_t length_ns; /* of a part, but the last */
    uint32_t nr_parts;
    unsigned int event;
    bool lost[PARTS];
    struct sent *sent;
    size_t nr;
    struct pair *pair;
    size_t nr_pairs;
};

static int compare_sent(const void *a, const void *b)
{
    const struct sent *x = a, *y = b;

    if (x->pair != y->pair)
        return x->pair < y->pair ? -1 : 1;

    return x->part < y->part ? -1 : x->part > y->part;
}

static int talks_less(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;

    if (x->nr != y->nr)
        return x->nr < y->nr ? 1 : -1;

    return x->first < y->first ? -1 : 1;
}

static uint32_t part_of(const struct rates *r, uint64_t ns)
{
    uint64_t part = ns / r->length_ns;

    return part < r->nr_parts ? part : r->nr_parts - 1;
}

static uint64_t per_second(const struct rates *r, uint32_t part, uint64_t n)
{
    uint64_t ns = part + 1 < r->nr_parts
                  ? r->length_ns : r->rows->end_ns - part * r->length_ns;

    return n * 1000000000 / (ns ? ns : 1);
}

static uint32_t pair_of(const struct rates *r, const struct timeline_row *row)
{
    return r->event == XEN_SCHEDLOG_EV_EVTCHN_SEND
           ? (uint32_t)row->current << 16 | row->correspondent
           : (uint32_t)row->correspondent << 16 | row->current;
}

static void collect(struct rates *r)
{
    size_t i;

    r->sent = need_memory(r->rows->nr + 1, sizeof(*r->sent));
    for (i = 0; i < r->rows->nr; i++)
        if (r->rows->row[i].event == r->event)
            r->sent[r->nr++] = (struct sent){
                .pair = pair_of(r, &r->rows->row[i]),
                .part = part_of(r, r->rows->row[i].ns),
            };
    qsort(r->sent, r->nr, sizeof(*r->sent), compare_sent);
}

static void find_pairs(struct rates *r)
{
    size_t i;

    r->pair = need_memory(r->nr + 1, sizeof(*r->pair));
    for (i = 0; i < r->nr; i++) {
        if (!i || r->sent[i].pair != r->sent[i - 1].pair)
            r->pair[r->nr_pairs++].first = i;
        r->pair[r->nr_pairs - 1].nr++;
    }
    qsort(r->pair, r->nr_pairs, sizeof(*r->pair), talks_less);
}

static void find_losses(struct rates *r)
{
    uint32_t part;
    size_t i;

    for (i = 0; i < r->rows->nr_losses; i++) {
        const struct timeline_loss *loss = &r->rows->loss[i];

        if (!(loss->events & 1U << r->event))
            continue;
        for (part = part_of(r, loss->begin_ns);
             part <= part_of(r, loss->end_ns); part++)
            r->lost[part] = true;
    }
}

static void add_rate(struct counters *counters, const struct rates *r,
                     const struct pair *pair)
{
    struct counter *counter = &counters->counter[counters->nr++];
    size_t i = pair->first, end = pair->first + pair->nr;
    uint32_t part;

    *counter = (struct counter){
        .kind = COUNTER_RATE,
        .id = r->sent[i].pair >> 16,
        .to = r->sent[i].pair & 0xffff,
    };
    for (part = 0; part < r->nr_parts; part++) {
        uint64_t n = 0;

        for (; i < end && r->sent[i].part == part; i++)
            n++;
        counters_add(counter, part * r->length_ns, !r->lost[part],
                     r->lost[part] ? 0 : per_second(r, part, n));
    }
}

void rates_make(struct counters *counters, const struct rows *rows)
{
    unsigned int event = rows->events & 1U << XEN_SCHEDLOG_EV_EVTCHN_SEND
                         ? XEN_SCHEDLOG_EV_EVTCHN_SEND
                         : XEN_SCHEDLOG_EV_EVTCHN_RECV;
    struct rates *r;
    size_t i;

    if (rows->names.sampled & 1U << event)
        return;
    r = need_memory(1, sizeof(*r));
    r->rows = rows;
    r->length_ns = rows->end_ns / PARTS + 1;
    if (r->length_ns < LEAST_NS)
        r->length_ns = LEAST_NS;
    r->nr_parts = rows->end_ns / r->length_ns;
    if (!r->nr_parts)
        r->nr_parts = 1;
    r->event = event;
    collect(r);
    find_pairs(r);
    find_losses(r);
    for (i = 0; i < r->nr_pairs && i < RATES_MOST; i++)
        add_rate(counters, r, &r->pair[i]);
    free(r->pair);
    free(r->sent);
    free(r);
}
