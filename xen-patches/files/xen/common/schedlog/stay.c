/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Logs service time and performance counters: how much of the pCPU accounting
 * domains use.  One log site, where the vCPU is switched, serves all of these
 * events.
 *
 * Everything but schedlog_stay_start() runs on the pCPU that it concerns.
 */

#include <xen/schedlog.h>
#include <xen/schedlog-pmc.h>
#include <xen/time.h>
#include <xen/timer.h>

#include "area.h"

/* Mask of those events that are on. */
static uint32_t __read_mostly stays_on;

static struct schedlog_epoch __read_mostly epochs[SCHEDLOG_NR_STAYS];

/* [SCHEDLOG_STAY_*] */
static const unsigned int event_of[SCHEDLOG_NR_STAYS] = {
    [SCHEDLOG_STAY_NS]  = XEN_SCHEDLOG_EV_SERVICE_NS,
    [SCHEDLOG_STAY_TSC] = XEN_SCHEDLOG_EV_SERVICE_TSC,
    [SCHEDLOG_STAY_PMC] = XEN_SCHEDLOG_EV_PMC0,
                          XEN_SCHEDLOG_EV_PMC1,
                          XEN_SCHEDLOG_EV_PMC2,
                          XEN_SCHEDLOG_EV_PMC3,
};

static bool is_on(unsigned int kind)
{
    return stays_on & (1U << event_of[kind]);
}

/*
 * The sites of these events are NOPs, or are about to be turned on.  A stay
 * that is under way counts from now on, since its begin was not seen.
 */
void schedlog_stay_start(uint32_t events)
{
    unsigned int kind;

    for ( kind = 0; kind < SCHEDLOG_NR_STAYS; kind++ )
    {
        struct schedlog_epoch *epoch = &epochs[kind];

        if ( is_on(kind) || !(events & (1U << event_of[kind])) )
            continue;

        epoch->value = kind == SCHEDLOG_STAY_TSC ? schedlog_tsc() : NOW();
        epoch->known = kind < SCHEDLOG_STAY_PMC;
        smp_wmb();
        epoch->nr++;
    }

    smp_wmb();
    stays_on = events & SCHEDLOG_STAY_EVENTS;
}

void schedlog_stay_init_cpu(struct schedlog_pcpu *pcpu)
{
    unsigned int kind;

    for ( kind = 0; kind < SCHEDLOG_NR_STAYS; kind++ )
        schedlog_stay_init(&pcpu->stay[kind], &epochs[kind]);
}

static void switch_pmcs(struct schedlog_pcpu *pcpu, uint16_t prev,
                        uint16_t next)
{
    unsigned int kind;

    for ( kind = SCHEDLOG_STAY_PMC; kind < SCHEDLOG_NR_STAYS; kind++ )
    {
        struct schedlog_stay *stay = &pcpu->stay[kind];

        if ( !is_on(kind) )
            continue;

        schedlog_stay_epoch(stay, &epochs[kind]);
        if ( schedlog_stay_next(&pcpu->cpu, stay, event_of[kind], next) )
            schedlog_stay_switch(&pcpu->cpu, stay, event_of[kind], prev, next,
                                 schedlog_read_pmc(kind - SCHEDLOG_STAY_PMC),
                                 schedlog_pmc_mask());
    }
}

/*
 * The tick was resting, and runs at its usual interval from now on.  This is
 * rare, and out of line so that schedlog_switch() saves no register for it.
 */
static void noinline switch_after_rest(const struct vcpu *prev,
                                       const struct vcpu *next, s_time_t now)
{
    struct schedlog_pcpu *pcpu = this_cpu(schedlog_pcpu);

    pcpu->resting = false;
    pcpu->cpu.tick = now / SCHEDLOG_TICK;
    set_timer(&pcpu->tick, now + SCHEDLOG_TICK);
    schedlog_switch(prev, next, now);
}

void schedlog_switch(const struct vcpu *prev, const struct vcpu *next,
                     s_time_t now)
{
    struct schedlog_pcpu *pcpu = this_cpu(schedlog_pcpu);
    uint16_t from = prev->schedlog_acct, to = next->schedlog_acct;
    struct schedlog_stay *stay;

    /* A stay ends only when another accounting domain enters. */
    if ( !pcpu || from == to )
        return;

    /* Only an idle pCPU's tick rests, and this pCPU is idle no longer. */
    if ( unlikely(pcpu->resting) )
        return switch_after_rest(prev, next, now);

    if ( is_on(SCHEDLOG_STAY_NS) )
    {
        stay = &pcpu->stay[SCHEDLOG_STAY_NS];
        schedlog_stay_epoch(stay, &epochs[SCHEDLOG_STAY_NS]);
        if ( schedlog_stay_next(&pcpu->cpu, stay, XEN_SCHEDLOG_EV_SERVICE_NS,
                                to) )
            schedlog_stay_switch(&pcpu->cpu, stay, XEN_SCHEDLOG_EV_SERVICE_NS,
                                 from, to, now, ~0ULL);
        /*
         * Another pCPU woke @next after this pCPU had read its clock.  Xen does
         * not account the time before the wake-up.
         */
        if ( unlikely(next->runstate.state_entry_time > now) )
            stay->entered = next->runstate.state_entry_time;
    }

    if ( is_on(SCHEDLOG_STAY_TSC) )
    {
        stay = &pcpu->stay[SCHEDLOG_STAY_TSC];
        schedlog_stay_epoch(stay, &epochs[SCHEDLOG_STAY_TSC]);
        if ( schedlog_stay_next(&pcpu->cpu, stay, XEN_SCHEDLOG_EV_SERVICE_TSC,
                                to) )
            schedlog_stay_switch(&pcpu->cpu, stay, XEN_SCHEDLOG_EV_SERVICE_TSC,
                                 from, to, schedlog_tsc(), ~0ULL);
    }

    if ( stays_on & SCHEDLOG_PMC_EVENTS )
        switch_pmcs(pcpu, from, to);
}

/* Reads the counter of a resource. */
static uint64_t read_counter(unsigned int kind)
{
    if ( kind >= SCHEDLOG_STAY_PMC )
        return schedlog_read_pmc(kind - SCHEDLOG_STAY_PMC);

    return kind == SCHEDLOG_STAY_TSC ? schedlog_tsc() : NOW();
}

/* Reports the usage of a vCPU that keeps its pCPU. */
void schedlog_stay_tick(struct schedlog_pcpu *pcpu, uint16_t acct)
{
    unsigned int kind;

    for ( kind = 0; kind < SCHEDLOG_NR_STAYS; kind++ )
    {
        struct schedlog_stay *stay = &pcpu->stay[kind];

        if ( !is_on(kind) )
            continue;

        schedlog_stay_epoch(stay, &epochs[kind]);
        if ( stay->logged )
            schedlog_stay_report(&pcpu->cpu, stay, event_of[kind], acct,
                                 read_counter(kind),
                                 kind >= SCHEDLOG_STAY_PMC
                                 ? schedlog_pmc_mask() : ~0ULL);
    }
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
