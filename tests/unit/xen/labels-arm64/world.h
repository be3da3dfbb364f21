/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces Xen's headers in test-xen-labels-arm64: those of test-xen-labels, and
 * what only arm64 needs.
 */
#ifndef LABELS_ARM64_WORLD_H
#define LABELS_ARM64_WORLD_H

#include "../labels/world.h"

typedef unsigned long mfn_t;
unsigned long __virt_to_mfn(unsigned long va);
void *vmap(const mfn_t *mfns, unsigned int nr);
#define xmalloc_array(type, nr) ((type *)malloc(sizeof(type) * (nr)))
#define xfree(p) free(p)
#define cpu_to_le32(n) (n)

enum aarch64_insn_branch_type { AARCH64_INSN_BRANCH_NOLINK };
uint32_t aarch64_insn_gen_branch_imm(unsigned long pc, unsigned long to,
                                     enum aarch64_insn_branch_type type);
uint32_t aarch64_insn_gen_nop(void);
int clean_and_invalidate_dcache_va_range(const void *p, unsigned long size);
void invalidate_icache_local(void);

#endif /* LABELS_ARM64_WORLD_H */
