/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One cache: which lines it has.  Set-associative, the least recently used one
 * leaves.  It knows nothing of other caches.
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

/* Empty.  False: no memory.  Freed by cache_free(). */
bool cache_init(struct cache *cache, unsigned int kib, unsigned int ways);
void cache_free(struct cache *cache);
void cache_empty(struct cache *cache);

/* Is it there?  If so it is now the most recently used one. */
bool cache_use(struct cache *cache, uint64_t line);

/* Takes in a line that is not there.  The one which leaves for it, or NO_LINE. */
uint64_t cache_take(struct cache *cache, uint64_t line);

/* If it is there, it no longer is. */
void cache_drop(struct cache *cache, uint64_t line);

#endif /* CACHE_H */
