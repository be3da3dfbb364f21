/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * load.h - generates the rows of a large host before a measurement: guests notify a
 * driver domain, some notify each other more often, and pCPUs switch between them.
 */
#ifndef LOAD_H
#define LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xensched/reader.h>

#include "model/domain.h"
#include "model/topology/topology.h"

struct load_size {
    unsigned int guests, drivers, cpus, cpus_per_node;
    uint64_t rows_per_second;
    unsigned int interval_ms;
    bool waits; /* rows about waits and moves are among them */
};

/* All rows of one interval, one batch per pCPU and log buffer. */
struct load {
    struct load_size size;
    struct xensched_batch *batches;
    size_t nr_batches, nr_rows;
    uint8_t *bytes;
};

void load_make(struct load *load, const struct load_size *size);
void load_free(struct load *load);

/* The host that logs the rows.  Accounting domains: 2 + number of domain. */
void load_topology(const struct load_size *size, struct topology *topology);
void load_domains(const struct load_size *size, struct domains *domains);
/* Every second guest was moved to a node, where the daemon keeps it. */
void load_moved(const struct load_size *size, struct domains *domains);

#endif /* LOAD_H */
