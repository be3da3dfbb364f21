/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stands in for Xen's headers in test-xen-tick: one pCPU, with a clock that the test controls and
 * timers that wake the pCPU.
 */
#ifndef TICK_WORLD_H
#define TICK_WORLD_H

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The TSC has 4 GHz. */
typedef int64_t s_time_t;
extern s_time_t now_ns;
#define NOW() now_ns
#define schedlog_tsc() ((uint64_t)now_ns * 4)
#define max(a, b) ((a) > (b) ? (a) : (b))
#define MILLISECS(n) ((s_time_t)(n) * 1000000)

#include "schedlog-env.h"

#define noinline __attribute__((__noinline__))
#define cf_check
#define __read_mostly
typedef uint16_t domid_t;

struct timer {
    void (*function)(void *data);
    void *data;
    s_time_t at; /* 0: not set */
};
#define init_timer(t, fn, arg, cpu) \
    (*(t) = (struct timer){ .function = (fn), .data = (arg) })
#define set_timer(t, when) ((t)->at = (when))
#define kill_timer(t) ((t)->at = 0)

struct vcpu {
    uint16_t schedlog_acct;
    bool idle;
    struct {
        s_time_t state_entry_time;
    } runstate;
};
extern const struct vcpu *current;
#define is_idle_vcpu(v) ((v)->idle)

#define nr_cpu_ids 4U
#define smp_processor_id() 1U
#define for_each_online_cpu(cpu) for ((cpu) = 1; (cpu) < 2; (cpu)++)
#define DECLARE_PER_CPU(type, name) extern type fake_##name
#define per_cpu(name, cpu) ((void)(cpu), fake_##name)
#define this_cpu(name) fake_##name

struct list_head {
    struct list_head *next, *prev;
};
struct rcu_head {
    struct rcu_head *next;
};

struct jump_label {
    bool on;
};
extern struct jump_label schedlog_label[XEN_SCHEDLOG_NR_EVENTS];
#define SCHEDLOG(event, fn, args...)                    \
    do {                                                \
        if (schedlog_label[XEN_SCHEDLOG_EV_##event].on) \
            fn(args);                                   \
    } while (0)

#define VIRQ_SCHEDLOG 14
void send_global_virq(uint32_t virq);

/* As in schedlog.h and schedlog-pmc.h. */
struct schedlog_pcpu;
void schedlog_switch(const struct vcpu *prev, const struct vcpu *next, s_time_t now);
void schedlog_runq(unsigned int cpu);
void schedlog_memory_tick(struct schedlog_pcpu *pcpu);

#endif /* TICK_WORLD_H */
