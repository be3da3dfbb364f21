/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sieve.h - what is believed of the rows of a driver domain, of dom0's Linux, or of
 * a guest.
 *
 * It writes its log itself, so what is in there is what it says, not what
 * happened.  It may speak of its own work for those whose back end it is by
 * what the toolstack wrote, and of nothing else: then all that it can
 * falsify is how much it works for its own clients, up to what the ring's
 * protocol allows for each notification that the hypervisor saw of them
 * (docs/internals/decisions.md says what influence is left).  dom0 does not lie, but its
 * Linux hears of the first numbers a moment late; until then a row has domids.
 */
#ifndef XENSCHED_DAEMON_SIEVE_H
#define XENSCHED_DAEMON_SIEVE_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/abi.h>

#include "model/matrix.h"

/*
 * Most pages of a request: xen-blkback takes 256 segments, whose descriptors
 * are in one more; and most requests in a ring of the largest size, 16 pages,
 * which is what one notification of a front end can be about.
 */
#define SIEVE_MAX_PAGES 257
#define SIEVE_MAX_REQUESTS 512

/* Of a process in one row, which is about 100 ms: 1 TiB. */
#define SIEVE_MAX_SECTORS (1ULL << 31)

struct sieve {
    uint16_t own; /* the domain's accounting domain */
    unsigned int nr;
    uint16_t *clients; /* [nr]: accounting domains of those it serves, or if it
                        * is a guest, of those that serve it */
};

void sieve_init(struct sieve *sieve, uint16_t own);
void sieve_add_client(struct sieve *sieve, uint16_t acct);
void sieve_clear(struct sieve *sieve);

/*
 * The largest counter of a row of this event between these two that is
 * believed, or -1: no such row is.  For struct tally_sieve; @sieve is
 * a const struct sieve.
 */
int64_t sieve_most(const void *sieve, uint16_t event, uint16_t current,
                   uint16_t correspondent);

/*
 * Is this row of a guest's log believed?  Of a guest @sieve has the back ends as its
 * clients: it may say which process of its own asks which of these for how much,
 * and how a process is called.
 */
bool sieve_believes_process(const struct sieve *sieve,
                            const struct xensched_row *row);

/* Is @acct one of the clients?  For processes_keep(). */
bool sieve_has_client(const void *sieve, uint16_t acct);

/*
 * The rates that @matrix has of its word, held against the notifications of its
 * clients, which it cannot send in their name.  Returns how many were more.
 */
unsigned int sieve_cap(const struct sieve *sieve, struct matrix *matrix,
                       uint64_t now_ns);

#endif /* XENSCHED_DAEMON_SIEVE_H */
