/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers decay when they are changed or read, never in between.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>

#include "cells.h"
#include "decay.h"
#include "matrix.h"
#include "base/alloc.h"
#include "tally.h"

#define NS_PER_S 1e9

/* Number of rows decoded at a time: 32 bytes each, to stay in the first-level cache. */
#define BLOCK_ROWS 64

/* How the matrix uses the rows of an event. */
enum meaning { IGNORED, PAIR, SINGLE };

struct matrix {
    double half_life_ns;
    enum meaning meaning[XEN_SCHEDLOG_NR_EVENTS];
    uint32_t singles; /* mask of events with meaning SINGLE */
    uint32_t threshold[XEN_SCHEDLOG_NR_EVENTS];
    /* [current] for each event; 0, or beyond the end: the event's own threshold */
    uint32_t *own[XEN_SCHEDLOG_NR_EVENTS];
    uint32_t nr_own[XEN_SCHEDLOG_NR_EVENTS];
    struct cells cells;
    struct cells ran; /* by accounting domain and pCPU */
};

static enum meaning meaning_of(unsigned int event)
{
    switch (event) {
    case XEN_SCHEDLOG_EV_SERVICE_NS:
    case XEN_SCHEDLOG_EV_WAKE_DELAY:
    case XEN_SCHEDLOG_EV_PREEMPT_DELAY:
    case XEN_SCHEDLOG_EV_PMC0:
        return SINGLE;
    case XEN_SCHEDLOG_EV_EVTCHN_SEND:
    case XEN_SCHEDLOG_EV_GRANT_MAP:
    case XEN_SCHEDLOG_EV_GRANT_UNMAP:
    case XEN_SCHEDLOG_EV_GRANT_COPY:
    case XEN_SCHEDLOG_EV_RING_PAGES:
        return PAIR;
    default:
        return IGNORED;
    }
}

struct matrix *matrix_new(uint64_t half_life_ns)
{
    struct matrix *m = need_memory(1, sizeof(*m));
    unsigned int i;

    m->half_life_ns = half_life_ns;
    for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++) {
        m->meaning[i] = meaning_of(i);
        if (m->meaning[i] == SINGLE)
            m->singles |= 1U << i;
        m->threshold[i] = 1;
    }
    cells_init(&m->cells);
    cells_init(&m->ran);

    return m;
}

void matrix_set_threshold(struct matrix *m, unsigned int event,
                          uint32_t threshold)
{
    if (event < XEN_SCHEDLOG_NR_EVENTS)
        m->threshold[event] = threshold ? threshold : 1;
}

void matrix_set_threshold_of(struct matrix *m, unsigned int event,
                             uint16_t current, uint32_t threshold)
{
    uint32_t nr;

    if (event >= XEN_SCHEDLOG_NR_EVENTS)
        return;
    nr = m->nr_own[event];
    if (current >= nr) {
        if (!threshold)
            return;
        m->own[event] = need_more_memory(m->own[event], current + 1U,
                                         sizeof(*m->own[event]));
        memset(m->own[event] + nr, 0,
               (current + 1U - nr) * sizeof(*m->own[event]));
        m->nr_own[event] = current + 1U;
    }
    m->own[event][current] = threshold;
}

uint32_t matrix_threshold(const struct matrix *m, unsigned int event,
                          uint16_t current)
{
    uint32_t own = current < m->nr_own[event] ? m->own[event][current] : 0;

    return own ? own : m->threshold[event];
}

bool matrix_takes(const struct matrix *m, uint32_t events)
{
    unsigned int i;

    for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++)
        if (events & 1U << i && m->meaning[i] != IGNORED)
            return true;

    return false;
}

void matrix_free(struct matrix *m)
{
    unsigned int i;

    if (!m)
        return;
    for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++)
        free(m->own[i]);
    cells_free(&m->cells);
    cells_free(&m->ran);
    free(m);
}

static uint64_t key_of(unsigned int event, uint16_t current,
                       uint16_t correspondent)
{
    return (uint64_t)event << 32 | (uint32_t)current << 16 | correspondent;
}

static uint16_t current_of(uint64_t key)
{
    return key >> 16;
}

static uint16_t correspondent_of(uint64_t key)
{
    return key;
}

static double decayed_cell(const struct matrix *m, const struct cell *cell,
                           uint64_t now_ns)
{
    return decay_left(cell->sum, cell->at_ns, now_ns, m->half_life_ns);
}

static double rate_of(const struct matrix *m, const struct cell *cell,
                      uint64_t now_ns)
{
    return decay_rate(decayed_cell(m, cell, now_ns), m->half_life_ns);
}

/*
 * Returns the decayed value of an amount at the time of its row.  Time on a pCPU ends then, but it
 * was used over a period, whose beginning has decayed already.
 */
static double weigh_event(const struct matrix *m, unsigned int event,
                          uint64_t amount)
{
    double mean_life_ns = m->half_life_ns / M_LN2;

    if (event != XEN_SCHEDLOG_EV_SERVICE_NS)
        return amount;

    return mean_life_ns * -expm1(-(amount / mean_life_ns));
}

static uint64_t ran_key(uint16_t current, uint32_t cpu)
{
    return (uint64_t)current << 32 | cpu;
}

/* A row with a threshold counts for @threshold events. */
static void add_to(struct matrix *m, struct cell *cell, unsigned int event,
                   uint32_t threshold, uint64_t amount, uint64_t now_ns)
{
    cell->sum = decayed_cell(m, cell, now_ns) + threshold * weigh_event(m, event, amount);
    if (now_ns > cell->at_ns)
        cell->at_ns = now_ns;
    cell->total += threshold * amount;
}

void matrix_add(struct matrix *m, const struct xensched_row *row,
                uint64_t now_ns)
{
    const uint16_t ends = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT;
    uint64_t amount = row->valid & XENSCHED_ROW_COUNTER ? row->counter : 1;
    uint16_t correspondent = row->correspondent;
    uint32_t threshold;

    if ((row->valid & ends) != ends || row->event >= XEN_SCHEDLOG_NR_EVENTS)
        return;
    switch (m->meaning[row->event]) {
    case IGNORED:
        return;
    case SINGLE:
        correspondent = XEN_SCHEDLOG_ACCT_NONE;
        break;
    case PAIR:
        /*
         * Without a partner the row is about no pair, and communication within an accounting
         * domain is not counted.
         */
        if (!(row->valid & XENSCHED_ROW_CORRESPONDENT) ||
            correspondent == XEN_SCHEDLOG_ACCT_NONE ||
            correspondent == row->current)
            return;
        break;
    }

    threshold = matrix_threshold(m, row->event, row->current);
    add_to(m, cells_get(&m->cells, key_of(row->event, row->current,
                                          correspondent)),
           row->event, threshold, amount, now_ns);
    if (row->event == XEN_SCHEDLOG_EV_SERVICE_NS)
        add_to(m, cells_get(&m->ran, ran_key(row->current, row->cpu)),
               row->event, threshold, amount, now_ns);
}

struct addition {
    struct matrix *matrix;
    uint64_t now_ns;
};

static void add_row(void *arg, const struct xensched_row *row)
{
    struct addition *addition = arg;

    matrix_add(addition->matrix, row, addition->now_ns);
}

/*
 * Adding up rows first makes a difference only for time on a pCPU: several periods, which cannot
 * have been at the same time, count as one.
 */
void matrix_add_batch(struct matrix *m, const struct xensched_batch *batch,
                      uint64_t now_ns)
{
    struct addition addition = { .matrix = m, .now_ns = now_ns };
    struct xensched_row rows[BLOCK_ROWS];
    size_t i, nr, first = 0;

    if (tally_batch(batch, m->singles, NULL, add_row, &addition))
        return;
    while ((nr = xensched_batch_decode(batch, first, rows, BLOCK_ROWS))) {
        for (i = 0; i < nr; i++)
            matrix_add(m, &rows[i], now_ns);
        first += nr;
    }
}

void matrix_add_believable(struct matrix *m,
                           const struct xensched_batch *batch,
                           struct tally_validation *validation, uint64_t now_ns)
{
    struct addition addition = { .matrix = m, .now_ns = now_ns };

    if (!tally_batch(batch, m->singles, validation, add_row, &addition))
        validation->refused += xensched_batch_rows(batch);
}

bool matrix_cap(struct matrix *m, unsigned int event, uint16_t current,
                uint16_t correspondent, unsigned int witness, double factor,
                uint64_t now_ns)
{
    struct cell *cell = cells_find(&m->cells, key_of(event, current,
                                                     correspondent));
    const struct cell *seen = cells_find(&m->cells, key_of(witness,
                                                           correspondent,
                                                           current));
    /* Events of the witness that have made no row yet are unknown. */
    double most = matrix_threshold(m, witness, correspondent) - 1.0;
    double sum, over;

    if (!cell)
        return false;
    if (seen)
        most += decayed_cell(m, seen, now_ns);
    sum = decayed_cell(m, cell, now_ns);
    over = sum - most * factor;
    if (over <= 0)
        return false;
    cell->sum = sum - over;
    if (now_ns > cell->at_ns)
        cell->at_ns = now_ns;
    cell->total -= over < cell->total ? (uint64_t)over : cell->total;

    return true;
}

double matrix_rate(const struct matrix *m, unsigned int event,
                   uint16_t current, uint16_t correspondent, uint64_t now_ns)
{
    const struct cell *cell = cells_find(&m->cells,
                                         key_of(event, current,
                                                correspondent));

    return cell ? rate_of(m, cell, now_ns) : 0;
}

double matrix_use(const struct matrix *m, unsigned int event,
                  uint16_t current, uint64_t now_ns)
{
    return matrix_rate(m, event, current, XEN_SCHEDLOG_ACCT_NONE, now_ns);
}

double matrix_service(const struct matrix *m, uint16_t current,
                      uint64_t now_ns)
{
    return matrix_use(m, XEN_SCHEDLOG_EV_SERVICE_NS, current, now_ns) /
           NS_PER_S;
}

double matrix_service_on(const struct matrix *m, uint16_t current,
                         uint32_t cpu, uint64_t now_ns)
{
    const struct cell *cell = cells_find(&m->ran, ran_key(current, cpu));

    return cell ? rate_of(m, cell, now_ns) / NS_PER_S : 0;
}

uint64_t matrix_service_total(const struct matrix *m, uint16_t current,
                              uint32_t cpu)
{
    const struct cell *cell = cells_find(&m->ran, ran_key(current, cpu));

    return cell ? cell->total : 0;
}

uint64_t matrix_total(const struct matrix *m, unsigned int event,
                      uint16_t current)
{
    const struct cell *cell = cells_find(&m->cells,
                                         key_of(event, current,
                                                XEN_SCHEDLOG_ACCT_NONE));

    return cell ? cell->total : 0;
}

void matrix_visit(const struct matrix *m, uint64_t now_ns,
                  void (*visit)(const struct matrix_entry *entry, void *arg),
                  void *arg)
{
    const struct cell *cell;
    size_t i = 0;

    while ((cell = cells_next(&m->cells, &i))) {
        struct matrix_entry entry = {
            .event = cell->key >> 32,
            .current = current_of(cell->key),
            .correspondent = correspondent_of(cell->key),
            .rate = rate_of(m, cell, now_ns),
            .total = cell->total,
        };

        visit(&entry, arg);
    }
}

void matrix_visit_service(const struct matrix *m,
                          void (*visit)(uint16_t current, uint32_t cpu,
                                        uint64_t total_ns, void *arg),
                          void *arg)
{
    const struct cell *cell;
    size_t i = 0;

    while ((cell = cells_next(&m->ran, &i)))
        visit(cell->key >> 32, cell->key, cell->total, arg);
}

void matrix_visit_running(const struct matrix *m, uint64_t now_ns,
                          void (*visit)(uint16_t current, uint32_t cpu, double pcpus,
                                        void *arg),
                          void *arg)
{
    const struct cell *cell;
    size_t i = 0;

    while ((cell = cells_next(&m->ran, &i)))
        visit(cell->key >> 32, cell->key, rate_of(m, cell, now_ns) / NS_PER_S, arg);
}

struct busy {
    double *of;
    unsigned int nr_cpus;
};

/* A pCPU is busy while a domain runs; the rest of its time belongs to Xen. */
static void add_busy(uint16_t current, uint32_t cpu, double pcpus, void *arg)
{
    const struct busy *busy = arg;

    if (current != XEN_SCHEDLOG_ACCT_XEN && cpu < busy->nr_cpus)
        busy->of[cpu] += pcpus;
}

void matrix_busy(const struct matrix *m, double *busy, unsigned int nr_cpus,
                 uint64_t now_ns)
{
    matrix_visit_running(m, now_ns, add_busy, &(struct busy){ busy, nr_cpus });
}

size_t matrix_size(const struct matrix *m)
{
    return m->cells.used;
}

static bool is_of(const struct cell *cell, void *arg)
{
    uint16_t acct = *(uint16_t *)arg;

    return current_of(cell->key) == acct || correspondent_of(cell->key) == acct;
}

static bool ran_is_of(const struct cell *cell, void *arg)
{
    return cell->key >> 32 == *(uint16_t *)arg;
}

void matrix_forget(struct matrix *m, uint16_t acct)
{
    unsigned int event;

    for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
        matrix_set_threshold_of(m, event, acct, 0);
    cells_remove(&m->cells, is_of, &acct);
    cells_remove(&m->ran, ran_is_of, &acct);
}

static bool is_older(const struct cell *cell, void *arg)
{
    return cell->at_ns < *(uint64_t *)arg;
}

void matrix_expire(struct matrix *m, uint64_t idle_ns, uint64_t now_ns)
{
    uint64_t oldest = now_ns > idle_ns ? now_ns - idle_ns : 0;

    cells_remove(&m->cells, is_older, &oldest);
    cells_remove(&m->ran, is_older, &oldest);
}
