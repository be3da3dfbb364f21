/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gangs.h - which guests belong together, by what they talk with each other.
 *
 * Gangs are communities of the graph whose edges are the pairs' interactions
 * per second, found by greedy agglomeration: begin with each guest alone, and
 * again and again merge the two that raise the modularity most, until none
 * does (M. E. J. Newman, Fast algorithm for detecting community structure in
 * networks, Phys. Rev. E 69, 066133, 2004; A. Clauset, M. E. J. Newman, C.
 * Moore, Finding community structure in very large networks, Phys. Rev. E 70,
 * 066111, 2004).  Two are not merged when together they need more cores than
 * any place has: contention breaks locality.
 */
#ifndef XENSCHED_POLICY_GANGS_H
#define XENSCHED_POLICY_GANGS_H

#include "room.h"

struct gang_edge {
    unsigned int a, b; /* gangs */
    double rate;
};

struct gangs {
    unsigned int nr;        /* domains */
    unsigned int *of;       /* [domain]: a gang is called like a member */
    struct demand *demand;  /* [domain], then [gang] */
    unsigned int *capacity; /* [domain]: the most cores of a place for it */
    unsigned int nr_edges;
    struct gang_edge *edges; /* between gangs */
    double *degree;          /* [gang]: sum of its rates */
};

/* Each domain by itself; @most_edges: room for so many edges. */
void gangs_init(struct gangs *g, unsigned int nr, unsigned int most_edges);
void gangs_free(struct gangs *g);

/* Domains @a and @b talk to each other. */
void gangs_add_edge(struct gangs *g, unsigned int a, unsigned int b,
                    double rate);

/* Finds which guests belong together, when all is known.  Uses the edges up. */
void gangs_find(struct gangs *g);

#endif /* XENSCHED_POLICY_GANGS_H */
