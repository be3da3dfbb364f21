/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reaction.h - conditions that are waited for: which rows and which figures
 * meet them, how often that may be told, and how often it was.
 *
 * Nothing here acts, asks Xen, or knows whose condition it is: the function that
 * came with it is called when it is met.
 */
#ifndef XENSCHED_REACTION_REACTION_H
#define XENSCHED_REACTION_REACTION_H

#include <xensched/reader.h>

#include "condition.h"
#include "pending.h"

/*
 * So often a reaction without end is told if each time leaves a file of its own: a
 * guest may meet its condition at will.
 */
#define REACTION_MOST_FILES 100U

struct reaction_limits {
    unsigned int times; /* so often it may be told; 0: without end */
    uint64_t gap_ns;    /* the shortest time between two reactions, in ns */
};

struct reaction {
    unsigned int id;
    struct condition condition;
    struct reaction_limits limits;
    void *owner;        /* the caller's own */

    /* The domain that it is about, as the caller knows; false: none. */
    bool known;
    uint32_t domid;
    uint16_t acct, other;
    uint32_t slot;      /* of switch-to and switch-from; see reaction_code() */

    bool busy;          /* what comes of the last time is still under way */
    uint64_t fired;     /* times that were told */
    uint64_t held_back; /* and times that were not, for the limits' sake */
    uint64_t last_ns;   /* when it was told last */
    double former;      /* of loss and regret: the figure before */
    uint64_t above_ns;  /* since when a figure is above the limit; 0: it is not */
    double value;       /* that met it last */
    uint64_t row_time;  /* of the row that did: TSC >> row_shift, or the lower */
    int row_shift;      /* 32 bits of that; negative: there is none */
};

struct reactions {
    unsigned int nr, next_id;
    struct reaction **reaction;
    uint32_t events; /* which any of them needs: mask */
    uint64_t khz;    /* of the TSC in rows; 0: not known, nor how long requests take */
    struct pending pending; /* of request-latency */
    int pending_shift;      /* of the times in there */
    bool (*met)(void *arg, struct reaction *r);
    void *arg;
};

/*
 * @met is called when one is met, from within the functions below, and must not
 * add or remove any.  It returns false if that is not to count.
 */
void reactions_init(struct reactions *list,
                    bool (*met)(void *arg, struct reaction *r), void *arg);
void reactions_free(struct reactions *list);

/* Valid until it is removed. */
struct reaction *reactions_add(struct reactions *list,
                               const struct condition *condition,
                               const struct reaction_limits *limits,
                               void *owner);
void reactions_remove(struct reactions *list, struct reaction *r);

/* Does the action, up to a ';', leave another file each time? */
bool reaction_leaves_files(const char *action);

/* Has it been told as often as it may? */
bool reaction_is_over(const struct reaction *r);

/* Rows which may be of @events (mask). */
void reactions_take(struct reactions *list, const struct xensched_batch *batch,
                    uint32_t events, uint64_t now_ns);

/* All logs have been read: what that says of requests. */
void reactions_settle(struct reactions *list, uint64_t now_ns);

/*
 * A figure, as it is now: of wait, service and rate it is compared with the limit,
 * of loss and regret with what it was before.
 */
void reaction_compare(struct reactions *list, struct reaction *r, double value,
                      uint64_t now_ns);

/*
 * The code of a mark that meets it, in the bits of *mask.  False: it does not
 * wait for a mark.
 */
bool reaction_code(const struct reaction *r, uint32_t *code, uint32_t *mask);

#endif /* XENSCHED_REACTION_REACTION_H */
