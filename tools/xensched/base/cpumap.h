/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpumap.h - a set of pCPU ids.
 *
 * A map is made for the pCPU ids below some number, and operations on two maps
 * need both to be made for the same number.  A struct cpumap of zeros is the
 * empty map for no pCPU.
 */
#ifndef XENSCHED_BASE_CPUMAP_H
#define XENSCHED_BASE_CPUMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpumap {
    unsigned int nr_cpus;
    uint64_t *words;
};

/* An empty map.  To be freed with cpumap_free(). */
void cpumap_init(struct cpumap *map, unsigned int nr_cpus);
void cpumap_free(struct cpumap *map);

/* @map, which is not yet initialised, becomes the same as @from. */
void cpumap_init_copy(struct cpumap *map, const struct cpumap *from);

/* Ids which are out of range are not in the map; setting them does nothing. */
void cpumap_set(struct cpumap *map, unsigned int cpu);
bool cpumap_test(const struct cpumap *map, unsigned int cpu);
void cpumap_fill(struct cpumap *map);

void cpumap_copy(struct cpumap *to, const struct cpumap *from);
void cpumap_and(struct cpumap *map, const struct cpumap *other);

bool cpumap_equal(const struct cpumap *a, const struct cpumap *b);
bool cpumap_empty(const struct cpumap *map);
unsigned int cpumap_count(const struct cpumap *map);
/* Is everything that is in @part in @whole, too? */
bool cpumap_subset(const struct cpumap *part, const struct cpumap *whole);

/*
 * As text: "0-3,8", or "" when empty, always terminated.  Returns false when
 * it doesn't fit.  A text for CPUMAP_TEXT bytes fits for up to 1,000 pCPUs of
 * which every second is in the map.
 */
#define CPUMAP_TEXT 2048
bool cpumap_format(const struct cpumap *map, char *text, size_t size);

/* The other way round.  False: not understood, or an id out of range. */
bool cpumap_parse(struct cpumap *map, const char *text);

#endif /* XENSCHED_BASE_CPUMAP_H */
