/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reaction.h - matches rows and figures with the conditions of reactions, limits how often a
 * reaction fires, and counts.
 *
 * It performs no action and calls no Xen: if a condition is met, it calls the owner's function.
 */
#ifndef XENSCHED_REACTION_REACTION_H
#define XENSCHED_REACTION_REACTION_H

#include <xensched/reader.h>

#include "condition.h"
#include "pending.h"

/*
 * The limit for a reaction without end whose action leaves another file each time: a guest may
 * meet its condition at will.
 */
#define REACTION_MOST_FILES 100U

struct reaction_limits {
    unsigned int times; /* how often it may fire; 0: without end */
    uint64_t gap_ns;    /* the shortest time between two reactions, in ns */
};

struct reaction {
    unsigned int id;
    struct condition condition;
    struct reaction_limits limits;
    void *owner;        /* for the caller */

    /* The domain of the condition, set by the caller; false: it does not exist. */
    bool known;
    uint32_t domid;
    uint16_t acct, other;
    uint32_t slot;      /* of switch-to and switch-from; see reaction_code() */

    bool busy;          /* the last action has not ended */
    uint64_t fired;     /* number of times that it fired */
    uint64_t held_back; /* number of times that the limits prevented it */
    uint64_t last_ns;   /* when it fired last */
    double former;      /* for loss and regret: the former figure */
    uint64_t above_ns;  /* since when a figure is above the limit; 0: it is not */
    double value;       /* the value that met the condition last */
    uint64_t row_time;  /* time of its row: TSC >> row_shift, or the lower 32 bits of that */
    int row_shift;      /* negative: no row met it */
};

struct reactions {
    unsigned int nr, next_id;
    struct reaction **reaction;
    uint32_t events; /* mask of events that the reactions need */
    uint64_t khz;    /* of the TSC in rows; 0: unknown, and so are times of requests */
    struct pending pending; /* for request-latency */
    int pending_shift;      /* of the times in pending */
    bool (*met)(void *arg, struct reaction *r);
    void *arg;
};

/*
 * The functions below call @met if a condition is met.  It must not add or remove reactions.  It
 * returns false if this time does not count.
 */
void reactions_init(struct reactions *list,
                    bool (*met)(void *arg, struct reaction *r), void *arg);
void reactions_free(struct reactions *list);

/* The result is valid until reactions_remove(). */
struct reaction *reactions_add(struct reactions *list,
                               const struct condition *condition,
                               const struct reaction_limits *limits,
                               void *owner);
void reactions_remove(struct reactions *list, struct reaction *r);

/* Does the action, which ends at a ';', leave another file each time? */
bool reaction_leaves_files(const char *action);

/* Has it fired as often as it may? */
bool reaction_is_over(const struct reaction *r);

/* Matches rows that may be of @events (mask). */
void reactions_take(struct reactions *list, const struct xensched_batch *batch,
                    uint32_t events, uint64_t now_ns);

/* Ends a round: all logs have been read, so requests can be matched with their answers. */
void reactions_settle(struct reactions *list, uint64_t now_ns);

/*
 * Compares the current figure: for wait, ready, service and rate with the limit, for loss and
 * regret with the former figure.
 */
void reaction_compare(struct reactions *list, struct reaction *r, double value,
                      uint64_t now_ns);

/*
 * Sets *code to the code of a mark that meets the condition, in the bits of *mask.  Returns false
 * if the condition is not about marks.
 */
bool reaction_code(const struct reaction *r, uint32_t *code, uint32_t *mask);

#endif /* XENSCHED_REACTION_REACTION_H */
