/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stands in for Xen's headers in test-xen-area, as far as its four files of the hypervisor need
 * them.  xen-memory.c has the memory.
 */
#ifndef AREA_WORLD_H
#define AREA_WORLD_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "schedlog-env.h"

#define __init
#define __ro_after_init
#define __read_mostly
#define cf_check
#define __initcall(fn)
#define presmp_initcall(fn) static int (*const fake_start)(void) = fn
#define size_param(name, var)
#define integer_runtime_param(name, var) \
    static unsigned int *const fake_fail = &(var)

#define ASSERT(p) assert_true(p)
#define ASSERT_UNREACHABLE() fail()
#define BUG() fail()
#define ARRAY_SIZE(x) (sizeof(x) / sizeof((x)[0]))
#define MB(n) ((uint64_t)(n) << 20)
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define container_of(p, type, member) \
    ((type *)((char *)(p) - offsetof(type, member)))
#define read_atomic(p) ACCESS_ONCE(*(p))
#define write_atomic(p, v) (ACCESS_ONCE(*(p)) = (v))

/* Pages. */
#define PAGE_SHIFT 12
#define PAGE_SIZE 4096UL
#define PAGE_ALIGN(x) (((x) + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1))
#define PFN_UP(x) (((x) + PAGE_SIZE - 1) >> PAGE_SHIFT)
#define PGC_count_mask 0xffUL
#define _PGC_allocated 8
#define _PAGE_NONE 0
#define SCHEDLOG_MAP_PAGE 1
#define SCHEDLOG_MAP_NOTHING 2
#define VMAP_DEFAULT 0

typedef struct {
    unsigned long m;
} mfn_t;
#define _mfn(n) ((mfn_t){ n })
#define mfn_x(mfn) ((mfn).m)
#define INVALID_MFN _mfn(~0UL)

struct page_info {
    unsigned long count_info;
    bool there, shared, writable;
    unsigned int node;
};

enum XENSHARE_flags { SHARE_rw, SHARE_ro };

void *alloc_xenheap_pages(unsigned int order, unsigned int memflags);
void free_xenheap_page(void *page);
void clear_page(void *page);
unsigned long virt_to_mfn(const void *page);
void *mfn_to_virt(unsigned long mfn);
struct page_info *mfn_to_page(mfn_t mfn);
struct page_info *virt_to_page(const void *page);
void share_xen_page_with_privileged_guests(struct page_info *pg,
                                           enum XENSHARE_flags flags);
bool test_and_clear_bit(unsigned int bit, unsigned long *word);
void put_page(struct page_info *pg);

void *__vmap(const mfn_t *mfn, unsigned int granularity, unsigned int nr,
             unsigned int align, unsigned int flags, int type);
int map_pages_to_xen(unsigned long va, mfn_t mfn, unsigned long nr,
                     unsigned int flags);
int destroy_xen_mappings(unsigned long start, unsigned long end);
mfn_t vmap_to_mfn(const void *va);
void vunmap(const void *va);

/* Small memory. */
void *fake_alloc(size_t size);
void fake_free(void *p);
#define xzalloc(type) ((type *)fake_alloc(sizeof(type)))
#define xvmalloc_array(type, nr) ((type *)fake_alloc(sizeof(type) * (nr)))
#define xvzalloc_array(type, nr) ((type *)fake_alloc(sizeof(type) * (nr)))
#define xfree(p) fake_free(p)
#define xvfree(p) fake_free(p)

/* pCPUs and nodes. */
#define NUMA_NO_NODE 0xff
#define MEMF_node(n) ((n) + 1)
typedef uint8_t nodeid_t;

extern unsigned int nr_cpu_ids;
extern bool fake_online[256];
nodeid_t cpu_to_node(unsigned int cpu);
unsigned int num_online_cpus(void);
unsigned int num_present_cpus(void);
#define for_each_online_cpu(cpu)                          \
    for ((cpu) = 0; (cpu) < nr_cpu_ids; (cpu)++)          \
        if (!fake_online[cpu])                            \
            ;                                             \
        else

#define DECLARE_PER_CPU(type, name) extern type fake_##name[]
#define DEFINE_PER_CPU_READ_MOSTLY(type, name) type fake_##name[256]
#define per_cpu(name, cpu) (fake_##name[cpu])

/* A caller's index is usable after it was clamped. */
#define array_index_nospec(index, size) ((index) < (size) ? (index) : 0)
#define array_access_nospec(array, index) \
    ((array)[array_index_nospec(index, ARRAY_SIZE(array))])

/* Domains and their vCPUs. */
struct vcpu {
    uint16_t schedlog_acct;
};
struct domain {
    uint16_t schedlog_acct;
    unsigned int max_vcpus;
    struct vcpu vcpu[2];
    struct domain *next;
};
extern struct domain *domain_list;
#define for_each_domain(d) for ((d) = domain_list; (d); (d) = (d)->next)
#define for_each_vcpu(d, v) \
    for ((v) = (d)->vcpu; (v) < (d)->vcpu + (d)->max_vcpus; (v)++)
#define rcu_read_lock(l) ((void)0)
#define rcu_read_unlock(l) ((void)0)

bool fake_preempt(void);
#define hypercall_preempt_check() fake_preempt()
#define process_pending_softirqs() ((void)0)

struct timer {
    void (*function)(void *data);
};

/* There is one thread, which must not take a lock that it has. */
typedef struct {
    bool taken;
} spinlock_t;
#define DEFINE_SPINLOCK(name) spinlock_t name
#define spin_lock(l) (assert_false((l)->taken), (l)->taken = true)
#define spin_unlock(l) (assert_true((l)->taken), (l)->taken = false)

struct rcu_head {
    struct rcu_head *next;
    void (*func)(struct rcu_head *head);
};
void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head));

struct list_head {
    struct list_head *next, *prev;
};
#define LIST_HEAD(name) struct list_head name = { &(name), &(name) }
#define INIT_LIST_HEAD(l) ((l)->next = (l)->prev = (l))
#define list_empty(l) ((l)->next == (l))
#define list_entry(l, type, member) container_of(l, type, member)

static inline void list_add_tail(struct list_head *new, struct list_head *head)
{
    new->next = head;
    new->prev = head->prev;
    head->prev->next = new;
    head->prev = new;
}

static inline void list_del(struct list_head *entry)
{
    entry->next->prev = entry->prev;
    entry->prev->next = entry->next;
}

#endif /* AREA_WORLD_H */
