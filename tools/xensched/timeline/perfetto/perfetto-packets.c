/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes packets, tracks and events of a Perfetto trace. */
#include <stdarg.h>

#include "base/alloc.h"
#include "base/text.h"
#include "perfetto-parts.h"

/* The writer of a packet; there is no other one. */
#define SEQUENCE 1U

uint64_t trace_uuid(enum track track, uint64_t number)
{
    return (uint64_t)track << 56 | number;
}

char *trace_plain(char *text)
{
    bool valid = utf8_is_valid(text);
    unsigned char *c;

    for (c = (unsigned char *)text; *c; c++)
        if (*c < ' ' || *c == 0x7f || (*c > 0x7f && !valid))
            *c = '?';

    return text;
}

void trace_packet(struct trace *trace, Perfetto__TracePacket *packet)
{
    Perfetto__Trace whole = PERFETTO__TRACE__INIT;
    size_t size;

    packet->has_trusted_packet_sequence_id = true;
    packet->trusted_packet_sequence_id = SEQUENCE;
    whole.n_packet = 1;
    whole.packet = &packet;
    size = perfetto__trace__get_packed_size(&whole);
    if (size > trace->room) {
        trace->room = 2 * size;
        trace->packed = need_more_memory(trace->packed, trace->room, 1);
    }
    perfetto__trace__pack(&whole, trace->packed);
    fwrite(trace->packed, 1, size, trace->to);
}

void trace_stamp(const struct trace *trace, Perfetto__TracePacket *packet,
                 uint64_t ns)
{
    packet->has_timestamp = true;
    packet->timestamp = trace->t->rows.begin_ns + ns;
}

void trace_track(struct trace *trace, uint64_t id, const char *format, ...)
{
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
    char name[TRACE_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(name, sizeof(name), format, args);
    va_end(args);
    track.has_uuid = true;
    track.uuid = id;
    track.name = trace_plain(name);
    packet.track_descriptor = &track;
    trace_packet(trace, &packet);
}

void trace_event(struct trace *trace, uint64_t ns, Perfetto__TrackEvent *event,
                 uint64_t track, const char *format, ...)
{
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
    char name[TRACE_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(name, sizeof(name), format, args);
    va_end(args);
    event->has_type = event->has_track_uuid = true;
    event->track_uuid = track;
    event->name = *name ? trace_plain(name) : NULL;
    packet.track_event = event;
    trace_stamp(trace, &packet, ns);
    trace_packet(trace, &packet);
}
