/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declares one cache: its set of lines.  It is set-associative and evicts the least
 * recently used line.  It is independent of other caches.
 */
#ifndef CACHE_H
#define CACHE_H

#include <stdbool.h>
#include <stdint.h>

/* No line has this number. */
#define NO_LINE UINT64_MAX

struct cache {
    uint64_t *lines; /* [sets][ways], the most recently used one first */
    unsigned int sets, ways;
};

/* Makes an empty cache.  False: no memory.  The caller frees it by cache_free(). */
bool cache_init(struct cache *cache, unsigned int kib, unsigned int ways);
void cache_free(struct cache *cache);
void cache_empty(struct cache *cache);

/* Returns whether the line is there, and makes it the most recently used one. */
bool cache_use(struct cache *cache, uint64_t line);

/* Inserts a line that is not there.  Returns the evicted line, or NO_LINE. */
uint64_t cache_take(struct cache *cache, uint64_t line);

/* Removes the line, if it is there. */
void cache_drop(struct cache *cache, uint64_t line);

#endif /* CACHE_H */
