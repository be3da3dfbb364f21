/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that QEMU gives a plugin the index of the vCPU that executes a block.
 *
 * QEMU 10.0 with one thread for all vCPUs gives the index of the vCPU that translated the
 * block, so every count is charged to a wrong pCPU.  All vCPUs execute the same code of
 * the firmware and of Xen.  In a QEMU that is right, one of these blocks soon has two vCPUs.
 */
#ifndef INDEX_H
#define INDEX_H

#include <stdbool.h>
#include <stdint.h>

/* The indices are wrong after this many blocks of vCPUs other than the first. */
#define INDEX_BLOCKS 1000000

#define INDEX_NOBODY (-1)

enum index_verdict { INDEX_UNKNOWN, INDEX_RIGHT, INDEX_WRONG };

struct index_check {
    int first;             /* the vCPU that executed first, or INDEX_NOBODY */
    uint64_t others;       /* blocks that other vCPUs have executed */
};

/* A vCPU executed a block, whose owner was INDEX_NOBODY when QEMU translated it. */
enum index_verdict index_executed(struct index_check *check, int *owner, int vcpu);

#endif /* INDEX_H */
