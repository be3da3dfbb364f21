/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * waiting.h - how many wait for a pCPU, and how long: means of what the events
 * runq and wake-delay say, which are no amounts and so not in the matrix.
 *
 * A mean forgets as the matrix does, with a half-life.  What nothing was said
 * of for ten half-lives isn't known any more.
 */
#ifndef XENSCHED_MODEL_WAITING_H
#define XENSCHED_MODEL_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/reader.h>

struct waiting;

struct waiting *waiting_new(uint64_t half_life_ns);
void waiting_free(struct waiting *waiting);

/* Is one of @events (mask) about waiting? */
bool waiting_takes(uint32_t events);

void waiting_add_batch(struct waiting *waiting, const struct xensched_batch *batch,
                    uint64_t now_ns);
void waiting_add(struct waiting *waiting, const struct xensched_row *row,
              uint64_t now_ns);

/* Each of these is negative when it isn't known. */

/* Runnable units in the run queue of @cpu, running ones included. */
double waiting_queue(const struct waiting *waiting, unsigned int cpu, uint64_t now_ns);

/* Seconds from the wake-up of a vCPU until it runs: of those on @cpu, ... */
double waiting_delay_on(const struct waiting *waiting, unsigned int cpu,
                     uint64_t now_ns);
/* ... and of those of an accounting domain. */
double waiting_delay_of(const struct waiting *waiting, uint16_t acct, uint64_t now_ns);

/* From now on the number stands for another accounting domain. */
void waiting_forget(struct waiting *waiting, uint16_t acct);

#endif /* XENSCHED_MODEL_WAITING_H */
