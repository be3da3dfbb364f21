/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * validation.h - which rows of a driver domain, of dom0's Linux or of a guest count.
 *
 * A Linux writes its log itself, so a row says what that Linux claims, not what
 * happened.  Only rows about its own work for guests whose back end it is count; the
 * toolstack's entries say which these are.  So all it can falsify is how much it works
 * for its own clients, up to what the ring's protocol allows for each notification that
 * the hypervisor saw of them (docs/internals/decisions.md says what influence is left).
 * dom0 can be trusted, but its Linux gets the first accounting numbers a moment late;
 * until then its rows have domids.
 */
#ifndef XENSCHED_DAEMON_VALIDATION_H
#define XENSCHED_DAEMON_VALIDATION_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/abi.h>

#include "model/matrix.h"

/*
 * Most pages of a request: xen-blkback takes 256 segments, whose descriptors
 * are in one more; and most requests in a ring of the largest size, 16 pages,
 * which is what one notification of a front end can be about.
 */
#define VALIDATION_MAX_PAGES 257
#define VALIDATION_MAX_REQUESTS 512

/* Of a process in one row, which is about 100 ms: 1 TiB. */
#define VALIDATION_MAX_SECTORS (1ULL << 31)

struct validation {
    uint16_t own; /* the domain's accounting domain */
    unsigned int nr;
    uint16_t *clients; /* [nr]: accounting domains of those it serves, or if it
                        * is a guest, of those that serve it */
};

void validation_init(struct validation *validation, uint16_t own);
void validation_add_client(struct validation *validation, uint16_t acct);
void validation_clear(struct validation *validation);

/*
 * The largest counter of a row of this event between these two that is
 * believed, or -1: no such row is.  For struct tally_validation; @validation is
 * a const struct validation.
 */
int64_t validation_most(const void *validation, uint16_t event, uint16_t current,
                        uint16_t correspondent);

/*
 * Is this row of a guest's log valid?  Of a guest @validation has the back ends as its
 * clients: it may say which process of its own asks which of these for how much,
 * and how a process is called.
 */
bool validation_believes_process(const struct validation *validation,
                                 const struct xensched_row *row);

/* Is @acct one of the clients?  For processes_keep(). */
bool validation_has_client(const void *validation, uint16_t acct);

/*
 * The rates that @matrix has of its word, held against the notifications of its
 * clients, which it cannot send in their name.  Returns how many were more.
 */
unsigned int validation_cap(const struct validation *validation, struct matrix *matrix,
                            uint64_t now_ns);

#endif /* XENSCHED_DAEMON_VALIDATION_H */
