/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mark-times.h - keeps when each accounting domain made its latest marks, so that a question
 * can be about the time since then.
 *
 * A guest may make any marks, as many as it likes: of each domain, MARK_TIMES_CODES codes
 * are kept, those that were used last.
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

/* Is one of @events (mask) a mark? */
bool mark_times_takes(uint32_t events);

void mark_times_add_batch(struct mark_times *m, const struct xensched_batch *batch,
                          uint64_t now_ns);

/* When @acct made the latest mark with @code; 0: it made none, or others since. */
uint64_t mark_times_latest(const struct mark_times *m, uint16_t acct, uint32_t code);

/* It will stand for another domain. */
void mark_times_forget(struct mark_times *m, uint16_t acct);

#endif /* XENSCHED_MODEL_MARK_TIMES_H */
