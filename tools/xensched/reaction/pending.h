/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pending.h - measures how long requests of a guest took, in rows of evtchn-send: from the guest's
 * first notification of a back end to the back end's next notification of the guest.
 *
 * The two rows are in logs of different pCPUs, which are read one after the other.  A round reads
 * all logs, so no later round has a row that precedes one of this round: rows are matched in the
 * order of their times, one round later.
 */
#ifndef XENSCHED_REACTION_PENDING_H
#define XENSCHED_REACTION_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A notification; times are the lower 32 bits of a clock, which may wrap. */
struct pending_row {
    uint32_t time;
    uint16_t from, to; /* accounting domains */
};

/* A request that is not answered yet. */
struct pending_request {
    uint16_t front, back;
    uint32_t since;
};

struct pending {
    struct pending_row *row;
    size_t nr_rows, row_room;
    struct pending_request *request;
    size_t nr_requests, request_room;
    bool has_until;
    uint32_t until; /* the latest time of rows of the former round */
};

void pending_free(struct pending *p);

/* Adds a row of this round, in any order. */
void pending_add(struct pending *p, const struct pending_row *row);

/* Rows are missing: forgets requests that they may have been about. */
void pending_forget(struct pending *p);

/*
 * Ends the round.  Calls @answered for each request whose answer is known now: with the time of the
 * answer, and the request's duration, in units of the clock.
 */
void pending_settle(struct pending *p,
                    void (*answered)(void *arg, const struct pending_request *request,
                                     uint32_t time, uint32_t took),
                    void *arg);

#endif /* XENSCHED_REACTION_PENDING_H */
