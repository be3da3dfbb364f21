/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfetto-parts.h - a Perfetto trace while it is written; for the files that write it.
 */
#ifndef XENSCHED_TIMELINE_PERFETTO_PARTS_H
#define XENSCHED_TIMELINE_PERFETTO_PARTS_H

#include <stdio.h>

#include "perfetto.pb-c.h"
#include "timeline/timeline.h"

/* Kinds of tracks, in the upper bits of a track's number. */
enum track {
    TRACK_VCPU = 1, /* index */
    TRACK_PCPU,     /* id */
    TRACK_LOSSES,   /* id << 16 | log buffer */
    TRACK_THREAD,   /* index */
    TRACK_COUNTER,  /* index */
    TRACK_REGIONS,  /* index of the vCPU << 8 | lane */
    TRACK_RING,     /* index */
    TRACK_FOREIGN,  /* index of the lane */
    TRACK_PROCESS,  /* pid */
};

/* The longest name. */
#define TRACE_TEXT 600U

struct trace {
    const struct timeline *t;
    FILE *to;
    uint8_t *packed;
    size_t room;
};

uint64_t trace_uuid(enum track track, uint64_t number);

/* Makes a recording's name valid UTF-8; protobuf rejects other texts. */
char *trace_plain(char *text);

void trace_packet(struct trace *trace, Perfetto__TracePacket *packet);
void trace_stamp(const struct trace *trace, Perfetto__TracePacket *packet,
                 uint64_t ns);

void trace_track(struct trace *trace, uint64_t id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes @event, whose members but name and track are set. */
void trace_event(struct trace *trace, uint64_t ns, Perfetto__TrackEvent *event,
                 uint64_t track, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Write regions and marks; rings; the daemon's decisions, and foreign traces. */
void trace_marks(struct trace *trace);
void trace_rings(struct trace *trace);
void trace_notes(struct trace *trace);

#endif /* XENSCHED_TIMELINE_PERFETTO_PARTS_H */
