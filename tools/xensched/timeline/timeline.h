/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timeline.h - a recording, interpreted: which vCPU ran where, which waited, and what woke it.
 * Everything that commands print, draw or export comes from it.
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
    struct skew skew; /* of pCPUs' clocks, which were corrected */
    struct wakes wakes;
    struct rings rings;
    struct works works;
    struct xen_work xen_work;
    struct threads threads;
    struct marks marks;
    struct regions regions; /* all with a name */
    struct counters counters;
    struct foreign foreign; /* empty until foreign_read() */
};

/*
 * If the recording has a defect, returns 0 with the part before, and sets rows.defect; returns a
 * negative errno value if nothing can be read.
 */
int timeline_open(struct timeline *t, const char *path,
                  struct xensched_error *err);
void timeline_close(struct timeline *t);

/*
 * Returns the error of times of the hypervisor's rows; if t->skew.unknown is not 0, it holds for
 * times of one pCPU, and of pCPUs whose clocks are known.
 */
uint64_t timeline_error_ns(const struct timeline *t);

/*
 * Returns the name of a vCPU, as "disk" (of one vCPU) or "disk v1".  Never returns NULL; see
 * text_format().
 */
const char *timeline_vcpu_name(const struct timeline *t, uint32_t vcpu);

/* Return the domain of a source, and its vCPU as "disk v1".  See text_format(). */
const char *timeline_source_name(const struct timeline *t, uint16_t source);
const char *timeline_place_name(const struct timeline *t, uint32_t place);

#endif /* XENSCHED_TIMELINE_H */
