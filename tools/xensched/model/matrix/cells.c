/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Uses open addressing with linear probing; the table is at most half full.  There are no
 * tombstones: removing cells makes a new table of the remaining ones.
 */
#include <stdlib.h>

#include "cells.h"
#include "base/alloc.h"

#define MIN_SLOTS 64

static void make_slots(struct cells *cells, size_t nr_slots)
{
    size_t i;

    cells->slots = need_memory(nr_slots, sizeof(*cells->slots));
    cells->nr_slots = nr_slots;
    cells->used = 0;
    for (i = 0; i < nr_slots; i++)
        cells->slots[i].key = CELLS_NO_KEY;
}

void cells_init(struct cells *cells)
{
    make_slots(cells, MIN_SLOTS);
}

void cells_free(struct cells *cells)
{
    free(cells->slots);
    cells->slots = NULL;
    cells->nr_slots = cells->used = 0;
}

/* Returns the slot of @key, or the free slot where it would be. */
static struct cell *slot_of(const struct cells *cells, uint64_t key)
{
    size_t mask = cells->nr_slots - 1;
    /* Fibonacci hashing: the high bits depend on all bits of the key. */
    size_t i = (key * 0x9e3779b97f4a7c15ULL) >> 32 & mask;

    while (cells->slots[i].key != key && cells->slots[i].key != CELLS_NO_KEY)
        i = (i + 1) & mask;

    return &cells->slots[i];
}

struct cell *cells_find(const struct cells *cells, uint64_t key)
{
    struct cell *slot = slot_of(cells, key);

    return slot->key == key ? slot : NULL;
}

static bool keep_all(const struct cell *cell, void *arg)
{
    (void)cell;
    (void)arg;

    return false;
}

static void rebuild_slots(struct cells *cells, size_t nr_slots,
                          bool (*remove)(const struct cell *cell, void *arg),
                          void *arg)
{
    struct cells old = *cells;
    struct cell *cell;
    size_t i = 0;

    make_slots(cells, nr_slots);
    while ((cell = cells_next(&old, &i))) {
        if (remove(cell, arg))
            continue;
        *slot_of(cells, cell->key) = *cell;
        cells->used++;
    }
    free(old.slots);
}

struct cell *cells_get(struct cells *cells, uint64_t key)
{
    struct cell *slot = slot_of(cells, key);

    if (slot->key == key)
        return slot;
    if (2 * (cells->used + 1) > cells->nr_slots) {
        rebuild_slots(cells, 2 * cells->nr_slots, keep_all, NULL);
        slot = slot_of(cells, key);
    }
    slot->key = key;
    cells->used++;

    return slot;
}

struct cell *cells_next(const struct cells *cells, size_t *i)
{
    while (*i < cells->nr_slots) {
        struct cell *slot = &cells->slots[(*i)++];

        if (slot->key != CELLS_NO_KEY)
            return slot;
    }

    return NULL;
}

void cells_remove(struct cells *cells,
                  bool (*remove)(const struct cell *cell, void *arg),
                  void *arg)
{
    struct cell *cell;
    size_t i = 0, stay = 0, nr_slots = MIN_SLOTS;

    while ((cell = cells_next(cells, &i)))
        stay += !remove(cell, arg);
    if (stay == cells->used)
        return;
    while (nr_slots < 2 * stay)
        nr_slots *= 2;
    rebuild_slots(cells, nr_slots, remove, arg);
}
