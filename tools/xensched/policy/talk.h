/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * talk.h - how much domains have to do with each other, summed over events and
 * directions.
 *
 * Interactions are notifications sent and pages mapped, copied or passed on a
 * ring, each counted as one; grant-unmap undoes what grant-map counted, and
 * evtchn-recv is evtchn-send seen from the other side.  Pages on a ring which
 * were also mapped are counted once: of ring-pages and grant-map from one
 * domain to another the larger counts.  Accounting domain
 * XEN is no partner; REST (domains without a number of their own) is.
 *
 * Domains of a group share an accounting domain, so what they talk is all of
 * theirs, and not told apart.  One of them stands in for the group.
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
 * For each of input->domains the one which stands in for its group in pairs:
 * an open one if there is one, rather one that was moved.  A domain without
 * group stands in for itself.  To be freed.
 */
unsigned int *talk_stand_ins(const struct policy_input *input);

/*
 * All pairs which talk, the busiest first; the caller frees them.
 * @total gets what each domain talks in total, for all of its group if it
 * stands in for that, and 0 if another one does.
 */
struct talk_pair *talk_pairs(const struct policy_input *input, unsigned int *nr,
                             double *total);

#endif /* XENSCHED_POLICY_TALK_H */
