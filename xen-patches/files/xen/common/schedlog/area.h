/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory of the log facility: private to common/schedlog/.
 */
#ifndef SCHEDLOG_AREA_H
#define SCHEDLOG_AREA_H

#include <xen/cache.h>
#include <xen/list.h>
#include <xen/percpu.h>
#include <xen/rcupdate.h>
#include <xen/schedlog-record.h>
#include <xen/timer.h>

#include <public/sysctl.h>

#include "stay.h"

/* Pages which are shared with the scheduler, virtually contiguous. */
struct schedlog_region {
    void *va;
    unsigned int nr_pages;
    struct list_head former; /* Given up, but still mapped by someone. */
    struct rcu_head rcu;
};

/* The kinds of stays. */
#define SCHEDLOG_STAY_NS  0
#define SCHEDLOG_STAY_TSC 1
#define SCHEDLOG_STAY_PMC 2 /* The first of them. */
#define SCHEDLOG_NR_STAYS (SCHEDLOG_STAY_PMC + XEN_SCHEDLOG_MAX_PMCS)

#define SCHEDLOG_PMC_EVENTS                                                  \
    (((1U << XEN_SCHEDLOG_MAX_PMCS) - 1) << XEN_SCHEDLOG_EV_PMC0)
#define SCHEDLOG_STAY_EVENTS                                                 \
    ((1U << XEN_SCHEDLOG_EV_SERVICE_NS) |                                    \
     (1U << XEN_SCHEDLOG_EV_SERVICE_TSC) | SCHEDLOG_PMC_EVENTS)

/* A pCPU's area.  Once made it stays, also while the pCPU is offline. */
struct schedlog_pcpu {
    struct schedlog_region *control, *state, *data;
    struct timer tick;
    struct schedlog_stay stay[SCHEDLOG_NR_STAYS];
    struct schedlog_cpu cpu; /* Must be last: it ends in an array. */
};

/* NULL while this pCPU has no area. */
DECLARE_PER_CPU(struct schedlog_pcpu *, schedlog_pcpu);

/* The layout of the area, latched by set-up.  nr_acct is 0: there is none. */
struct schedlog_geometry {
    unsigned int nr_acct, nr_files, data_size;
    struct xen_schedlog_file *files;
};

const struct schedlog_geometry *schedlog_geometry(void);
uint64_t schedlog_used_bytes(void);
uint64_t schedlog_max_bytes(void);
unsigned int schedlog_nr_cpus(void);

/*
 * Set up with a layout, of which a copy is made.  -ERESTART: to be called
 * again with the same layout.
 */
int schedlog_create_area(const struct schedlog_geometry *geometry);

/* Give all memory up.  No event may be on. */
void schedlog_destroy_area(void);

/* NULL: no area, no such pCPU, no such region. */
const struct schedlog_region *schedlog_find_region(unsigned int region,
                                                   unsigned int cpu);

/* stay.c: @events are about to be the ones which are on. */
void schedlog_stay_start(uint32_t events);
void schedlog_stay_init_cpu(struct schedlog_pcpu *pcpu);
void schedlog_stay_tick(struct schedlog_pcpu *pcpu, uint16_t acct);

/* tick.c: for all pCPUs, and for one which comes or goes. */
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
