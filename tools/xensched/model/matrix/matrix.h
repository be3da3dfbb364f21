/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * matrix.h - which domains communicate, and how much each used: the model that
 * policies decide on.
 *
 * For each event that names a domain and its partner (evtchn-send, grant-map,
 * grant-unmap, grant-copy, ring-pages) there is a number for each pair
 * (current accounting domain, correspondent) which ever met, for service-ns,
 * wake-delay, preempt-delay and pmc0 one for each current accounting domain, and for
 * service-ns also one for each pCPU on which it ran.  Other events are not in
 * the matrix: they say the same again (evtchn-recv, service-tsc), have counters
 * which are no amounts (ring-sectors), or are about something else.
 *
 * A number is what was added to it, forgotten with a half-life: after the
 * half-life an amount counts a half.  It is given as a rate, in amount per
 * second: when the same amount comes each second, the rate goes towards it,
 * half of the way in each half-life.
 *
 * Memory and time grow with the number of pairs which meet, not with the
 * number of domains squared.  The clock is the caller's: nanoseconds since
 * whenever, never going back.  Nothing here reads a clock.
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
 * Of @threshold events only one makes a row, so a row of @event counts for so
 * many of them.  1 at first.
 */
void matrix_set_threshold(struct matrix *m, unsigned int event,
                          uint32_t threshold);

/*
 * The same for rows of one accounting domain alone, until it is forgotten; 0:
 * as for all others.
 */
void matrix_set_threshold_of(struct matrix *m, unsigned int event,
                             uint16_t current, uint32_t threshold);

/* How many events a row stands for. */
uint32_t matrix_threshold(const struct matrix *m, unsigned int event,
                          uint16_t current);

/* Is one of @events (mask) in the matrix? */
bool matrix_takes(const struct matrix *m, uint32_t events);

/* Add all rows of @batch as of @now_ns. */
void matrix_add_batch(struct matrix *m, const struct xensched_batch *batch,
                      uint64_t now_ns);
/*
 * The same for rows which are not believed just so.  Those which lack
 * something are not.
 */
void matrix_add_believable(struct matrix *m,
                           const struct xensched_batch *batch,
                           struct tally_validation *validation, uint64_t now_ns);
/*
 * An untrusted number, checked against a trusted one: that
 * of @event from @current to @correspondent is at most @factor for each
 * @witness from @correspondent to @current, all of which have been added.  What
 * is more is taken away.  True if there was more.
 */
bool matrix_cap(struct matrix *m, unsigned int event, uint16_t current,
                uint16_t correspondent, unsigned int witness, double factor,
                uint64_t now_ns);
/* Add one row.  A row without event, or without domain, is not counted. */
void matrix_add(struct matrix *m, const struct xensched_row *row,
                uint64_t now_ns);

/*
 * Rate of @event between two accounting domains, in this
 * direction.  0 when they never met.
 */
double matrix_rate(const struct matrix *m, unsigned int event,
                   uint16_t current, uint16_t correspondent, uint64_t now_ns);

/* Rate of an event which has no pairs. */
double matrix_use(const struct matrix *m, unsigned int event,
                  uint16_t current, uint64_t now_ns);

/* pCPUs which the accounting domain keeps busy: 1.0 is one of them. */
double matrix_service(const struct matrix *m, uint16_t current,
                      uint64_t now_ns);

/* How much of that is on @cpu. */
double matrix_service_on(const struct matrix *m, uint16_t current,
                         uint32_t cpu, uint64_t now_ns);

/*
 * Since the first row, never decayed: the sum of an event which has no pairs,
 * and of service-ns the part on @cpu.  0 when nothing is known, also when it
 * was forgotten.
 */
uint64_t matrix_total(const struct matrix *m, unsigned int event,
                      uint16_t current);
uint64_t matrix_service_total(const struct matrix *m, uint16_t current,
                              uint32_t cpu);

/* One number, for callers that want all of them. */
struct matrix_entry {
    unsigned int event;
    uint16_t current;
    uint16_t correspondent; /* XEN_SCHEDLOG_ACCT_NONE: no pair */
    double rate;            /* per second */
    uint64_t total;         /* since the first row, never forgotten */
};

/*
 * Call @visit for each number, in no order.  @visit must not change the
 * matrix.
 */
void matrix_visit(const struct matrix *m, uint64_t now_ns,
                  void (*visit)(const struct matrix_entry *entry, void *arg),
                  void *arg);

/* Likewise for what each accounting domain ever ran on each pCPU. */
void matrix_visit_service(const struct matrix *m,
                          void (*visit)(uint16_t current, uint32_t cpu,
                                        uint64_t total_ns, void *arg),
                          void *arg);

/* Visits the share of each pCPU that each domain keeps busy; 1.0 is the whole pCPU. */
void matrix_visit_running(const struct matrix *m, uint64_t now_ns,
                          void (*visit)(uint16_t current, uint32_t cpu, double pcpus,
                                        void *arg),
                          void *arg);

/* How busy accounting domains keep each pCPU: adds to @busy[pCPU], 1.0 is all of it. */
void matrix_busy(const struct matrix *m, double *busy, unsigned int nr_cpus,
                 uint64_t now_ns);

/* How many numbers there are. */
size_t matrix_size(const struct matrix *m);

/* Forget an accounting domain: its number will stand for another domain. */
void matrix_forget(struct matrix *m, uint16_t acct);

/* Forget what nothing was added to for @idle_ns. */
void matrix_expire(struct matrix *m, uint64_t idle_ns, uint64_t now_ns);

#endif /* XENSCHED_MODEL_MATRIX_H */
