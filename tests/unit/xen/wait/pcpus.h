/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Moves vCPUs between pCPUs as Xen's schedulers do, and reads the rows that the
 * hypervisor's own wait.c, off.c and record handler log of that: test-xen-wait,
 * test-xen-off, test-xen-budget and test-xen-work include this file.
 */
#ifndef WAIT_PCPUS_H
#define WAIT_PCPUS_H

#include "cmocka-tap.h"

#include "world.h"

#include "common/schedlog/wait.c"
#include "common/schedlog/off.c"

#undef current

#define A 2
#define B 3
#define C 4
#define NR_ACCT 16
#define SIZE (1U << 20)
#define NONE XEN_SCHEDLOG_ACCT_NONE
#define XEN XEN_SCHEDLOG_ACCT_XEN
#define WAKE XEN_SCHEDLOG_EV_WAKE_DELAY
#define PREEMPT XEN_SCHEDLOG_EV_PREEMPT_DELAY
#define PART XEN_SCHEDLOG_EV_WAIT_PART
#define OFF XEN_SCHEDLOG_EV_OFF_CPU
/* Events that are rows of waits, which most tests count. */
#define WAITS (1U << WAKE | 1U << PREEMPT | 1U << PART)
#define US 1000

struct row {
    uint8_t event, reason;
    uint16_t current, correspondent, pad;
    uint32_t counter, pad_end;
};

s_time_t now_ns;
unsigned int this_pcpu;
bool fake_in_irq, irqs_off;
struct schedlog_pcpu *fake_schedlog_pcpu[NR_PCPUS];

static uint64_t route[NR_ACCT][XEN_SCHEDLOG_NR_EVENTS];
static uint32_t skipped[NR_PCPUS][NR_ACCT * XEN_SCHEDLOG_NR_EVENTS];
static uint32_t lcr[1];
static struct xen_schedlog_state state[NR_PCPUS];
static uint8_t data[NR_PCPUS][SIZE];

static struct vcpu idle[NR_PCPUS];
struct vcpu *running[NR_PCPUS];
struct vcpu *known_vcpu[3];
static bool site_on;

/* Indexed by number, as accounting domains are. */
static struct domain domain[NR_ACCT];

/* Does the part of vcpu_runstate_change(). */
static void change(struct vcpu *v, int new_state)
{
    if (v->runstate.state == new_state)
        return;
    if (site_on)
        schedlog_wait(v, new_state, now_ns);
    v->runstate.time[v->runstate.state] += now_ns - v->runstate.state_entry_time;
    v->runstate.state_entry_time = now_ns;
    v->runstate.state = new_state;
}

/* Does the part of sched_switch_units(), on @this_pcpu. */
static void switch_on(unsigned int cpu, struct vcpu *next, int state_of_prev)
{
    struct vcpu *prev = running[cpu];

    if (prev == next)
        return;
    change(prev, state_of_prev);
    next->processor = cpu;
    change(next, RUNSTATE_running);
    running[cpu] = next;
}

static void run(unsigned int cpu, struct vcpu *next)
{
    this_pcpu = cpu;
    switch_on(cpu, next, RUNSTATE_runnable);
}

static void wake(struct vcpu *v)
{
    change(v, RUNSTATE_runnable);
}

static struct vcpu vcpu_of(uint16_t acct)
{
    return (struct vcpu){
        .schedlog_acct = acct,
        .domain = &domain[acct % NR_ACCT],
        .pause_flags = VPF_blocked,
        .runstate = { RUNSTATE_blocked, now_ns },
    };
}

static void turn_on(uint32_t events)
{
    schedlog_wait_start(events);
    site_on = events & SCHEDLOG_WAIT_EVENTS;
}

static void make_pcpu(unsigned int cpu)
{
    struct schedlog_pcpu *pcpu = calloc(1, sizeof(*pcpu) + sizeof(struct schedlog_file));

    pcpu->cpu.lcr = lcr;
    pcpu->cpu.route = route[0];
    pcpu->cpu.skipped = skipped[cpu];
    pcpu->cpu.acct_mask = NR_ACCT - 1;
    schedlog_init_file(&pcpu->cpu.file[0], data[cpu], SIZE, &state[cpu]);
    fake_schedlog_pcpu[cpu] = pcpu;
    idle[cpu] = (struct vcpu){
        .processor = cpu,
        .idle = true,
        .schedlog_acct = XEN,
        .domain = &domain[XEN],
        .runstate = { RUNSTATE_running, now_ns },
    };
    running[cpu] = &idle[cpu];
}

static int set_up(void **unused)
{
    unsigned int cpu, acct, event;

    (void)unused;
    now_ns = 1000 * MILLISECS(1000);
    memset(state, 0, sizeof(state));
    memset(skipped, 0, sizeof(skipped));
    lcr[0] = XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |
             XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER |
             XEN_SCHEDLOG_LCR_REASON;
    for (acct = 0; acct < NR_ACCT; acct++)
        domain[acct] = (struct domain){ .schedlog_acct = acct };
    for (acct = 0; acct < NR_ACCT; acct++)
        for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
            route[acct][event] = XEN_SCHEDLOG_ROUTE_VALID;
    for (cpu = 0; cpu < NR_PCPUS; cpu++)
        make_pcpu(cpu);
    turn_on(WAITS);
    /* After a first switch, the holder of each pCPU is known. */
    for (cpu = 0; cpu < NR_PCPUS; cpu++)
        schedlog_wait(&idle[cpu], RUNSTATE_running, now_ns);
    now_ns += MILLISECS(100);

    return 0;
}

static int tear_down(void **unused)
{
    unsigned int cpu;

    (void)unused;
    turn_on(0);
    for (cpu = 0; cpu < NR_PCPUS; cpu++)
        free(fake_schedlog_pcpu[cpu]);

    return 0;
}

static unsigned int nr_rows(unsigned int cpu)
{
    return state[cpu].pos / sizeof(struct row);
}

static struct row row(unsigned int cpu, unsigned int nr)
{
    struct row r;

    assert_true(nr < nr_rows(cpu));
    memcpy(&r, data[cpu] + nr * sizeof(r), sizeof(r));

    return r;
}

#endif /* WAIT_PCPUS_H */
