/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * waiting.h - averages how long a domain's vCPUs wait from a wake-up until they run, by the
 * event wake-delay.  The matrix has sums, and this is a mean.
 *
 * A mean decays with a half-life, as the matrix does.  After ten half-lives without a row, it is
 * unknown.
 */
#ifndef XENSCHED_MODEL_WAITING_H
#define XENSCHED_MODEL_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/reader.h>

struct waiting;

struct waiting *waiting_new(uint64_t half_life_ns);
void waiting_free(struct waiting *waiting);

/* Does this use one of @events (mask)? */
bool waiting_takes(uint32_t events);

void waiting_add_batch(struct waiting *waiting, const struct xensched_batch *batch,
                       uint64_t now_ns);

/* Seconds from the wake-up of an accounting domain's vCPU until it runs; negative: unknown. */
double waiting_delay_of(const struct waiting *waiting, uint16_t acct, uint64_t now_ns);

/* Forgets @acct, because the number will mean another accounting domain. */
void waiting_forget(struct waiting *waiting, uint16_t acct);

#endif /* XENSCHED_MODEL_WAITING_H */
