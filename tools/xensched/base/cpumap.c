/* SPDX-License-Identifier: GPL-2.0-only */
/* Implements sets of pCPU numbers, and their text. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpumap.h"
#include "alloc.h"

#define BITS 64U

static size_t nr_words(const struct cpumap *map)
{
    return (map->nr_cpus + BITS - 1) / BITS;
}

void cpumap_init(struct cpumap *map, unsigned int nr_cpus)
{
    map->nr_cpus = nr_cpus;
    map->words = need_memory(nr_words(map), sizeof(*map->words));
}

void cpumap_free(struct cpumap *map)
{
    free(map->words);
    memset(map, 0, sizeof(*map));
}

void cpumap_init_copy(struct cpumap *map, const struct cpumap *from)
{
    cpumap_init(map, from->nr_cpus);
    cpumap_copy(map, from);
}

void cpumap_set(struct cpumap *map, unsigned int cpu)
{
    if (cpu < map->nr_cpus)
        map->words[cpu / BITS] |= 1ULL << cpu % BITS;
}

bool cpumap_test(const struct cpumap *map, unsigned int cpu)
{
    return cpu < map->nr_cpus &&
           (map->words[cpu / BITS] & 1ULL << cpu % BITS);
}

void cpumap_fill(struct cpumap *map)
{
    unsigned int cpu;

    for (cpu = 0; cpu < map->nr_cpus; cpu++)
        cpumap_set(map, cpu);
}

void cpumap_copy(struct cpumap *to, const struct cpumap *from)
{
    if (nr_words(from))
        memcpy(to->words, from->words, nr_words(from) * sizeof(*to->words));
}

void cpumap_and(struct cpumap *map, const struct cpumap *other)
{
    size_t i;

    for (i = 0; i < nr_words(map); i++)
        map->words[i] &= other->words[i];
}

bool cpumap_equal(const struct cpumap *a, const struct cpumap *b)
{
    return cpumap_subset(a, b) && cpumap_subset(b, a);
}

bool cpumap_empty(const struct cpumap *map)
{
    return !cpumap_count(map);
}

unsigned int cpumap_count(const struct cpumap *map)
{
    unsigned int count = 0;
    size_t i;

    for (i = 0; i < nr_words(map); i++)
        count += __builtin_popcountll(map->words[i]);

    return count;
}

bool cpumap_subset(const struct cpumap *part, const struct cpumap *whole)
{
    size_t i;

    for (i = 0; i < nr_words(part); i++)
        if (part->words[i] & ~whole->words[i])
            return false;

    return true;
}

bool cpumap_format(const struct cpumap *map, char *text, size_t size)
{
    unsigned int first, last;
    size_t end = 0;

    *text = '\0';
    for (first = 0; first < map->nr_cpus; first = last + 1) {
        last = first;
        if (!cpumap_test(map, first))
            continue;
        while (cpumap_test(map, last + 1))
            last++;
        end += snprintf(text + end, size - end, first == last ? "%s%u"
                                                              : "%s%u-%u",
                        end ? "," : "", first, last);
        if (end >= size)
            return false;
    }

    return true;
}

static bool parse_cpu(const char **text, unsigned int limit,
                      unsigned int *cpu)
{
    unsigned long value;
    char *end;

    if (!isdigit((unsigned char)**text))
        return false;
    value = strtoul(*text, &end, 10);
    if (value >= limit)
        return false;
    *text = end;
    *cpu = value;

    return true;
}

bool cpumap_parse(struct cpumap *map, const char *text)
{
    unsigned int first, last;

    memset(map->words, 0, nr_words(map) * sizeof(*map->words));
    while (*text) {
        if (!parse_cpu(&text, map->nr_cpus, &first))
            return false;
        last = first;
        if (*text == '-') {
            text++;
            if (!parse_cpu(&text, map->nr_cpus, &last) || last < first)
                return false;
        }
        for (; first <= last; first++)
            cpumap_set(map, first);
        if (*text == ',' && text[1])
            text++;
        else if (*text)
            return false;
    }

    return true;
}
