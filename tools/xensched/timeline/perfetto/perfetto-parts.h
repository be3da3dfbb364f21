/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfetto-parts.h - a trace for Perfetto while it is written, for the files that
 * write it.
 */
#ifndef XENSCHED_TIMELINE_PERFETTO_PARTS_H
#define XENSCHED_TIMELINE_PERFETTO_PARTS_H

#include <stdio.h>

#include "perfetto.pb-c.h"
#include "timeline/timeline.h"

/* What a track is of, above the number of that. */
enum track {
    TRACK_VCPU = 1, /* index */
    TRACK_PCPU,     /* id */
    TRACK_LOSSES,   /* id << 16 | log file */
    TRACK_THREAD,   /* index */
    TRACK_COUNTER,  /* index */
    TRACK_REGIONS,  /* index of the vCPU << 8 | lane */
    TRACK_RING,     /* index */
    TRACK_FOREIGN,  /* index of the lane */
    TRACK_PROCESS,  /* pid */
};

/* Of a name. */
#define TRACE_TEXT 600U

struct trace {
    const struct timeline *t;
    FILE *to;
    uint8_t *packed;
    size_t room;
};

uint64_t trace_uuid(enum track track, uint64_t number);

/* Names come from a recording: a text that is no UTF-8 is none for protobuf. */
char *trace_plain(char *text);

void trace_packet(struct trace *trace, Perfetto__TracePacket *packet);
void trace_stamp(const struct trace *trace, Perfetto__TracePacket *packet,
                 uint64_t ns);

void trace_track(struct trace *trace, uint64_t id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* @event, of which all but name and track are set. */
void trace_event(struct trace *trace, uint64_t ns, Perfetto__TrackEvent *event,
                 uint64_t track, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* What guests mark; rings; what the daemon decided, and foreign traces. */
void trace_marks(struct trace *trace);
void trace_rings(struct trace *trace);
void trace_notes(struct trace *trace);

#endif /* XENSCHED_TIMELINE_PERFETTO_PARTS_H */
