/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pages.h - on which NUMA nodes the memory of a domain is.
 *
 * Counting takes a while, and pages come and go meanwhile (ballooning), so
 * this is how it was when the count began; policies may look how long ago that
 * is.  Nothing is guessed: what was never counted is not known.
 */
#ifndef XENSCHED_MODEL_PAGES_H
#define XENSCHED_MODEL_PAGES_H

#include <stdbool.h>
#include <stdint.h>

struct pages {
    bool known;
    uint64_t at_ns;        /* when the count began */
    unsigned int nr_nodes;
    uint64_t *on;          /* [node] pages of 4 KiB; NULL: not known */
};

/* @on has @nr_nodes numbers, and is copied. */
void pages_set(struct pages *p, const uint64_t *on, unsigned int nr_nodes,
               uint64_t at_ns);
/* @p is not initialised. */
void pages_init_copy(struct pages *p, const struct pages *from);
void pages_free(struct pages *p);

/* All of them; 0: none, or not known. */
uint64_t pages_total(const struct pages *p);

/* The part of them on @node, 0 ... 1; -1: not known, or it has none. */
double pages_share(const struct pages *p, unsigned int node);

#endif /* XENSCHED_MODEL_PAGES_H */
