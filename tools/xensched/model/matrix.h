/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * matrix.h - who has to do with whom, and who used how much: the model which
 * policies decide on.
 *
 * For each event of kind "access" there is a number for each pair (current
 * accounting domain, correspondent) which ever met, for each event of kind
 * "exit" one for each current accounting domain.  Events of other kinds are
 * not in the matrix.
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

#include <stddef.h>
#include <stdint.h>

#include <xensched/reader.h>

struct matrix;

struct matrix *matrix_new(uint64_t half_life_ns);
void matrix_free(struct matrix *m);

/* Add all rows of @batch as of @now_ns. */
void matrix_add_batch(struct matrix *m, const struct xensched_batch *batch,
                      uint64_t now_ns);
/* Add one row.  A row without event, or without who, is not counted. */
void matrix_add(struct matrix *m, const struct xensched_row *row,
                uint64_t now_ns);

/*
 * Rate of @event (kind access) between two accounting domains, in this
 * direction.  0 when they never met.
 */
double matrix_rate(const struct matrix *m, unsigned int event,
                   uint16_t current, uint16_t correspondent, uint64_t now_ns);

/* Rate of @event (kind exit) of an accounting domain. */
double matrix_use(const struct matrix *m, unsigned int event,
                  uint16_t current, uint64_t now_ns);

/* pCPUs which the accounting domain keeps busy: 1.0 is one of them. */
double matrix_service(const struct matrix *m, uint16_t current,
                      uint64_t now_ns);

/* One number, for those who want all of them. */
struct matrix_entry {
    unsigned int event;
    uint16_t current;
    uint16_t correspondent; /* XEN_SCHEDLOG_ACCT_NONE for kind exit */
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

/* How many numbers there are. */
size_t matrix_size(const struct matrix *m);

/* Forget an accounting domain: its number will stand for somebody else. */
void matrix_forget(struct matrix *m, uint16_t acct);

/* Forget what nothing was added to for @idle_ns. */
void matrix_expire(struct matrix *m, uint64_t idle_ns, uint64_t now_ns);

#endif /* XENSCHED_MODEL_MATRIX_H */
