/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfetto.h - a timeline as a trace that the Perfetto UI opens.
 *
 * A domain is a process there and a vCPU its thread, which runs on pCPUs.  tids
 * are the vCPU's index + 1.  Perfetto has no state for a thread of which nothing
 * is known: that, and what rows were lost of, is "stopped"; and each loss is a
 * slice on a track of its log file.
 */
#ifndef XENSCHED_TIMELINE_PERFETTO_H
#define XENSCHED_TIMELINE_PERFETTO_H

#include "timeline/timeline.h"

/* Create or replace @path.  Returns 0, or what writing can return. */
int perfetto_write(const struct timeline *t, const char *path,
                   struct xensched_error *err);

#endif /* XENSCHED_TIMELINE_PERFETTO_H */
