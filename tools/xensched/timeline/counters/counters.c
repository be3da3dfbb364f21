/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Derives counters of pCPUs and domains over time: run-queue lengths and memory.
 *
 * All pCPUs that a run queue serves log it.  The queue is named after the first of them,
 * whose rows count.  Any pCPU that changes a domain's memory logs it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "base/alloc.h"

#define PAGE_BYTES 4096U
#define NR_IDS     65536U

struct making {
    struct counters *counters;
    const struct rows *rows;
    uint32_t *index; /* by kind and id, + 1; 0: there is none */
    size_t next;     /* loss */
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

/* Which there are, in their order. */
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

/* What is not known before the first row is not said. */
void counters_add(struct counter *c, uint64_t ns, bool known, uint64_t value)
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

/* From the beginning of a loss on nothing is known until there is a row. */
static void forget(struct making *m, uint64_t ns)
{
    unsigned int i;

    for (; m->next < m->rows->nr_losses &&
           m->rows->loss[m->next].begin_ns < ns; m->next++)
        for (i = 0; i < m->counters->nr; i++)
            if (may_miss(&m->counters->counter[i], &m->rows->loss[m->next]))
                counters_add(&m->counters->counter[i],
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
        forget(&m, row->ns);
        counters_add(&counters->counter[m.index[kind * NR_IDS + id] - 1],
                     row->ns, true, value);
    }
    forget(&m, UINT64_MAX);
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
