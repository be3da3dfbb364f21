/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tally.h - adds up the rows of a batch that have event and domains in common.
 *
 * Most of the daemon's work on a host with disk I/O is per row, but most rows of a batch
 * repeat each other: one event, two domains, 1.  To add them up first takes some ten
 * instructions per row, in place of two hundred.
 */
#ifndef XENSCHED_MODEL_TALLY_H
#define XENSCHED_MODEL_TALLY_H

#include <stdbool.h>

#include <xensched/reader.h>

/*
 * For rows which are not believed just so: the largest counter that a row of
 * this event between these two may have, or -1: there can be no such row.  It
 * is asked once per sum.
 */
struct tally_validation {
    int64_t (*most)(const void *arg, uint16_t event, uint16_t current,
                    uint16_t correspondent);
    const void *arg;
    uint64_t refused; /* rows which were left out are added to this */
};

/*
 * Of the events in @alone (mask) the correspondent means nothing: the domain that
 * a pCPU was left to is another one each time.  They are added up as if they had none.
 *
 * Calls @take with rows whose counters sum up to those of the rows of @batch:
 * one for all that agree in event, current and correspondent, now and then
 * two.  False, and nothing was done: not all of these are in the rows.
 * @validation: NULL: all rows are valid.
 */
bool tally_batch(const struct xensched_batch *batch, uint32_t alone,
                 struct tally_validation *validation,
                 void (*take)(void *arg, const struct xensched_row *row),
                 void *arg);

#endif /* XENSCHED_MODEL_TALLY_H */
