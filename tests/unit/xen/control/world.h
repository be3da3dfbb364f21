/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stands in for Xen's headers in test-xen-control: domains with vCPUs, a clock, timers that run
 * when the test lets time pass, and one pCPU on which hypercalls run.
 */
#ifndef CONTROL_WORLD_H
#define CONTROL_WORLD_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "schedlog-env.h"

#include <public/domctl.h>
#include <public/sched.h>
#include <public/sysctl.h>

#define ERESTART 85
#define __init
#define cf_check
#define __initcall(fn) static int (*const fake_start)(void) = fn
#define XENLOG_WARNING ""
#define printk(...) ((void)0)

#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define min_t(type, a, b) min((type)(a), (type)(b))
#define ROUNDUP(x, a) (((x) + (a) - 1) & ~((a) - 1))
#define PAGE_SIZE 4096UL
#define PAGE_ALIGN(x) ROUNDUP(x, PAGE_SIZE)
#define read_atomic(p) ACCESS_ONCE(*(p))
#define write_atomic(p, v) (ACCESS_ONCE(*(p)) = (v))
#define smp_mb() ((void)0)
#define cmpxchg(p, old, new) fake_cmpxchg(p, old, new)

static inline unsigned long fake_cmpxchg(unsigned long *p, unsigned long old,
                                         unsigned long new)
{
    unsigned long was = *p;

    if (was == old)
        *p = new;

    return was;
}

/* A caller's index is usable after it was clamped. */
#define array_index_nospec(index, size) ((index) < (size) ? (index) : 0)

/* Time and timers. */
typedef int64_t s_time_t;
#define MILLISECS(n) ((s_time_t)(n) * 1000000)
extern s_time_t now_ns;
#define NOW() now_ns

struct timer {
    void (*function)(void *data);
    s_time_t at; /* 0: not set */
};
struct tasklet {
    void (*function)(void *data);
};
#define init_timer(t, fn, data, cpu) \
    (*(t) = (struct timer){ .function = (fn) }, note_timer(t))
#define set_timer(t, when) ((t)->at = (when))
#define stop_timer(t) ((t)->at = 0)
#define tasklet_init(t, fn, data) ((t)->function = (fn))
#define tasklet_schedule_on_cpu(t, cpu) ((t)->function(NULL))
void note_timer(struct timer *t);

/* pCPUs, which stay online. */
enum { CPU_UP_PREPARE, CPU_STARTING, CPU_ONLINE, CPU_DOWN_FAILED, CPU_DOWN_PREPARE };
#define NOTIFY_DONE 0
struct notifier_block {
    int (*notifier_call)(struct notifier_block *nfb, unsigned long action, void *hcpu);
};
#define register_cpu_notifier(n) ((void)(n))
extern bool fake_hotplug; /* pCPUs come or go. */
#define nr_cpu_ids 6U
#define cpu_online(cpu) ((cpu) != 4)
#define get_cpu_maps() (!fake_hotplug)
#define put_cpu_maps() ((void)0)
#define hypercall_preempt_check() false
#define continue_hypercall_on_cpu(cpu, fn, data) ((fn)(data))

typedef int spinlock_t;
#define SPIN_LOCK_UNLOCKED 0
#define spin_lock(l) ((void)(l))
#define spin_unlock(l) ((void)(l))

/* Domains. */
struct vcpu {
    uint16_t schedlog_acct;
};
struct domain {
    uint16_t schedlog_acct;
    bool schedlog_mark;
    struct {
        uint8_t state;
    } schedlog_stop;
    unsigned int max_vcpus;
    struct vcpu vcpu[4];
};
struct current {
    struct domain *domain;
};
extern struct current *current;
#define for_each_vcpu(d, v) \
    for ((v) = (d)->vcpu; (v) < (d)->vcpu + (d)->max_vcpus; (v)++)
#define domain_vcpu(d, nr) ((nr) < (d)->max_vcpus ? &(d)->vcpu[nr] : NULL)

/* Memory of guests is that of this process. */
#undef XEN_GUEST_HANDLE_PARAM
#define XEN_GUEST_HANDLE_PARAM(type) void *
#define copy_from_guest(to, from, nr) (memcpy(to, from, sizeof(*(to))), 0)
#define copy_from_guest_offset(to, from, offset, nr) \
    (memcpy(to, (const char *)(from).p + (offset) * sizeof(*(to)), sizeof(*(to))), 0)
#define copy_to_guest(to, from, nr) (memcpy((to).p, from, (nr) * sizeof(*(from))), 0)
#define copy_to_guest_offset(to, offset, from, nr) \
    (memcpy((to).p + (offset), from, (nr) * sizeof(*(from))), 0)
#define hypercall_create_continuation(...) (-ERESTART)
#define xvzalloc_array(type, nr) calloc(nr, sizeof(type))
#define xvfree(p) free(p)
#define SCHEDLOG(event, fn, args...) ((void)0)

extern unsigned long cpu_khz;
#define VIRQ_SCHEDLOG 14

/* As in the hypervisor's schedlog.h. */
long schedlog_sysctl(struct xen_sysctl_schedlog *op);
int schedlog_bind(struct domain *d, const struct xen_domctl_schedlog_bind *op);
int schedlog_binding(const struct domain *d, struct xen_domctl_schedlog_bind *op);
int schedlog_owners(struct xen_sysctl_schedlog_owners *op);
int schedlog_allow_mark(struct domain *d, const struct xen_domctl_schedlog_mark *op);
long schedlog_op_mark(XEN_GUEST_HANDLE_PARAM(void) arg);
bool schedlog_stops_at(const struct domain *d, uint32_t code);
int schedlog_begin_stop(void);
void schedlog_end_stop(uint32_t code);
void schedlog_mark(uint32_t code);
unsigned int jump_label_lost_sites(void);
uint32_t schedlog_cache_of(unsigned int cpu);

/* As in area.h, which is not included. */
#define SCHEDLOG_AREA_H
#define SCHEDLOG_PMC_EVENTS (0xfU << XEN_SCHEDLOG_EV_PMC0)
static inline uint32_t schedlog_pmc_events(unsigned int nr)
{
    return ((1U << nr) - 1) << XEN_SCHEDLOG_EV_PMC0;
}
struct schedlog_region {
    void *va;
    unsigned int nr_pages;
};
struct schedlog_geometry {
    unsigned int nr_acct, nr_files, data_size;
    struct xen_schedlog_file *files;
};
const struct schedlog_geometry *schedlog_geometry(void);
unsigned int schedlog_nr_cpus(void);
const struct schedlog_region *schedlog_find_region(unsigned int region, unsigned int cpu);
int schedlog_make_area(const struct schedlog_geometry *geometry, uint64_t *need_bytes);
int schedlog_prepare_acct(uint16_t acct);
bool schedlog_is_prepared(uint16_t acct);
void schedlog_give_up_area(void);
void schedlog_give_up_pending(void);
bool schedlog_prepare_cpu(unsigned int cpu);
void schedlog_start_tick(unsigned int cpu);
void schedlog_stop_tick(unsigned int cpu);
bool schedlog_free_dying(void);
int schedlog_free_all_dying(void);
bool schedlog_has_dying(void);
uint64_t schedlog_max_bytes(void);
uint64_t schedlog_used_bytes(void);
uint64_t schedlog_region_frame(const struct schedlog_region *region, unsigned int page);

#endif /* CONTROL_WORLD_H */
