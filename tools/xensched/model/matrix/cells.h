/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cells.h - the memory of the matrix: a hash table from a 64-bit key to a cell.
 *
 * It does not use uthash or the like, because the daemon looks up a cell for each logged row.
 * Cells are adjacent in one array, and a lookup takes one multiplication and usually one cache
 * line; a table of linked items takes an allocation per pair and two or three cache misses per row.
 * It has only what the matrix needs: find, insert, visit all, and remove many at once.
 */
#ifndef XENSCHED_MODEL_CELLS_H
#define XENSCHED_MODEL_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cell {
    uint64_t key;
    double sum;      /* decayed to at_ns */
    uint64_t at_ns;
    uint64_t total;  /* not decayed */
};

struct cells {
    struct cell *slots;
    size_t nr_slots; /* a power of two */
    size_t used;
};

/* No cell has this key. */
#define CELLS_NO_KEY UINT64_MAX

void cells_init(struct cells *cells);
void cells_free(struct cells *cells);

/* Returns the cell of @key, or NULL.  Valid until a cell is inserted or removed. */
struct cell *cells_find(const struct cells *cells, uint64_t key);

/* The same, but inserts a cell with all 0 if there is none. */
struct cell *cells_get(struct cells *cells, uint64_t key);

/* Returns the next cell; start with *i = 0.  NULL: there are no more. */
struct cell *cells_next(const struct cells *cells, size_t *i);

/* Removes the cells for which @remove returns true, in one pass over all. */
void cells_remove(struct cells *cells,
                  bool (*remove)(const struct cell *cell, void *arg),
                  void *arg);

#endif /* XENSCHED_MODEL_CELLS_H */
