/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The area: what there is per pCPU, where it is, and who can find it.  Private
 * to common/schedlog/.
 */
#ifndef SCHEDLOG_AREA_H
#define SCHEDLOG_AREA_H

#include <xen/percpu.h>
#include <xen/schedlog-record.h>
#include <xen/timer.h>

#include <public/sysctl.h>

#include "region.h"
#include "stay.h"
#include "wait.h"
#include "work.h"

/* The kinds of stays. */
#define SCHEDLOG_STAY_NS  0
#define SCHEDLOG_STAY_TSC 1
#define SCHEDLOG_STAY_PMC 2 /* The first of them. */
#define SCHEDLOG_NR_STAYS (SCHEDLOG_STAY_PMC + XEN_SCHEDLOG_MAX_PMCS)

#define SCHEDLOG_PMC_EVENTS                                                  \
    (((1U << XEN_SCHEDLOG_MAX_PMCS) - 1) << XEN_SCHEDLOG_EV_PMC0)
static inline uint32_t schedlog_pmc_events(unsigned int nr)
{
    return ((1U << nr) - 1) << XEN_SCHEDLOG_EV_PMC0;
}

/* Events that share the site of SERVICE_NS. */
#define SCHEDLOG_STAY_EVENTS                                                 \
    ((1U << XEN_SCHEDLOG_EV_SERVICE_NS) |                                    \
     (1U << XEN_SCHEDLOG_EV_SERVICE_TSC) | SCHEDLOG_PMC_EVENTS)

/* Likewise for the site of WAKE_DELAY. */
#define SCHEDLOG_WAIT_EVENTS                                                 \
    ((1U << XEN_SCHEDLOG_EV_WAKE_DELAY) |                                    \
     (1U << XEN_SCHEDLOG_EV_PREEMPT_DELAY) |                                 \
     (1U << XEN_SCHEDLOG_EV_WAIT_PART) |                                     \
     (1U << XEN_SCHEDLOG_EV_OFF_CPU))

/*
 * A pCPU's own part, in private memory.  Once made it stays, also while the
 * pCPU is offline.
 */
struct schedlog_pcpu {
    struct timer tick;
    bool resting;         /* The next tick is a long one. */
    domid_t memory_domid; /* Whose memory has changed here since the tick; */
    bool memory_changed;  /* if any has. */
    unsigned int idle_ticks; /* In a row, since idle time was reported. */
    const uint64_t *mark; /* Shared: [nr_files] */
    struct schedlog_stay stay[SCHEDLOG_NR_STAYS];
    struct schedlog_holders holders;
    struct schedlog_work work;
    struct schedlog_cpu cpu; /* Must be last: it ends in an array. */
};

/* NULL while this pCPU has no area. */
DECLARE_PER_CPU(struct schedlog_pcpu *, schedlog_pcpu);

/* The layout of an area, which set-up fixes. */
struct schedlog_geometry {
    unsigned int nr_acct, nr_files, data_size;
    struct xen_schedlog_file *files;
};

/*
 * Everything here but the look-ups: for the owner of the gate (see
 * lifecycle.h), with pCPUs neither coming nor going.
 */

/*
 * That of the area which is in use.  nr_acct is 0: there is none.  Without the
 * gate, nothing that it points to may be looked at.
 */
const struct schedlog_geometry *schedlog_geometry(void);

/* One more than the highest pCPU with an area. */
unsigned int schedlog_nr_cpus(void);

/* NULL: no area, no such pCPU, no such region. */
const struct schedlog_region *schedlog_find_region(unsigned int region,
                                                   unsigned int cpu);

/*
 * Make an area, of whose layout a copy is made, and take it into use when it
 * is complete.  With the layout of the one which is in use already, pCPUs
 * which have none get one.
 *
 * -ERESTART: call again with the same layout.  -EBUSY: there is another area,
 * or another one was being made, which is given up.  -E2BIG: *@need_bytes is
 * what schedlog_max= has to be at least.  -ENOMEM.  On failure nothing of what
 * was begun remains.
 */
int schedlog_make_area(const struct schedlog_geometry *geometry,
                       uint64_t *need_bytes);

/*
 * Give @acct counters of thresholds, on all pCPUs, and in areas to come as long
 * as a binding to it exists.  This comes before the first binding.  -ERESTART:
 * call again.  -ENOMEM, -E2BIG.
 */
int schedlog_prepare_acct(uint16_t acct);

/* Nobody finds the area any more.  No event may be on. */
void schedlog_give_up_area(void);

/* A pCPU comes online.  False: it has no area. */
bool schedlog_prepare_cpu(unsigned int cpu);

/*
 * doorbell.c: tell the scheduler if a log file has reached its mark.  Returns
 * whether one has.
 */
bool schedlog_ring(const struct schedlog_pcpu *pcpu);

/* stay.c: @events are about to be the ones which are on. */
void schedlog_stay_start(uint32_t events);
void schedlog_stay_init_cpu(struct schedlog_pcpu *pcpu);
void schedlog_stay_tick(struct schedlog_pcpu *pcpu, uint16_t acct);

/* wait.c: likewise. */
void schedlog_wait_start(uint32_t events);

/* off.c: OFF_CPU is about to be on; the runstate of @v changes while it is. */
void schedlog_off_start(void);
void schedlog_off_change(struct vcpu *v, int new_state);
void schedlog_off_end(struct vcpu *v, uint64_t tsc);

/* work.c: log what was added up since the last tick; forget it. */
void schedlog_work_tick(struct schedlog_pcpu *pcpu);
void schedlog_work_start(struct schedlog_pcpu *pcpu);

/* tick.c: for all pCPUs, and for one which comes or goes. */
#define SCHEDLOG_TICK MILLISECS(10)
void schedlog_set_ticking(bool on);
void schedlog_init_tick(struct schedlog_pcpu *pcpu);
void schedlog_start_tick(unsigned int cpu);
void schedlog_stop_tick(unsigned int cpu);

#endif /* SCHEDLOG_AREA_H */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
