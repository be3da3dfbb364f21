/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpumap.h - a set of pCPU ids.
 *
 * A map is made for the pCPU ids below a number, and operations on two maps require the same
 * number.  A struct cpumap of zeros is the empty map for no pCPU.
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

/* Makes an empty map.  The caller frees it with cpumap_free(). */
void cpumap_init(struct cpumap *map, unsigned int nr_cpus);
void cpumap_free(struct cpumap *map);

/* Makes @map, which is not initialised, a copy of @from. */
void cpumap_init_copy(struct cpumap *map, const struct cpumap *from);

/* Ids out of range are not in the map; setting them does nothing. */
void cpumap_set(struct cpumap *map, unsigned int cpu);
bool cpumap_test(const struct cpumap *map, unsigned int cpu);
void cpumap_fill(struct cpumap *map);

void cpumap_copy(struct cpumap *to, const struct cpumap *from);
void cpumap_and(struct cpumap *map, const struct cpumap *other);

bool cpumap_equal(const struct cpumap *a, const struct cpumap *b);
bool cpumap_empty(const struct cpumap *map);
unsigned int cpumap_count(const struct cpumap *map);
/* Returns whether @whole contains all of @part. */
bool cpumap_subset(const struct cpumap *part, const struct cpumap *whole);

/*
 * Writes text: "0-3,8", or "" for an empty map, always terminated.  Returns false if it does not
 * fit.  CPUMAP_TEXT bytes are enough for 1,000 pCPUs of which every second is in the map.
 */
#define CPUMAP_TEXT 2048
bool cpumap_format(const struct cpumap *map, char *text, size_t size);

/* Parses such a text; returns false if it is invalid, or an id is out of range. */
bool cpumap_parse(struct cpumap *map, const char *text);

#endif /* XENSCHED_BASE_CPUMAP_H */
