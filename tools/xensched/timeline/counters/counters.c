/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Derives counters of pCPUs and domains over time (run-queue lengths and memory), rates of
 * events, and what guests count by marks.
 *
 * All pCPUs that a run queue serves log it.  The queue is named after the first of them, whose
 * rows count.  Any pCPU that changes a domain's memory logs it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "timeline/counters/counters.h"
#include "counters.h"

#define PAGE_BYTES 4096U
#define NR_IDS     65536U

struct making {
    struct counters *counters;
    const struct rows *rows;
    uint32_t *index; /* by kind and id: index + 1; 0: none */
    size_t next;     /* index of the next loss */
};

static bool counter_of(const struct timeline_row *row, enum counter_kind *kind,
                       uint16_t *id, uint64_t *value)
{
    switch (row->event) {
    case XEN_SCHEDLOG_EV_RUNQ:
        *kind = COUNTER_RUNQ;
        *id = row->counter >> 16;
        *value = row->counter & 0xffff;
        return row->cpu < NR_IDS && row->counter >> 16 == row->cpu;
    case XEN_SCHEDLOG_EV_MEMORY:
        *kind = COUNTER_MEMORY;
        *id = row->current;
        *value = (row->counter & 0xffffffffffULL) * PAGE_BYTES;
        return row->current > XEN_SCHEDLOG_ACCT_XEN &&
               row->current != XEN_SCHEDLOG_ACCT_NONE;
    }

    return false;
}

/* Finds which counters exist, in their order. */
static void find_all(struct making *m)
{
    enum counter_kind kind;
    uint64_t value;
    uint16_t id;
    size_t i;

    for (i = 0; i < m->rows->nr; i++)
        if (counter_of(&m->rows->row[i], &kind, &id, &value))
            m->index[kind * NR_IDS + id] = 1;
    for (i = 0; i < 2 * NR_IDS; i++) {
        if (!m->index[i])
            continue;
        m->index[i] = 0;
        if (m->counters->nr == COUNTERS_MOST) {
            m->counters->left_out++;
            continue;
        }
        m->counters->counter[m->counters->nr++] = (struct counter){
            .kind = i / NR_IDS, .id = i % NR_IDS,
        };
        m->index[i] = m->counters->nr;
    }
}

/*
 * Adds the value of @c from @ns on, unless that is the last value.  Before the first known value
 * it adds no unknown one.
 */
static void add_value(struct counter *c, uint64_t ns, bool known, uint64_t value)
{
    struct counter_value *last = c->nr ? &c->value[c->nr - 1] : NULL;

    if (last ? last->known == known && last->value == value : !known)
        return;
    *list_add(c->value, c->nr, c->room) = (struct counter_value){
        .ns = ns, .known = known, .value = value,
    };
}

static bool may_miss(const struct counter *c, const struct timeline_loss *loss)
{
    if (c->kind == COUNTER_RUNQ)
        return loss->cpu == c->id && loss->events & 1U << XEN_SCHEDLOG_EV_RUNQ;

    return loss->events & 1U << XEN_SCHEDLOG_EV_MEMORY;
}

/* From the beginning of a loss the value is unknown until there is a row. */
static void forget_values(struct making *m, uint64_t ns)
{
    unsigned int i;

    for (; m->next < m->rows->nr_losses &&
           m->rows->loss[m->next].begin_ns < ns; m->next++)
        for (i = 0; i < m->counters->nr; i++)
            if (may_miss(&m->counters->counter[i], &m->rows->loss[m->next]))
                add_value(&m->counters->counter[i],
                          m->rows->loss[m->next].begin_ns, false, 0);
}

void counters_make(struct counters *counters, const struct rows *rows)
{
    struct making m = { .counters = counters, .rows = rows };
    enum counter_kind kind;
    uint64_t value;
    uint16_t id;
    size_t i;

    memset(counters, 0, sizeof(*counters));
    counters->counter = need_memory(COUNTERS_MOST + RATES_MOST + COUNTS_MOST,
                                    sizeof(*counters->counter));
    m.index = need_memory(2 * NR_IDS, sizeof(*m.index));
    find_all(&m);
    for (i = 0; i < rows->nr; i++) {
        const struct timeline_row *row = &rows->row[i];

        if (!counter_of(row, &kind, &id, &value) ||
            !m.index[kind * NR_IDS + id])
            continue;
        forget_values(&m, row->ns);
        add_value(&counters->counter[m.index[kind * NR_IDS + id] - 1],
                  row->ns, true, value);
    }
    forget_values(&m, UINT64_MAX);
    free(m.index);
}

void counters_free(struct counters *counters)
{
    unsigned int i;

    for (i = 0; i < counters->nr; i++)
        free(counters->counter[i].value);
    free(counters->counter);
    memset(counters, 0, sizeof(*counters));
}

const char *counters_name(const struct rows *rows,
                          const struct counter *counter)
{
    static char text[600];

    if (counter->kind == COUNTER_RUNQ)
        snprintf(text, sizeof(text), "run queue %u", counter->id);
    else if (counter->kind == COUNTER_MEMORY)
        snprintf(text, sizeof(text), "memory of %s",
                 names_of(&rows->names, counter->id));
    else if (counter->kind == COUNTER_MARK)
        snprintf(text, sizeof(text), "%s: %s",
                 names_of(&rows->names, counter->id), counter->name);
    else
        snprintf(text, sizeof(text), "%s notifies %s",
                 names_of(&rows->names, counter->id),
                 names_of(&rows->names, counter->to));

    return text;
}

/*
 * Rates.  Time is cut into parts of the same length; the last part lasts until the end, so it is
 * usually longer.  A rate is the sum in a part, divided by its length.  It is unknown for a part in
 * which rows are lost.
 */

#define LEAST_NS 10000000ULL
#define PARTS    1000U

struct sent {
    uint32_t pair; /* sender << 16 | receiver */
    uint32_t part;
};

struct pair {
    size_t first, nr; /* indices in struct sent */
};

struct rates {
    const struct rows *rows;
    uint64_t length_ns; /* of each part but the last */
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

static void collect_rates(struct rates *r)
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
        add_value(counter, part * r->length_ns, !r->lost[part],
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
    collect_rates(r);
    find_pairs(r);
    find_losses(r);
    for (i = 0; i < r->nr_pairs && i < RATES_MOST; i++)
        add_rate(counters, r, &r->pair[i]);
    free(r->pair);
    free(r->sent);
    free(r);
}

/* Counts in marks. */

struct counts {
    struct counters *counters;
    const struct rows *rows;
    const struct marks *marks;
    unsigned int first;  /* index of the first counter that is a count */
    uint32_t *index;     /* by text: index of the counter + 1 */
    size_t next;         /* index of the next loss */
};

static struct counter *counter_of_mark(struct counts *c, const struct mark *mark)
{
    struct counters *counters = c->counters;
    struct counter *new;

    if (c->index[mark->text])
        return &counters->counter[c->index[mark->text] - 1];
    if (counters->nr - c->first == COUNTS_MOST) {
        counters->left_out++;
        return NULL;
    }
    new = &counters->counter[counters->nr++];
    *new = (struct counter){
        .kind = COUNTER_MARK,
        .id = mark->acct,
        .name = c->marks->names.text[mark->text].text,
    };
    c->index[mark->text] = counters->nr;

    return new;
}

/* A guest's counts are unknown while rows were lost. */
static void forget_counts(struct counts *c, uint64_t ns)
{
    unsigned int i;

    for (; c->next < c->rows->nr_losses &&
           c->rows->loss[c->next].begin_ns < ns; c->next++)
        for (i = c->first; i < c->counters->nr; i++)
            if (c->rows->loss[c->next].events & 1U << XEN_SCHEDLOG_EV_MARK)
                add_value(&c->counters->counter[i],
                          c->rows->loss[c->next].begin_ns, false, 0);
}

void counts_make(struct counters *counters, const struct rows *rows,
                 const struct marks *marks)
{
    struct counts c = {
        .counters = counters, .rows = rows, .marks = marks,
        .first = counters->nr,
    };
    size_t i;

    c.index = need_memory(marks->names.nr + 1, sizeof(*c.index));
    for (i = 0; i < marks->nr; i++) {
        const struct mark *mark = &marks->mark[i];
        struct counter *counter;

        if (mark->kind != MARK_COUNT)
            continue;
        forget_counts(&c, mark->ns);
        counter = counter_of_mark(&c, mark);
        if (counter)
            add_value(counter, mark->ns, true, mark->value);
    }
    forget_counts(&c, UINT64_MAX);
    free(c.index);
}
