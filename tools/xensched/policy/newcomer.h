/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * newcomer.h - where a guest should be that is not there yet, so that its
 * memory can be allocated there: near the domains with which it had most to do
 * when it last ran, by the price of being apart; if nothing is known of that, or it
 * cannot be there, near the domains that are to serve its disks.
 *
 * Opinions, as policies have them.  Whether it can be there - cores, room, its
 * cpupool, rules - is the guard's to say, and nothing here.
 */
#ifndef XENSCHED_POLICY_NEWCOMER_H
#define XENSCHED_POLICY_NEWCOMER_H

#include "guard.h"

/* A domain with which it had to do, per second. */
struct acquaintance {
    unsigned int domain; /* the number in input->domains */
    double notifications, pages;
};

struct newcomer {
    struct arrival arrival;
    bool ran;    /* it is known with which domains it had to do then */
    unsigned int nr_known;
    const struct acquaintance *known; /* those of them that are there */
    unsigned int nr_disks;
    const unsigned int *disks; /* [disk]: the domain that is to serve it, as above */
};

/*
 * To be asked after plan_make() has made a plan for these very domains.  True: the
 * decision is a MOVE, and decision->policy is "history" or "back-ends".
 * False: its reason says why not.
 */
bool newcomer_place(struct guard *guard,
                    const struct policy_settings *settings,
                    const struct policy_input *input,
                    const struct newcomer *newcomer,
                    struct decision *decision);

#endif /* XENSCHED_POLICY_NEWCOMER_H */
