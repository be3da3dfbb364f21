/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mark-times.h - keeps when each accounting domain made its latest marks, so that a query can ask
 * for the time since then.
 *
 * A guest may make any number of marks.  For each domain the MARK_TIMES_CODES codes that were used
 * last are kept.
 */
#ifndef XENSCHED_MODEL_MARK_TIMES_H
#define XENSCHED_MODEL_MARK_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/reader.h>

#define MARK_TIMES_CODES 16U

struct mark_times;

struct mark_times *mark_times_new(void);
void mark_times_free(struct mark_times *m);

/* Does one of @events (mask) make marks? */
bool mark_times_takes(uint32_t events);

void mark_times_add_batch(struct mark_times *m, const struct xensched_batch *batch,
                          uint64_t now_ns);

/* When @acct made the latest mark with @code; 0: it made none, or its code is no longer kept. */
uint64_t mark_times_latest(const struct mark_times *m, uint16_t acct, uint32_t code);

/* Forgets @acct, because the number will mean another domain. */
void mark_times_forget(struct mark_times *m, uint16_t acct);

#endif /* XENSCHED_MODEL_MARK_TIMES_H */
