/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place-cost.h - averages the cost of a domain's work at one place, window by window, and
 * compares two places.
 *
 * The figure that is judged is pCPU time per unit of work, of the domain and its back
 * ends, plus the time that the domain waited for a pCPU.  A domain that does more at one
 * place than at the other is compared by the cost of each unit.  The variance over windows
 * bounds the difference that chance may explain.
 */
#ifndef XENSCHED_POLICY_PLACE_COST_H
#define XENSCHED_POLICY_PLACE_COST_H

#include "model/work.h"
#include "model/evidence.h"

/* Beyond this number of windows, older ones count less and less. */
#define PLACE_COST_WINDOWS 24U

/* A difference below this part of the cost before the move is ignored. */
#define PLACE_COST_NOISE 0.03

struct place_cost {
    enum work_unit unit; /* of all these windows; a window with another unit restarts */
    bool copied;         /* as unit: most of its pages were copied, not mapped */
    struct evidence cost;    /* ns per unit, waiting included */
    struct evidence waiting; /* s waited per s of running: all windows, of any unit */
    /* Means over the windows of cost. */
    double pcpu_ns;       /* per unit, without waiting */
    double notifications; /* per unit */
    double rate;          /* units per second */
    double apart;         /* share of notifications with back ends elsewhere; -1: unknown */
};

/* @window_ns: the time that @work took; @apart: -1: not known. */
void place_cost_add(struct place_cost *c, const struct work *work, uint64_t window_ns,
                    double apart);

enum place_verdict {
    PLACE_UNKNOWN, /* there are too few windows before the move */
    PLACE_OPEN,    /* chance may explain the difference: go on measuring */
    PLACE_BETTER,
    PLACE_WORSE,
};

enum place_verdict place_cost_compare(const struct place_cost *before,
                                      const struct place_cost *after);

/* Returns whether both have costs in one unit; else only waiting can be compared. */
bool place_cost_comparable(const struct place_cost *before,
                           const struct place_cost *after);
bool place_cost_known(const struct place_cost *before, const struct place_cost *after);

#endif /* XENSCHED_POLICY_PLACE_COST_H */
