/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces Xen's headers in test-xen-wait, test-xen-off, test-xen-budget and test-xen-work: some
 * pCPUs, and a clock that the test advances.
 */
#ifndef WAIT_WORLD_H
#define WAIT_WORLD_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The TSC has 2 GHz. */
typedef int64_t s_time_t;
extern s_time_t now_ns;
#define NOW() now_ns
#define schedlog_tsc() ((uint64_t)now_ns * 2)
#define schedlog_tsc_to_ns(ticks) ((ticks) / 2)
#define max(a, b) ((a) > (b) ? (a) : (b))
#define min_t(type, a, b) ((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define test_bit(nr, word) ((*(word) >> (nr)) & 1)
#define MILLISECS(n) ((s_time_t)(n) * 1000000)
#define ASSERT(p) assert(p)

extern bool fake_in_irq;
#define in_irq() fake_in_irq

/* Interrupts happen at points that the test chooses. */
extern bool irqs_off;
void may_be_interrupted(void);
#define local_irq_save(flags) ((flags) = irqs_off, irqs_off = true)
#define local_irq_is_enabled() (!irqs_off)
#define local_irq_restore(flags) (irqs_off = (flags), may_be_interrupted())

#include "schedlog-env.h"

#define __read_mostly
#define noinline __attribute__((__noinline__))
typedef uint16_t domid_t;

struct timer {
    void *data;
};

#define RUNSTATE_running  0
#define RUNSTATE_runnable 1
#define RUNSTATE_blocked  2
#define RUNSTATE_offline  3

#define VPF_blocked        (1UL << 0)
#define VPF_blocked_in_xen (1UL << 2)
#define VPF_migrating      (1UL << 3)
#define VPF_parked         (1UL << 8)

#ifndef VIRQ_TIMER
#define VIRQ_TIMER 0
#endif

struct domain {
    uint16_t schedlog_acct;
    unsigned long poll_mask[1];
};

struct evtchn {
#define ECS_INTERDOMAIN 3
#define ECS_PIRQ        4
#define ECS_VIRQ        5
#define ECS_IPI         6
    unsigned int state;
    union {
        struct {
            struct domain *remote_dom;
        } interdomain;
        uint32_t virq;
    } u;
};

struct vcpu {
    unsigned int processor, vcpu_id;
    struct domain *domain;
    unsigned long pause_flags;
    struct vcpu_runstate_info {
        int state;
        s_time_t state_entry_time;
        s_time_t time[4]; /* in each state, until state_entry_time */
    } runstate;
    uint16_t schedlog_acct;
    unsigned int schedlog_ran_on;
    uint32_t schedlog_woken;
    uint64_t schedlog_woken_tsc;
    uint64_t schedlog_off_tsc;
    uint32_t schedlog_waker;
    uint8_t schedlog_left, schedlog_yields;
    bool schedlog_capped, schedlog_paused;
    s_time_t schedlog_replenished, schedlog_awake;
    bool idle;
    struct { /* arm64's */
        struct {
            unsigned int irq;
        } virt_timer, phys_timer;
    } arch;
};
#define is_idle_vcpu(v) ((v)->idle)

enum {
    TIMER_SOFTIRQ,
    RCU_SOFTIRQ,
    SCHED_SLAVE_SOFTIRQ,
    SCHEDULE_SOFTIRQ,
    NEW_TLBFLUSH_CLOCK_PERIOD_SOFTIRQ,
    TASKLET_SOFTIRQ,
};

#define IRQ_GUEST (1U << 4)
struct irq_desc {
    unsigned int status;
};

struct sched_unit {
    struct vcpu *vcpu[2]; /* NULL: no more */
};
#define vcpu_list vcpu[0]
#define for_each_sched_unit_vcpu(u, v)                           \
    for (struct vcpu *const *at_ = (u)->vcpu;                    \
         at_ < (u)->vcpu + 2 && ((v) = *at_) != NULL; at_++)

#define NR_PCPUS 4U
extern unsigned int this_pcpu;
#define for_each_online_cpu(cpu) for ((cpu) = 0; (cpu) < NR_PCPUS; (cpu)++)
#define DECLARE_PER_CPU(type, name) extern type fake_##name[NR_PCPUS]
#define per_cpu(name, cpu) fake_##name[cpu]
#define this_cpu(name) fake_##name[this_pcpu]

/* All vCPUs belong to one domain here; a NULL ends them. */
extern struct vcpu *known_vcpu[];
#define rcu_read_lock(lock)
#define rcu_read_unlock(lock)
#define for_each_domain(d) for ((d) = known_vcpu[0] ? known_vcpu[0]->domain : NULL; (d); (d) = NULL)
#define for_each_vcpu(d, v) \
    for (struct vcpu **at_ = known_vcpu; (void)(d), ((v) = *at_) != NULL; at_++)

extern struct vcpu *running[NR_PCPUS];
#define current running[this_pcpu]

struct list_head {
    struct list_head *next, *prev;
};
struct rcu_head {
    struct rcu_head *next;
};

/* As in schedlog.h. */
void schedlog_wait(struct vcpu *v, int new_state, s_time_t now);
void schedlog_yields(unsigned int left);
void schedlog_no_budget(const struct sched_unit *unit);
void schedlog_replenish(const struct sched_unit *unit, s_time_t left, s_time_t budget,
                        s_time_t begin, s_time_t end);
void schedlog_stays(struct vcpu *v);
void schedlog_evtchn_wakes(struct vcpu *v, const struct evtchn *evtchn);
void schedlog_timer_wakes(struct vcpu *v);
void schedlog_ipi_wakes(struct vcpu *v);
void schedlog_pirq_wakes(struct vcpu *v);
void schedlog_virq_wakes(struct vcpu *v, unsigned int virq, const struct irq_desc *desc);
void schedlog_begin(unsigned int event, unsigned int reason);
void schedlog_end(unsigned int event);
void schedlog_softirq(unsigned int nr);
void schedlog_irq(const struct irq_desc *desc);
void schedlog_apic_irq(unsigned int vector);
void schedlog_flush(unsigned int flags);
void schedlog_svm_exit(uint64_t code);
void schedlog_vmx_exit(unsigned long reason);

#endif /* WAIT_WORLD_H */
