/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xen-env.h - what Xen's common/trace.c needs from its surroundings, in user
 * space, on one CPU.
 *
 * Each of Xen's headers that trace.c asks for and that isn't taken from Xen's
 * tree is made of this one by record.sh.  Nothing here is slower than what
 * Xen has in its place: per-CPU variables are plain ones, and of a lock that
 * disables interrupts what user space must not execute (cli) is left out.
 */
#ifndef XEN_ENV_H
#define XEN_ENV_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define CONFIG_TRACEBUFFER 1
#define NR_CPUS 4096
#define nr_cpu_ids 1U
#define smp_processor_id() 0

#define PAGE_SHIFT 12
#define PAGE_SIZE 4096L
#define PAGE_MASK (~(PAGE_SIZE - 1))
#define PFN_UP(x) (((x) + PAGE_SIZE - 1) >> PAGE_SHIFT)
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define barrier() asm volatile ("" ::: "memory")
#define smp_wmb() barrier()
#define get_cycles() __builtin_ia32_rdtsc()
#define always_inline inline __attribute__((__always_inline__))

#define __init
#define __packed __attribute__((__packed__))
#define __read_mostly
#define cf_check
#define integer_param(name, var)
#define BUILD_BUG_ON(x) _Static_assert(!(x), #x)
#define BUG_ON(x) do { if (unlikely(x)) abort(); } while (0)
#define WARN_ON(x) BUG_ON(x)
#define ASSERT(x) ((void)0) /* As in a release build. */

#define XENLOG_INFO
#define XENLOG_WARNING
#define printk(...) ((void)fprintf(stderr, __VA_ARGS__))
#define printk_once printk

/* Per-CPU variables of one CPU. */
#define DEFINE_PER_CPU(type, name) type name
#define DEFINE_PER_CPU_READ_MOSTLY(type, name) type name
#define per_cpu(name, cpu) (*((void)(cpu), &(name)))
#define this_cpu(name) (name)

typedef struct { uint64_t bits[NR_CPUS / 64]; } cpumask_t;
typedef cpumask_t cpumask_var_t[1];
#define for_each_online_cpu(cpu) for ((cpu) = 0; (cpu) < 1; (cpu)++)
#define cpumask_test_cpu(cpu, m) ((m)->bits[(cpu) / 64] >> (cpu) % 64 & 1)
#define cpumask_setall(m) ((void)memset(m, 0xff, sizeof(cpumask_t)))
#define cpumask_copy(to, from) ((void)(*(to) = *(from)))
#define xenctl_bitmap_to_cpumask(m, from) ((void)(m), (void)(from), -EINVAL)
#define free_cpumask_var(m) ((void)(m))

struct notifier_block {
    int (*notifier_call)(struct notifier_block *, unsigned long, void *);
};
#define CPU_UP_PREPARE 1
#define NOTIFY_DONE 0
#define register_cpu_notifier(nb) ((void)(nb))

/* A ticket lock, like Xen's. */
typedef struct { uint16_t head, tail; } spinlock_t;
#define DEFINE_SPINLOCK(name) spinlock_t name
#define spin_lock_init(l) ((void)(*(l) = (spinlock_t){ 0, 0 }))

static always_inline void spin_lock(spinlock_t *l)
{
    uint16_t mine = __atomic_fetch_add(&l->tail, 1, __ATOMIC_ACQUIRE);

    while (__atomic_load_n(&l->head, __ATOMIC_ACQUIRE) != mine)
        __builtin_ia32_pause();
}

static always_inline void spin_unlock(spinlock_t *l)
{
    __atomic_store_n(&l->head, l->head + 1, __ATOMIC_RELEASE);
}

#define spin_lock_irqsave(l, flags)                                   \
    do {                                                              \
        asm volatile ("pushf; pop %0" : "=r" (flags) :: "memory");    \
        spin_lock(l);                                                 \
    } while (0)
#define spin_unlock_irqrestore(l, flags)                              \
    do {                                                              \
        spin_unlock(l);                                               \
        asm volatile ("push %0; popf" :: "r" (flags) : "memory", "cc"); \
    } while (0)

/* Page frame numbers are offsets into memory of this program's own. */
extern uint8_t xen_env_memory[];
struct page_info { unsigned long count_info; };
typedef unsigned long mfn_t;
#define _mfn(n) ((mfn_t)(n))
#define PGC_allocated 1UL
#define SHARE_rw 0
#define SHARE_ro 1
#define MEMF_bits(n) 0
#define virt_to_mfn(p) \
    ((uint32_t)(((uint8_t *)(p) - xen_env_memory) >> PAGE_SHIFT))
#define mfn_to_virt(n) \
    ((void *)(xen_env_memory + ((unsigned long)(n) << PAGE_SHIFT)))
static inline struct page_info *mfn_to_page(mfn_t mfn)
{
    static struct page_info page;

    (void)mfn;
    return &page;
}
#define virt_to_page(p) ((void)(p), mfn_to_page(0))
#define share_xen_page_with_privileged_guests(page, how) ((void)(page))
#define get_order_from_pages(n) ((n) <= 1 ? 0 : 64 - __builtin_clzl((n) - 1))
void *alloc_xenheap_pages(unsigned int order, unsigned int flags);
#define free_xenheap_pages(p, order) ((void)(p))

/* The notification of dom0: not reached, the buffer is emptied in time. */
struct tasklet { void (*function)(void *); };
#define DECLARE_SOFTIRQ_TASKLET(name, f, d) \
    struct tasklet name = { .function = f }
#define tasklet_schedule(t) ((void)(t))
#define VIRQ_TBUF 4
#define send_global_virq(virq) ((void)(virq))

struct domain { uint16_t domain_id; };
struct vcpu { int vcpu_id; struct domain *domain; };
extern struct vcpu *current;

#endif /* XEN_ENV_H */
