/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cells.h - the matrix' memory: a hash table from a 64-bit key to a cell.
 *
 * It is our own, and not uthash or the like, because looking up a cell is what
 * the daemon does for each row that is logged.  Cells lie next to each other
 * in one array, found with one multiplication and usually one cache line; a
 * table of separately allocated, linked items costs an allocation per pair and
 * two or three cache misses per row.  It can do only what the matrix needs:
 * find, insert, go through all, and remove many at once.
 */
#ifndef XENSCHED_MODEL_CELLS_H
#define XENSCHED_MODEL_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cell {
    uint64_t key;
    double sum;      /* decayed, as of at_ns */
    uint64_t at_ns;
    uint64_t total;  /* never decayed */
};

struct cells {
    struct cell *slots;
    size_t nr_slots; /* a power of two */
    size_t used;
};

/* Not the key of any cell. */
#define CELLS_NO_KEY UINT64_MAX

void cells_init(struct cells *cells);
void cells_free(struct cells *cells);

/* The cell of @key, or NULL.  Valid until a cell is inserted or removed. */
struct cell *cells_find(const struct cells *cells, uint64_t key);

/* As above, but inserted with all 0 if it isn't there. */
struct cell *cells_get(struct cells *cells, uint64_t key);

/* Call with *i = 0 first; returns NULL after the last cell. */
struct cell *cells_next(const struct cells *cells, size_t *i);

/* Remove each cell for which @remove says so.  Takes one pass over all. */
void cells_remove(struct cells *cells,
                  bool (*remove)(const struct cell *cell, void *arg),
                  void *arg);

#endif /* XENSCHED_MODEL_CELLS_H */
