/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sums.h - how many pages each front end has received or sent since it was connected, and those
 * sums in xenstore: a node of this domain's, SUMS_NODE, with words "DOMID:PAGES".
 *
 * Sums, not rates: a reader that misses some of them misses nothing.
 */
#ifndef XENSCHED_DISKS_SUMS_H
#define XENSCHED_DISKS_SUMS_H

#include <stdbool.h>
#include <stdint.h>

/* As in host/xenstore.h; below the own path. */
#define SUMS_NODE "data/xensched-disks"

/* The size of a node of xenstore. */
#define SUMS_TEXT 4096

struct sum;

struct sums {
    unsigned int nr;
    struct sum *sum;
};

/* For vbds_read(); @sums is a struct sums. */
void sums_add(void *sums, uint32_t domid, uint64_t pages);

/* Forgets domains that are not served any more. */
void sums_keep(struct sums *sums, bool (*served)(const void *arg, uint32_t domid),
               const void *arg);

/* Returns false if there are more than fit into a node; the rest is missing then. */
bool sums_write(const struct sums *sums, char text[SUMS_TEXT]);

void sums_free(struct sums *sums);

#endif /* XENSCHED_DISKS_SUMS_H */
