/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pages.h - on which NUMA nodes the memory of a domain is.
 *
 * A count takes time, and memory changes meanwhile (ballooning), so this is the state when the
 * count began; policies can check its age.  Nothing is guessed: memory that was never counted is
 * unknown.
 */
#ifndef XENSCHED_MODEL_PAGES_H
#define XENSCHED_MODEL_PAGES_H

#include <stdbool.h>
#include <stdint.h>

struct pages {
    bool known;
    uint64_t at_ns;        /* when the count began */
    unsigned int nr_nodes;
    uint64_t *on;          /* [node]: pages of 4 KiB; NULL: unknown */
};

/* Copies @nr_nodes numbers from @on. */
void pages_set(struct pages *p, const uint64_t *on, unsigned int nr_nodes,
               uint64_t at_ns);
/* @p is not initialised. */
void pages_init_copy(struct pages *p, const struct pages *from);
void pages_free(struct pages *p);

/* The number of all pages; 0: none, or unknown. */
uint64_t pages_total(const struct pages *p);

/* The part of the pages that is on @node, 0 ... 1; -1: unknown, or no pages. */
double pages_share(const struct pages *p, unsigned int node);

#endif /* XENSCHED_MODEL_PAGES_H */
