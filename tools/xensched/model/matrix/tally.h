/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tally.h - adds up the rows of a batch that have the same event and domains.
 *
 * On a host with disk I/O most of the daemon's work is per row, but most rows of a batch repeat
 * each other.  Adding them up first takes about ten instructions per row, instead of two hundred.
 */
#ifndef XENSCHED_MODEL_TALLY_H
#define XENSCHED_MODEL_TALLY_H

#include <stdbool.h>

#include <xensched/reader.h>

/*
 * For rows of an untrusted producer: returns the largest counter that a row of this event between
 * these two may have, or -1 if there can be no such row.  Called once per sum.
 */
struct tally_validation {
    int64_t (*most)(const void *arg, uint16_t event, uint16_t current,
                    uint16_t correspondent);
    const void *arg;
    uint64_t refused; /* the number of refused rows is added to this */
};

/*
 * The correspondent of the events in @alone (mask) is ignored: it is the domain to which a pCPU was
 * left, which varies.  Their rows are added up as if they had none.
 *
 * Calls @take with rows whose counters have the same sums as the rows of @batch: usually one row,
 * sometimes two, for all rows with the same event, current and correspondent.  Returns false, and
 * does nothing, if the rows lack one of these entries.  @validation NULL: all rows are valid.
 */
bool tally_batch(const struct xensched_batch *batch, uint32_t alone,
                 struct tally_validation *validation,
                 void (*take)(void *arg, const struct xensched_row *row),
                 void *arg);

#endif /* XENSCHED_MODEL_TALLY_H */
