/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * validation.h - rejects rows that a driver domain, dom0's Linux or a guest may not write.
 *
 * A Linux writes its log itself, so its rows are claims.  Only rows about its own work for guests
 * whose back end it is are valid; the toolstack's entries name these guests.  So a Linux can only
 * forge the amount of its work for its own clients, up to what the ring's protocol allows for each
 * of their notifications that the hypervisor logs (docs/internals/decisions.md describes the
 * influence that remains).  dom0 is trusted, but its Linux receives the first accounting numbers a
 * moment late; until then its rows have domids.
 */
#ifndef XENSCHED_DAEMON_VALIDATION_H
#define XENSCHED_DAEMON_VALIDATION_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/abi.h>

#include "model/matrix/matrix.h"

/*
 * The limit for the pages of a request: xen-blkback accepts 256 segments, whose descriptors are in
 * one more page.  The limit for the requests of one notification of a front end: those of a ring of
 * the largest size, 16 pages.
 */
#define VALIDATION_MAX_PAGES 257
#define VALIDATION_MAX_REQUESTS 512

/* The limit for a process in one row, which covers about 100 ms: 1 TiB. */
#define VALIDATION_MAX_SECTORS (1ULL << 31)

struct validation {
    uint16_t own; /* the domain's accounting domain */
    unsigned int nr;
    uint16_t *clients; /* [nr]: accounting domains of its clients, or, for a guest, of its back
                        * ends */
};

void validation_init(struct validation *validation, uint16_t own);
void validation_add_client(struct validation *validation, uint16_t acct);
void validation_clear(struct validation *validation);

/*
 * The largest valid counter in a row of this event between these two; -1: no such row is valid.
 * For struct tally_validation; @validation is a const struct validation.
 */
int64_t validation_most(const void *validation, uint16_t event, uint16_t current,
                        uint16_t correspondent);

/*
 * Is this row of a guest's log valid?  For a guest, the clients in @validation are its back ends.
 * Its rows may report the requests of its processes to these, and the names of processes.
 */
bool validation_believes_process(const struct validation *validation,
                                 const struct xensched_row *row);

/* Is @acct one of the clients?  For processes_keep(). */
bool validation_has_client(const void *validation, uint16_t acct);

/*
 * Limits the rates in @matrix that the domain has reported by the notifications of its clients,
 * which it cannot forge.  Returns the number of rates that were too high.
 */
unsigned int validation_cap(const struct validation *validation, struct matrix *matrix,
                            uint64_t now_ns);

#endif /* XENSCHED_DAEMON_VALIDATION_H */
