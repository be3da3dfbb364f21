/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes packets, tracks and events of a Perfetto trace: marks of guests, requests on rings,
 * decisions of the daemon and foreign traces.
 */
#include <inttypes.h>
#include <stdarg.h>

#include "base/alloc.h"
#include "base/text.h"
#include "timeline/marks/regions.h"
#include "perfetto-parts.h"

/* Packets, tracks and events. */

/* The number of the only writer of packets. */
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

/* Marks, requests, decisions and foreign traces. */

/* Regions of guests. */

static void write_region(struct trace *trace, const struct region *region,
                         uint64_t track)
{
    const struct region_kind *kind = &trace->t->regions.kind[region->kind];
    Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

    event.type = PERFETTO__TRACK_EVENT__TYPE__SLICE_BEGIN;
    trace_event(trace, region->begin, &event, track, "%s", kind->name);
    event.type = PERFETTO__TRACK_EVENT__TYPE__SLICE_END;
    trace_event(trace, region->end, &event, track, "%s", "");
}

/* Regions of one track do not overlap, because Perfetto could not show that. */
static void write_regions(struct trace *trace)
{
    struct region_lanes lanes;
    unsigned int i;
    size_t j;

    region_lanes_make(&lanes, &trace->t->regions, &trace->t->vcpus);
    for (i = 0; i < lanes.nr; i++) {
        const struct region_lane *lane = &lanes.lane[i];
        uint64_t track = trace_uuid(TRACK_REGIONS,
                                    (uint64_t)lane->vcpu << 8 | lane->number);

        trace_track(trace, track, "%s: regions",
                    timeline_vcpu_name(trace->t, lane->vcpu));
        for (j = 0; j < lane->nr; j++)
            write_region(trace, lane->region[j], track);
    }
    region_lanes_free(&lanes);
}

/* Writes an instant of a vCPU; for an unknown vCPU, of the first one of the domain. */
static void write_instant(struct trace *trace, uint64_t ns, uint16_t acct,
                          uint32_t vcpu, const char *what, const char *name)
{
    const unsigned int *first = &trace->t->vcpus.first[acct];
    Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

    event.type = PERFETTO__TRACK_EVENT__TYPE__INSTANT;
    if (first[0] < first[1])
        trace_event(trace, ns, &event,
                    trace_uuid(TRACK_VCPU, vcpu == STAY_NONE ? *first : vcpu),
                    "%s%s", what, name);
}

static void write_instants(struct trace *trace)
{
    const struct timeline *t = trace->t;
    size_t i;

    for (i = 0; i < t->marks.nr; i++) {
        const struct mark *mark = &t->marks.mark[i];

        if (mark->kind == MARK_CODE || mark->kind == MARK_LABEL)
            write_instant(trace, mark->ns, mark->acct, mark->lane,
                          mark->kind == MARK_CODE ? "mark " : "",
                          marks_name(&t->marks, mark));
    }
    for (i = 0; i < t->rows.nr; i++)
        if (t->rows.row[i].event == XEN_SCHEDLOG_EV_MIGRATE)
            write_instant(trace, t->rows.row[i].ns, t->rows.row[i].current,
                          STAY_NONE, "migrates", "");
}

void trace_marks(struct trace *trace)
{
    write_regions(trace);
    write_instants(trace);
}

/* Rings. */

static void write_slice(struct trace *trace, uint64_t track,
                        const struct ring_request *r, const char *unit)
{
    Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

    event.type = PERFETTO__TRACK_EVENT__TYPE__SLICE_BEGIN;
    trace_event(trace, r->begin, &event, track, "%s, %" PRIu64 " %s",
                ring_operation_name[r->operation], r->size, unit);
    event.type = PERFETTO__TRACK_EVENT__TYPE__SLICE_END;
    trace_event(trace, r->end, &event, track, "%s", "");
}

/* Writes a flow from the requesting vCPU to the response. */
static void write_request_flow(struct trace *trace, uint64_t track,
                               const struct ring_request *r, uint64_t flow)
{
    Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

    event.type = PERFETTO__TRACK_EVENT__TYPE__INSTANT;
    event.n_flow_ids = 1;
    event.flow_ids = &flow;
    trace_event(trace, r->begin, &event, trace_uuid(TRACK_VCPU, r->from),
                "asks");
    event.n_flow_ids = 0;
    event.n_terminating_flow_ids = 1;
    event.terminating_flow_ids = &flow;
    trace_event(trace, r->end, &event, track, "response");
}

void trace_rings(struct trace *trace)
{
    const struct timeline *t = trace->t;
    uint64_t flow = t->wakes.nr + t->threads.nr_wakes;
    size_t i, j;

    for (i = 0; i < t->rings.nr; i++) {
        const struct ring *ring = &t->rings.ring[i];
        uint64_t track = trace_uuid(TRACK_RING, i);

        trace_track(trace, track, "%s asks %s",
                    names_of(&t->rows.names, ring->front),
                    names_of(&t->rows.names, ring->back));
        for (j = 0; j < ring->nr; j++) {
            const struct ring_request *r = &ring->request[j];

            write_slice(trace, track, r, t->rings.sectors ? "sectors" : "pages");
            if (r->notified && r->from != STAY_NONE)
                write_request_flow(trace, track, r, ++flow);
        }
    }
}

/* Decisions of the daemon, and foreign traces. */

static void write_foreign(struct trace *trace)
{
    const struct foreign *foreign = &trace->t->foreign;
    size_t i;

    for (i = 0; i < foreign->nr_lanes; i++)
        trace_track(trace, trace_uuid(TRACK_FOREIGN, i), "%s",
                    foreign->lane[i]);
    for (i = 0; i < foreign->nr; i++) {
        const struct foreign_event *e = &foreign->event[i];
        Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

        event.type = PERFETTO__TRACK_EVENT__TYPE__INSTANT;
        trace_event(trace, e->ns, &event, trace_uuid(TRACK_FOREIGN, e->lane),
                    "%s", e->text);
    }
}

void trace_notes(struct trace *trace)
{
    const struct notes *notes = &trace->t->rows.notes;
    size_t i;

    for (i = 0; i < notes->nr; i++)
        if (notes->note[i].acct >= 0)
            write_instant(trace, notes->note[i].ns, notes->note[i].acct,
                          STAY_NONE, "xenschedd: ", notes->note[i].text);
    write_foreign(trace);
}
