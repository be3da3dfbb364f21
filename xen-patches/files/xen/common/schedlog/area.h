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
#include <xen/time.h>

#include <public/sysctl.h>

/* Pages which are shared with the scheduler, virtually contiguous. */
struct schedlog_region {
    void *va;
    unsigned int nr_pages;
    struct list_head former; /* Given up, but still mapped by someone. */
    struct rcu_head rcu;
};

/* A pCPU's area.  Once made it stays, also while the pCPU is offline. */
struct schedlog_pcpu {
    struct schedlog_region *control, *state, *data;
    s_time_t entered;        /* When the present accounting domain did. */
    struct schedlog_cpu cpu; /* Must be last: it ends in an array. */
};

/* NULL while this pCPU has no area. */
DECLARE_PER_CPU(struct schedlog_pcpu *, schedlog_pcpu);

extern s_time_t schedlog_service_since;

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
