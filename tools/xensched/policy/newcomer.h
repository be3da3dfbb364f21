/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * newcomer.h - where a guest should be that is not there yet, so that its
 * memory can be allocated there: near the domains with which it communicated most
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

/* Judges by its history, and by the domains that will serve its disks. */
#define NEWCOMER_WAYS 2U

/*
 * To be asked after plan_make() has made a plan for these very domains.  Returns the one
 * of @decisions that is a MOVE; its policy is "history" or "back-ends".  NULL: the
 * reasons of all of them say why not.
 */
const struct decision *newcomer_place(struct guard *guard,
                                      const struct policy_settings *settings,
                                      const struct policy_input *input,
                                      const struct newcomer *newcomer,
                                      struct decision decisions[NEWCOMER_WAYS]);

#endif /* XENSCHED_POLICY_NEWCOMER_H */
