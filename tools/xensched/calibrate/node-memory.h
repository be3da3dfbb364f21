/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * node-memory.h - memory of a certain node of the machine, for dom0 to look at: that
 * of a domain without a vCPU, which is made for this and goes again.
 */
#ifndef XENSCHED_CALIBRATE_NODE_MEMORY_H
#define XENSCHED_CALIBRATE_NODE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include <xensched/error.h>

#define NODE_MEMORY_BYTES (64U << 12)

struct node_memory;

/*
 * The domain and its memory, on each of nodes 0 ... @nr - 1 where there is some.  Has
 * to be ended by the process that began it, whatever becomes of others.
 */
int node_memory_begin(struct node_memory **memory, unsigned int nr,
                      struct xensched_error *err);
void node_memory_end(struct node_memory *memory);

/* NODE_MEMORY_BYTES of it in this process; NULL: this node has none, or it cannot. */
void *node_memory_map(const struct node_memory *memory, unsigned int node);

#endif /* XENSCHED_CALIBRATE_NODE_MEMORY_H */
