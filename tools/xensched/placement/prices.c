/* SPDX-License-Identifier: GPL-2.0-only */
/* Defines the prices of a machine in ns, with their sources. */
#include "model/topology/distance-assumed.h"
#include "prices.h"

/*
 * Lines and memory: as assumed in model/topology/distance-assumed.h, with the sources.
 *
 * Lines per event: a direct read of 4 KiB on the machine model is 2 notifications
 * and 1 page, which move 132 lines and take 128 from others (docs/develop/machine-model.md).
 * 64 of each are the page's, the others are the notifications'.
 *
 * Misses: 62 lines from memory of 58,308 instructions in the same table, that
 * is 1 per 1000, of which a Xeon does 1 per ns.
 *
 * Refill: a second-level cache of 1 MiB.
 *
 * Hunger: 5 million misses/s are 320 MB/s.  That such a guest causes a tenth
 * of its neighbours' misses is an assumption.
 *
 * Wake and woken: guests that exchange 332,000 notifications with distant back ends
 * changed the vCPU of a pCPU 156,000 times; with near ones, 356,000 and 271,000 times,
 * for 1,395 million instructions more (docs/develop/results.md).  That is 0.76 changes
 * per notification, and 12,000 instructions per additional change, of which a Xeon does
 * 1 per ns.
 *
 * Sibling: Linux counted a core with two busy threads as 1178 / 1024 of a core with one
 * (smt_gain in include/linux/topology.h of 3.14), so the second one adds 15 %.
 *
 * Touched: an assumption.  It bounds what a vCPU that runs for some us can lose of its
 * caches when it moves: 20 times as many lines as come from memory.
 */
const struct prices prices_default = {
    .line = {
        0, ASSUMED_LINE_CORE, ASSUMED_LINE_LLC, ASSUMED_LINE_NODE, ASSUMED_LINE_REMOTE,
    },
    .memory_local = ASSUMED_MEMORY_LOCAL,
    .memory_remote = ASSUMED_MEMORY_REMOTE,
    .notification = 66,
    .page = 128,
    .misses = 0.001,
    .refill = 16384,
    .hunger = 5e6,
    .eaten = 0.1,
    .wake = 12000,
    .woken = 0.76,
    .sibling = 0.85,
    .touched = 0.02,
};
