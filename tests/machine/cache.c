/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Simulates one cache.  A set is an array in the order of use, so most hits are at its
 * beginning.
 */
#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "description.h"

bool cache_init(struct cache *cache, unsigned int kib, unsigned int ways)
{
    cache->ways = ways;
    cache->sets = kib * 1024 / LINE_BYTES / ways;
    cache->lines = malloc(sizeof(*cache->lines) * cache->sets * ways);
    if (!cache->lines)
        return false;
    cache_empty(cache);

    return true;
}

void cache_free(struct cache *cache)
{
    free(cache->lines);
}

void cache_empty(struct cache *cache)
{
    for (size_t i = 0; i < (size_t)cache->sets * cache->ways; i++)
        cache->lines[i] = NO_LINE;
}

static uint64_t *set_of(const struct cache *cache, uint64_t line)
{
    return cache->lines + line % cache->sets * cache->ways;
}

/* The place of @line in its set, or the number of ways. */
static unsigned int find(const struct cache *cache, const uint64_t *set,
                         uint64_t line)
{
    unsigned int way = 0;

    while (way < cache->ways && set[way] != line)
        way++;

    return way;
}

static void put_first(uint64_t *set, unsigned int way, uint64_t line)
{
    memmove(set + 1, set, way * sizeof(*set));
    set[0] = line;
}

bool cache_use(struct cache *cache, uint64_t line)
{
    uint64_t *set = set_of(cache, line);
    unsigned int way;

    if (set[0] == line)
        return true;
    way = find(cache, set, line);
    if (way == cache->ways)
        return false;
    put_first(set, way, line);

    return true;
}

uint64_t cache_take(struct cache *cache, uint64_t line)
{
    uint64_t *set = set_of(cache, line);
    uint64_t leaves = set[cache->ways - 1];

    put_first(set, cache->ways - 1, line);

    return leaves;
}

void cache_drop(struct cache *cache, uint64_t line)
{
    uint64_t *set = set_of(cache, line);
    unsigned int way = find(cache, set, line);

    if (way == cache->ways)
        return;
    memmove(set + way, set + way + 1,
            (cache->ways - 1 - way) * sizeof(*set));
    set[cache->ways - 1] = NO_LINE;
}
