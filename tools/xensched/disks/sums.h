/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sums.h - how many pages each front end got or gave since it is served, and that in
 * xenstore: one node of this domain's, SUMS_NODE, with words "DOMID:PAGES".
 *
 * Sums, not rates: a reader that misses some of them misses nothing.
 */
#ifndef XENSCHED_DISKS_SUMS_H
#define XENSCHED_DISKS_SUMS_H

#include <stdbool.h>
#include <stdint.h>

/* As host/xenstore.h has it; below our own path. */
#define SUMS_NODE "data/xensched-disks"

/* What a node of xenstore holds. */
#define SUMS_TEXT 4096

struct sum;

struct sums {
    unsigned int nr;
    struct sum *sum;
};

/* As vbds_read() wants it; @sums is a struct sums. */
void sums_add(void *sums, uint32_t domid, uint64_t pages);

/* Forget those which are not served any more. */
void sums_keep(struct sums *sums, bool (*served)(const void *arg, uint32_t domid),
               const void *arg);

/* False: there are more than a node holds, and the rest is missing. */
bool sums_write(const struct sums *sums, char text[SUMS_TEXT]);

void sums_free(struct sums *sums);

#endif /* XENSCHED_DISKS_SUMS_H */
