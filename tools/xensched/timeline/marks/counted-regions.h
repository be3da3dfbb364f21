/* SPDX-License-Identifier: GPL-2.0-only */
/* counted-regions.h - what guests count by marks, as counters. */
#ifndef XENSCHED_TIMELINE_COUNTED_REGIONS_H
#define XENSCHED_TIMELINE_COUNTED_REGIONS_H

#include "timeline/counters/counters.h"
#include "marks.h"

/* Behind those which there are.  @marks has to stay. */
void counts_make(struct counters *counters, const struct rows *rows,
                 const struct marks *marks);

#endif /* XENSCHED_TIMELINE_COUNTED_REGIONS_H */
