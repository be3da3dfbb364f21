/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declares a pCPU's part of an area: private to area.c and area-cpu.c.
 */
#ifndef SCHEDLOG_AREA_CPU_H
#define SCHEDLOG_AREA_CPU_H

#include "area.h"

/* The regions of a pCPU. */
enum schedlog_part {
    PART_PRIVATE, /* struct schedlog_pcpu */
    PART_SKIPPED, /* Counters of thresholds. */
    PART_CONTROL,
    PART_STATE,
    PART_DATA,
    NR_PARTS
};

struct schedlog_regions {
    struct schedlog_region *region[NR_PARTS];
    bool complete;
};

struct schedlog_area {
    struct schedlog_geometry geometry;
    struct schedlog_region *global;
    struct schedlog_regions *cpu; /* [nr_cpu_ids] */
};

/*
 * Accounting domains below this have counters of thresholds, or get them now.
 * Such counters take as much memory as all else but log buffers, so other
 * accounting domains have none.
 */
extern unsigned int schedlog_nr_wanted;

/* Returns the memory that an area takes for each pCPU, in whole pages. */
uint64_t schedlog_cpu_bytes(const struct schedlog_geometry *g);

/*
 * Continue where the last call stopped.  All three return 0, -ENOMEM, -E2BIG,
 * or -ERESTART, only if @preempt, if the caller has to call again.
 */
int schedlog_fill_region(struct schedlog_region **region, size_t size,
                         size_t wanted, enum schedlog_access access,
                         unsigned int memflags, bool preempt);
int schedlog_fill_part(struct schedlog_area *area, unsigned int cpu,
                       enum schedlog_part part, bool preempt);
int schedlog_fill_cpu(struct schedlog_area *area, unsigned int cpu,
                      bool preempt);

/* An offline pCPU has no pointer for the hot path, but keeps its regions. */
void schedlog_attach_cpu(const struct schedlog_area *area, unsigned int cpu);

void schedlog_give_up_cpu(struct schedlog_regions *regions);

#endif /* SCHEDLOG_AREA_CPU_H */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
