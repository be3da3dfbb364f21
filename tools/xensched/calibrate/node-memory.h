/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * node-memory.h - maps memory of a chosen node into dom0.  The memory belongs to a domain
 * without vCPUs, which lives as long as the measurement.
 */
#ifndef XENSCHED_CALIBRATE_NODE_MEMORY_H
#define XENSCHED_CALIBRATE_NODE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include <xensched/error.h>

#define NODE_MEMORY_BYTES (64U << 12)

struct node_memory;

/*
 * Creates the domain, with memory on each of nodes 0 ... @nr - 1 that has some.  The same process
 * has to call node_memory_end().
 */
int node_memory_begin(struct node_memory **memory, unsigned int nr,
                      struct xensched_error *err);
void node_memory_end(struct node_memory *memory);

/* Maps NODE_MEMORY_BYTES of this node's memory; returns NULL if that is impossible. */
void *node_memory_map(const struct node_memory *memory, unsigned int node);

#endif /* XENSCHED_CALIBRATE_NODE_MEMORY_H */
