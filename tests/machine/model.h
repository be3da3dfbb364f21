/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The caches of a host and which line each has: counts where each access finds
 * its line, and what it waits for it.  It knows lines and pCPUs, neither QEMU
 * nor what time it is.
 *
 * A core has an L1 and an L2, which has all that the L1 has; what leaves an L2
 * goes to the last-level cache of its core.  A directory knows for each line
 * which cores and last-level caches have it, and the only one that may have changed it
 * (its owner):
 *
 *   - a core that reads a line that no cache has gets it from memory, and owns it;
 *   - a line with an owner comes from there; it has none from then on;
 *   - a line without comes from the last-level cache of the reader or a core
 *     with the same one, if they have it, otherwise from memory;
 *   - a core that writes takes the line from all others, and owns it.
 *
 * The memory of a socket and its link to other sockets have a bandwidth (queue.h): a line
 * that comes from them may have to wait for its turn.  A changed line that goes back to
 * memory takes a turn, and no pCPU waits for it.
 *
 * Clocks of pCPUs differ.  A pCPU that is behind waits for a line at least until the time at
 * which another pCPU wrote it last: it sees no value before that was written.
 */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "cache.h"
#include "description.h"
#include "queue.h"

#define MAX_PCPUS 64

/*
 * What is counted for each pCPU.  Each read and write of a line is in exactly one
 * of l1 ... dram_remote, where its line was found; upgrades are writes to lines
 * that this pCPU had, but others had, too, by the farthest of them.
 */
#define COUNTS(X)                                                             \
    X(instructions)                                                           \
    X(reads) X(writes)                                                        \
    X(l1) X(l2) X(llc)                                                        \
    X(same_llc) X(same_socket) X(other_socket)                                \
    X(dram_local) X(dram_remote)                                              \
    X(upgrade_same_llc) X(upgrade_same_socket) X(upgrade_other_socket)        \
    X(writebacks)                  /* changed lines that went to memory */    \
    X(queued)                      /* lines that waited for bandwidth */      \
    X(device)                      /* accesses to devices' registers */       \
    X(ipis)                        /* interrupts sent to other pCPUs */       \
    X(halts)                       /* times that the pCPU became idle */

struct counts {
#define MEMBER(name) uint64_t name;
    COUNTS(MEMBER)
#undef MEMBER
};

struct model {
    struct machine machine;
    unsigned int nr_pcpus, cores; /* of the host, and of each of its sockets */
    struct cache l1[MAX_PCPUS], l2[MAX_PCPUS], llc[MAX_PCPUS];
    struct line **pages; /* the directory */
    double (*now)(void); /* ns, of the pCPU that runs; NULL: bandwidth has no limit */
    struct queue memory[MAX_PCPUS], link[MAX_PCPUS]; /* of each socket */
    struct counts counts[MAX_PCPUS];
};

/*
 * All caches are empty.  A host with fewer cores per socket than the machine has
 * is its first cores of each socket.  False: no memory.
 */
bool model_init(struct model *model, const struct machine *machine,
                unsigned int cores);
void model_free(struct model *model);
void model_empty(struct model *model);
void model_zero_counts(struct model *model);

/*
 * @pcpu reads or writes (what is in) the line at @address / LINE_BYTES, whose
 * memory is @node's (a node is a socket).  Addresses end at MODEL_ADDRESSES.
 * Returns how long the pCPU waits for the line, in ns: 0 if its L1 has it.
 */
#define MODEL_ADDRESSES (1ULL << 36)
double model_access(struct model *model, unsigned int pcpu, uint64_t line,
                  unsigned int node, bool write);

#endif /* MODEL_H */
