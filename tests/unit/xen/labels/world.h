/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stands in for Xen's headers in test-xen-labels: text that is not executed, and
 * mappings whose changes are counted as flushes of TLBs.
 */
#ifndef LABELS_WORLD_H
#define LABELS_WORLD_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CONFIG_JUMP_LABEL
#define __init
#define cf_check
#define always_inline inline __attribute__((__always_inline__))
#define unlikely(x) __builtin_expect(!!(x), 0)
#define BUILD_BUG_ON(x) _Static_assert(!(x), #x)
#define ASSERT(x) assert_true(x)
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define smp_wmb() ((void)0)
#define cpu_relax() ((void)0)
#define read_atomic(p) (*(volatile __typeof__(*(p)) *)(p))
#define write_atomic(p, v) (*(volatile __typeof__(*(p)) *)(p) = (v))
#define presmp_initcall(fn) static int (*const fake_start)(void) = fn
#define XENLOG_ERR ""
#define XENLOG_WARNING ""
#define printk(...) (nr_messages++)
#define panic(...) fail()
#define NR_CPUS 256
#define smp_processor_id() 0U
extern unsigned int nr_messages;

#define PAGE_SIZE 4096UL
#define PAGE_MASK (~(PAGE_SIZE - 1))
#define PFN_UP(x) (((x) + PAGE_SIZE - 1) / PAGE_SIZE)
#define _mfn(n) (n)
unsigned long virt_to_mfn(unsigned long va);
void *vmap_contig(unsigned long mfn, unsigned int nr);
void vunmap(void *va);
int destroy_xen_mappings(unsigned long start, unsigned long end);
int stop_machine_run(int (*fn)(void *data), void *data, unsigned int cpu);
bool is_kernel_text(const void *p);

#endif /* LABELS_WORLD_H */
