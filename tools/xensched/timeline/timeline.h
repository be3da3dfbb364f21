/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timeline.h - a recording, understood: which vCPU ran where, which waited, and
 * what woke it.  All that is printed, drawn or exported is taken from this.
 */
#ifndef XENSCHED_TIMELINE_H
#define XENSCHED_TIMELINE_H

#include "timeline/counters/counters.h"
#include "timeline/foreign/foreign.h"
#include "timeline/marks/regions.h"
#include "rings.h"
#include "skew.h"
#include "timeline/threads/threads.h"
#include "wakes.h"
#include "works.h"
#include "xen-work.h"

struct timeline {
    struct rows rows;
    struct stays stays;
    struct vcpus vcpus;
    struct skew skew; /* of pCPUs, which was corrected */
    struct wakes wakes;
    struct rings rings;
    struct works works;
    struct xen_work xen_work;
    struct threads threads;
    struct marks marks;
    struct regions regions; /* all that have a name */
    struct counters counters;
    struct foreign foreign; /* nothing, until foreign_read() */
};

/*
 * Returns 0 also for what comes before a defect, which is in rows.defect then; a
 * negative errno value if there is nothing to be read.
 */
int timeline_open(struct timeline *t, const char *path,
                  struct xensched_error *err);
void timeline_close(struct timeline *t);

/*
 * How well times of the hypervisor's rows are known; if t->skew.unknown is not 0, only those of
 * one pCPU, and of pCPUs whose clocks are known.
 */
uint64_t timeline_error_ns(const struct timeline *t);

/*
 * What a vCPU is called, as "disk" (of one vCPU) or "disk v1".  Never NULL;
 * see text_format().
 */
const char *timeline_vcpu_name(const struct timeline *t, uint32_t vcpu);

/* The domain of a source, and its vCPU as "disk v1".  Likewise. */
const char *timeline_source_name(const struct timeline *t, uint16_t source);
const char *timeline_place_name(const struct timeline *t, uint32_t place);

#endif /* XENSCHED_TIMELINE_H */
