/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spread.h - what policies have in common that send guests away from a place
 * where there is too much of something: the guest with least to lose goes, one
 * at a time, and then it is waited for what comes of it: what is measured over
 * a while is still much just after a guest left.
 *
 * A guest that communicates at its place enough to stay there for another policy
 * (half of min_rate) has too much to lose: two policies with opposite aims would
 * move it back and forth.
 */
#ifndef XENSCHED_POLICY_SPREAD_H
#define XENSCHED_POLICY_SPREAD_H

#include "policy.h"

/* From one move to the next. */
#define SPREAD_PAUSE_NS 5000000000ULL

#define SPREAD_NOBODY (~0U)

/* A guest that was moved, and from where. */
struct spread_moved {
    uint32_t domid;
    uint64_t since_ns; /* of the domain */
    unsigned int from, to;
};

/* What is remembered from run to run.  All 0 at first. */
struct spread {
    unsigned int nr_places;
    struct spread_moved chosen;    /* in the latest run */
    bool has_chosen;
    uint64_t moved_ns;             /* when one was seen to have gone */
    unsigned int nr;
    struct spread_moved *moved;
};

/* One run; places are those of the topology, or its caches. */
struct spread_run {
    struct spread *spread;
    const struct policy_input *input;
    bool caches;
    double min_rate;
    unsigned int *at; /* [domain]: the place where it runs, or UNKNOWN */
    double *near;     /* [domain]: what it talks with those at its place */
};

/* What differs; @policy is the policy's own. */
struct spread_rules {
    /* It would be of use that domain @i leaves its place. */
    bool (*may_go)(const void *policy, unsigned int i);
    /* It is not too much for @place. */
    bool (*fits)(const void *policy, unsigned int i, unsigned int place);
    /* The place with most of it is best for domain @i. */
    double (*spare)(const void *policy, unsigned int i, unsigned int place);
    /* Of guests with equally little to lose, the one with most of it goes. */
    double (*weight)(const void *policy, unsigned int i);
};

void spread_free(struct spread *spread);

/* @caches: over the parts of places which have an LLC each; see topology.h. */
void spread_begin(struct spread_run *run, struct spread *spread,
                  const struct policy_input *input, bool caches,
                  double min_rate);
void spread_end(struct spread_run *run);

/* Which guest is to go now, and to where; or SPREAD_NOBODY. */
unsigned int spread_choose(const struct spread_run *run,
                           const struct spread_rules *rules,
                           const void *policy, unsigned int *to);

/* How domain @i was moved; NULL: it wasn't. */
const struct spread_moved *spread_how(const struct spread_run *run,
                                      unsigned int i);

#endif /* XENSCHED_POLICY_SPREAD_H */
