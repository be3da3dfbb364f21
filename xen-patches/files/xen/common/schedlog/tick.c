/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tick: what is to be known without that anything happens.
 *
 * Xen's schedulers have no tick in common (credit has one; credit2, null and
 * rtds have none), so the log brings its own: a timer on each pCPU, which runs
 * while any event is on.  It samples the run queue, reports what the vCPU which
 * runs has used so far, logs what Xen worked, is the clock of rows with
 * TIME_TICK, and rings.
 *
 * An idle pCPU whose run queue is not sampled has nothing of that to report
 * but how long it has been idle: its tick rests, and comes now and then.  The
 * site of the exit events ends the rest when the pCPU gets something to do.
 * While that site is off, ticks come at the same intervals everywhere.
 *
 * The handler runs in TIMER_SOFTIRQ on its own pCPU, so it doesn't nest with
 * log sites.  Ticks are started and stopped with pCPUs neither coming nor
 * going.
 */

#include <xen/cpumask.h>
#include <xen/sched.h>
#include <xen/schedlog.h>
#include <xen/timer.h>

#include "area.h"

#define PERIOD SCHEDLOG_TICK

/*
 * The rest of an idle pCPU's tick, in periods: 0.5 s, after which the idle time
 * so far is reported.  Counters of rows can have 32 bits, in which 0.9 s of a
 * TSC with 4.7 GHz have room.
 */
#define REST 50

static bool __read_mostly ticking;

/*
 * pCPUs take turns within the period: those which share a run queue would wait
 * for its lock if they all sampled it at once.
 */
static s_time_t phase_of(unsigned int cpu)
{
    return PERIOD * cpu / nr_cpu_ids;
}

/* As if there had been a tick just now. */
void schedlog_init_tick(struct schedlog_pcpu *pcpu)
{
    pcpu->cpu.tick = NOW() / PERIOD;
}

static void set_tick(struct schedlog_pcpu *pcpu, unsigned int cpu, bool rest)
{
    s_time_t phase = phase_of(cpu), turns = (NOW() - phase) / PERIOD;

    pcpu->resting = rest;
    schedlog_init_tick(pcpu);
    set_timer(&pcpu->tick, (turns + (rest ? REST : 1)) * PERIOD + phase);
}

static bool is_on(unsigned int event)
{
    return schedlog_label[event].on;
}

/* A pCPU whose run queue is sampled has all ticks, and these are counted. */
static bool idle_time_is_due(struct schedlog_pcpu *pcpu)
{
    if ( !pcpu->resting && ++pcpu->idle_ticks < REST )
        return false;

    pcpu->idle_ticks = 0;

    return true;
}

static void cf_check tick(void *data)
{
    struct schedlog_pcpu *pcpu = data;
    unsigned int cpu = smp_processor_id();
    bool idle = is_idle_vcpu(current), rings;

    schedlog_init_tick(pcpu);

    SCHEDLOG(RUNQ, schedlog_runq, cpu);
    SCHEDLOG(MEMORY, schedlog_memory_tick, pcpu);

    /* Short times of idleness are reported when they are over. */
    if ( !idle || idle_time_is_due(pcpu) )
        schedlog_stay_tick(pcpu, current->schedlog_acct);
    if ( !idle )
        pcpu->idle_ticks = 0;

    schedlog_work_tick(pcpu);

    rings = schedlog_ring(pcpu);
    set_tick(pcpu, cpu, idle && !rings && is_on(XEN_SCHEDLOG_EV_SERVICE_NS) &&
                        !is_on(XEN_SCHEDLOG_EV_RUNQ));
}

void schedlog_start_tick(unsigned int cpu)
{
    struct schedlog_pcpu *pcpu = per_cpu(schedlog_pcpu, cpu);

    if ( !ticking || !pcpu || pcpu->tick.function )
        return;

    init_timer(&pcpu->tick, tick, pcpu, cpu);
    set_tick(pcpu, cpu, false);
}

/* After this the handler doesn't run and will not. */
void schedlog_stop_tick(unsigned int cpu)
{
    struct schedlog_pcpu *pcpu = per_cpu(schedlog_pcpu, cpu);

    if ( !pcpu || !pcpu->tick.function )
        return;

    kill_timer(&pcpu->tick);
    pcpu->tick.function = NULL;
    pcpu->resting = false;
}

/* The sites of work are NOPs. */
static void start_work(void)
{
    unsigned int cpu;

    for_each_online_cpu ( cpu )
        if ( per_cpu(schedlog_pcpu, cpu) )
            schedlog_work_start(per_cpu(schedlog_pcpu, cpu));
}

void schedlog_set_ticking(bool on)
{
    unsigned int cpu;

    if ( on && !ticking )
        start_work();

    ticking = on;

    for_each_online_cpu ( cpu )
        if ( on )
            schedlog_start_tick(cpu);
        else
            schedlog_stop_tick(cpu);
}

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
