/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declares the model of a host's caches.  It counts where each access finds its line,
 * and the time that the access waits.  It is independent of QEMU and of its clock.
 *
 * A core has an L1 and an L2, which includes the L1.  A line that an L2 evicts moves
 * to the last-level cache of its core.  For each line, a directory has the cores and
 * last-level caches with the line, and its owner, the only one that may have changed it:
 *
 *   - a core that reads a line that no cache has receives it from memory, and owns it;
 *   - a line with an owner comes from the owner, and has none from then on;
 *   - a line without an owner comes from the last-level cache of the reader or a core
 *     with the same one, if they have it, otherwise from memory;
 *   - a core that writes takes the line from all others, and owns it.
 *
 * The memory of a socket and its link to other sockets have a bandwidth (queue.h): a line
 * that comes from them may have to wait for its turn.  A changed line that goes back to
 * memory takes a turn, and no pCPU waits for it.
 *
 * Clocks of pCPUs differ.  A pCPU that is behind waits for a line at least until the time at
 * which another pCPU wrote it last, so it reads no value before the write.
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
 * The counts of each pCPU.  Each read and write of a line is in exactly one
 * of l1 ... dram_remote, where its line was found; upgrades are writes to lines
 * that this pCPU and others had, by the distance of the farthest.
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
 * Makes a model with empty caches.  A host with fewer cores per socket than the machine
 * uses the first cores of each socket.  False: no memory.
 */
bool model_init(struct model *model, const struct machine *machine,
                unsigned int cores);
void model_free(struct model *model);
void model_empty(struct model *model);
void model_zero_counts(struct model *model);

/*
 * @pcpu reads or writes data in the line @address / LINE_BYTES of @node's memory (a
 * node is a socket).  Addresses end at MODEL_ADDRESSES.
 * Returns how long the pCPU waits for the line, in ns: 0 if its L1 has it.
 */
#define MODEL_ADDRESSES (1ULL << 36)
double model_access(struct model *model, unsigned int pcpu, uint64_t line,
                  unsigned int node, bool write);

#endif /* MODEL_H */
