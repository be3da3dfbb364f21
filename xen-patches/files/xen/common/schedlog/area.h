/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declares the area: its data per pCPU, their layout, and the look-ups.
 * Private to common/schedlog/.
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
#define SCHEDLOG_STAY_PMC 2 /* The first performance counter. */
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

/* Events that share the site of WAKE_DELAY. */
#define SCHEDLOG_WAIT_EVENTS                                                 \
    ((1U << XEN_SCHEDLOG_EV_WAKE_DELAY) |                                    \
     (1U << XEN_SCHEDLOG_EV_PREEMPT_DELAY) |                                 \
     (1U << XEN_SCHEDLOG_EV_WAIT_PART) |                                     \
     (1U << XEN_SCHEDLOG_EV_OFF_CPU) | (1U << XEN_SCHEDLOG_EV_MIGRATE))

/*
 * A pCPU's own data, in private memory, which outlive the time that the pCPU
 * is online.
 */
struct schedlog_pcpu {
    struct timer tick;
    bool resting;         /* The next tick is a long one. */
    domid_t memory_domid; /* A domain whose memory changed on this pCPU, */
    bool memory_changed;  /* if any has since the last tick. */
    unsigned int idle_ticks; /* In a row, since idle time was reported. */
    const uint64_t *mark; /* Watermarks, in shared memory: [nr_files] */
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
 * The caller of all but the look-ups holds control_lock (see lifecycle.h) and
 * the CPU maps.
 */

/*
 * Returns the layout of the live area; nr_acct is 0 if there is none.  Without
 * control_lock, a caller must not follow its pointer.
 */
const struct schedlog_geometry *schedlog_geometry(void);

/* Returns one more than the highest pCPU with an area. */
unsigned int schedlog_nr_cpus(void);

/* Returns NULL if there is no area, no such pCPU, or no such region. */
const struct schedlog_region *schedlog_find_region(unsigned int region,
                                                   unsigned int cpu);

/*
 * Allocate an area with a copy of this layout, and let it log when it is
 * complete.  If the live area has this layout, complete it for pCPUs that it
 * lacks.
 *
 * Returns 0, or
 * -ERESTART if the caller has to call again with the same layout;
 * -EBUSY if an area with another layout is live, or was pending and is given
 *  up now;
 * -E2BIG if schedlog_max= has to be at least *@need_bytes;
 * -ENOMEM.
 * After a failure there is no pending area.
 */
int schedlog_make_area(const struct schedlog_geometry *g, uint64_t *need_bytes);

/*
 * Give @acct counters of thresholds, on all pCPUs, and in later areas as long
 * as a binding to it exists.  This comes before the first binding.  Returns 0,
 * -ENOMEM, -E2BIG, or -ERESTART if the caller has to call again.
 */
int schedlog_prepare_acct(uint16_t acct);

/* The caller of this one need not hold the CPU maps. */
void schedlog_give_up_pending(void);

/* Look-ups find no area after this.  No event may be on. */
void schedlog_give_up_area(void);

/* A pCPU comes online.  Returns false if there is no memory for it. */
bool schedlog_prepare_cpu(unsigned int cpu);

/*
 * doorbell.c: notify the scheduler if a log buffer has reached its watermark.
 * Returns whether one has.
 */
bool schedlog_ring(const struct schedlog_pcpu *pcpu);

/* stay.c: @events are about to be the ones that are on. */
void schedlog_stay_start(uint32_t events);
void schedlog_stay_init_cpu(struct schedlog_pcpu *pcpu);
void schedlog_stay_tick(struct schedlog_pcpu *pcpu, uint16_t acct);

/* wait.c: likewise. */
void schedlog_wait_start(uint32_t events);

/*
 * off.c: @events of waits are about to be turned on, beside others if notes are
 * made already; the runstate of @v, no idle vCPU, changes while notes are made.
 */
void schedlog_off_start(uint32_t events, bool noted);
void schedlog_leaves(struct vcpu *v, int new_state);
void schedlog_kept_off(struct vcpu *v);
void schedlog_log_off(const struct vcpu *v, uint64_t end);

/*
 * Converts XEN_SCHEDLOG_LEFT_* to schedlog_left of struct vcpu and back.  0
 * is a sleep there: nearly all vCPUs that left at an unknown time sleep.
 */
static inline unsigned int schedlog_left_code(unsigned int left)
{
    return left ^ XEN_SCHEDLOG_LEFT_BLOCKED;
}

/* work.c: log the sums since the last tick; discard them. */
void schedlog_work_tick(struct schedlog_pcpu *pcpu);
void schedlog_work_start(struct schedlog_pcpu *pcpu);

/* tick.c: for all pCPUs, and for one that comes online or goes offline. */
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
