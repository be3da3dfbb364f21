/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * matrix.h - which domains communicate, and what each one uses: the model on which policies decide.
 *
 * For each event that names a domain and its partner (evtchn-send, grant-map, grant-unmap,
 * grant-copy, ring-pages) there is a number for each pair (current accounting domain,
 * correspondent) that has communicated.  For service-ns, wake-delay, preempt-delay and pmc0 there
 * is a number for each current accounting domain, and for service-ns also one for each pCPU on
 * which it ran.  Other events are not in the matrix: they repeat these (evtchn-recv, service-tsc),
 * have counters that are no amounts (ring-sectors), or are about something else.
 *
 * A number is the sum of amounts that decay with a half-life: after the half-life an amount counts
 * a half.  It is read as a rate, in amount per second: with a constant amount per second, the rate
 * approaches it by half of the difference in each half-life.
 *
 * Memory and time grow with the number of pairs that communicate, not with the square of the number
 * of domains.  The caller passes the time, in nanoseconds from any start, which never goes back; no
 * function here reads a clock.
 */
#ifndef XENSCHED_MODEL_MATRIX_H
#define XENSCHED_MODEL_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xensched/reader.h>

#include "tally.h"

struct matrix;

struct matrix *matrix_new(uint64_t half_life_ns);
void matrix_free(struct matrix *m);

/*
 * Each row of @event counts for @threshold events from now on.  Initially 1.
 */
void matrix_set_threshold(struct matrix *m, unsigned int event,
                          uint32_t threshold);

/*
 * The same for rows of one accounting domain, until it is forgotten; 0: the event's own threshold.
 */
void matrix_set_threshold_of(struct matrix *m, unsigned int event,
                             uint16_t current, uint32_t threshold);

/* The number of events that a row represents. */
uint32_t matrix_threshold(const struct matrix *m, unsigned int event,
                          uint16_t current);

/* Does the matrix use one of @events (mask)? */
bool matrix_takes(const struct matrix *m, uint32_t events);

/* Adds all rows of @batch at @now_ns. */
void matrix_add_batch(struct matrix *m, const struct xensched_batch *batch,
                      uint64_t now_ns);
/*
 * The same for rows of an untrusted producer: adds only rows that @validation accepts.  Rows
 * without all entries are refused.
 */
void matrix_add_believable(struct matrix *m,
                           const struct xensched_batch *batch,
                           struct tally_validation *validation, uint64_t now_ns);
/*
 * Limits an untrusted number by a trusted one: @event from @current to @correspondent is at most
 * @factor for each @witness from @correspondent to @current, after all rows of both have been
 * added.  Removes the excess; returns true if there was any.
 */
bool matrix_cap(struct matrix *m, unsigned int event, uint16_t current,
                uint16_t correspondent, unsigned int witness, double factor,
                uint64_t now_ns);
/* Adds one row.  Ignores a row without event or domain. */
void matrix_add(struct matrix *m, const struct xensched_row *row,
                uint64_t now_ns);

/*
 * The rate of @event between two accounting domains, in this direction; 0 if they never
 * communicated.
 */
double matrix_rate(const struct matrix *m, unsigned int event,
                   uint16_t current, uint16_t correspondent, uint64_t now_ns);

/* The rate of an event without pairs. */
double matrix_use(const struct matrix *m, unsigned int event,
                  uint16_t current, uint64_t now_ns);

/* The number of pCPUs that the accounting domain keeps busy. */
double matrix_service(const struct matrix *m, uint16_t current,
                      uint64_t now_ns);

/* The part of that on @cpu. */
double matrix_service_on(const struct matrix *m, uint16_t current,
                         uint32_t cpu, uint64_t now_ns);

/*
 * The sum since the first row, without decay, of an event without pairs, and of service-ns the part
 * on @cpu.  0 if nothing is known or if it was forgotten.
 */
uint64_t matrix_total(const struct matrix *m, unsigned int event,
                      uint16_t current);
uint64_t matrix_service_total(const struct matrix *m, uint16_t current,
                              uint32_t cpu);

/* One number, for callers that read all of them. */
struct matrix_entry {
    unsigned int event;
    uint16_t current;
    uint16_t correspondent; /* XEN_SCHEDLOG_ACCT_NONE: not a pair */
    double rate;            /* per second */
    uint64_t total;         /* since the first row, without decay */
};

/*
 * Calls @visit for each number, in any order.  @visit must not change the matrix.
 */
void matrix_visit(const struct matrix *m, uint64_t now_ns,
                  void (*visit)(const struct matrix_entry *entry, void *arg),
                  void *arg);

/* The same for the total time that each accounting domain has run on each pCPU. */
void matrix_visit_service(const struct matrix *m,
                          void (*visit)(uint16_t current, uint32_t cpu,
                                        uint64_t total_ns, void *arg),
                          void *arg);

/* Visits the share of each pCPU that each domain keeps busy; 1.0 is the whole pCPU. */
void matrix_visit_running(const struct matrix *m, uint64_t now_ns,
                          void (*visit)(uint16_t current, uint32_t cpu, double pcpus,
                                        void *arg),
                          void *arg);

/*
 * Adds the part of each pCPU that all accounting domains keep busy to @busy[pCPU]; 1.0: the whole
 * pCPU.
 */
void matrix_busy(const struct matrix *m, double *busy, unsigned int nr_cpus,
                 uint64_t now_ns);

/* The number of numbers. */
size_t matrix_size(const struct matrix *m);

/* Forgets an accounting domain, because its number will mean another domain. */
void matrix_forget(struct matrix *m, uint16_t acct);

/* Forgets numbers to which nothing was added for @idle_ns. */
void matrix_expire(struct matrix *m, uint64_t idle_ns, uint64_t now_ns);

#endif /* XENSCHED_MODEL_MATRIX_H */
