/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * talk.h - sums up how much domains communicate with each other, over events and
 * directions.
 *
 * Interactions are notifications sent and pages mapped, copied or passed on a
 * ring, each counted as one; grant-unmap undoes what grant-map counted, and
 * evtchn-recv is evtchn-send seen from the other side.  Pages on a ring that
 * were also mapped are counted once: the larger of ring-pages and grant-map from one
 * domain to another counts.  Accounting domain REST (all domains without a number) is a
 * partner, XEN is not.
 *
 * The pairs of a device model count as pairs of its guest.
 */
#ifndef XENSCHED_POLICY_TALK_H
#define XENSCHED_POLICY_TALK_H

#include "policy.h"

/* Two domains, by their numbers in input->domains; a < b. */
struct talk_pair {
    unsigned int a, b;
    double rate;  /* interactions per second, both directions */
    double pages; /* of these: not notifications */
    double copied; /* of the pages: not mapped or on a ring */
};

/*
 * Returns all pairs that communicate, the busiest first; the caller frees them.  @total gets the
 * sum for each domain.
 */
struct talk_pair *talk_pairs(const struct policy_input *input, unsigned int *nr,
                             double *total);

#endif /* XENSCHED_POLICY_TALK_H */
