/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfetto.h - writes a timeline as a trace for the Perfetto UI.
 *
 * In the trace a domain is a process, and a vCPU its thread, which runs on pCPUs.  tids are the
 * vCPU's index + 1.  Perfetto has no state for a thread whose state is unknown, so unknown and lost
 * time is "stopped"; each loss is also a slice on a track of its log buffer.
 */
#ifndef XENSCHED_TIMELINE_PERFETTO_H
#define XENSCHED_TIMELINE_PERFETTO_H

#include "timeline/timeline.h"

/* Creates or replaces @path.  Returns 0 or an error of writing. */
int perfetto_write(const struct timeline *t, const char *path,
                   struct xensched_error *err);

#endif /* XENSCHED_TIMELINE_PERFETTO_H */
