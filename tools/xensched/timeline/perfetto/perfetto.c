/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exports a timeline as a Perfetto trace.
 *
 * perfetto.proto defines the packets, and perfetto-events.c makes them.  Each packet is packed and
 * written on its own: a trace is the sequence of its packets.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "perfetto.h"
#include "perfetto-parts.h"
#include "timeline/threads/thread-home.h"

#define CLOCK_ID_MONOTONIC 3U
#define CLOCK_ID_BOOTTIME  6U

/* A change of a vCPU's state. */
struct change {
    uint64_t ns;
    uint32_t vcpu;
    int32_t cpu; /* id; -1: on no pCPU, before and after */
    Perfetto__TaskState__State state;
};

struct changes {
    struct change *change;
    size_t nr, room;
};

static void vcpu_name(const struct trace *trace, uint32_t vcpu, char text[TRACE_TEXT])
{
    snprintf(text, TRACE_TEXT, "%s", timeline_vcpu_name(trace->t, vcpu));
    trace_plain(text);
}

/* Descriptions. */

static void write_clocks(struct trace *trace)
{
    Perfetto__ClockSnapshot__Clock boot = PERFETTO__CLOCK_SNAPSHOT__CLOCK__INIT;
    Perfetto__ClockSnapshot__Clock dom0 = PERFETTO__CLOCK_SNAPSHOT__CLOCK__INIT;
    Perfetto__ClockSnapshot__Clock *clocks[] = { &boot, &dom0 };
    Perfetto__ClockSnapshot snapshot = PERFETTO__CLOCK_SNAPSHOT__INIT;
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

    boot.has_clock_id = boot.has_timestamp = true;
    boot.clock_id = CLOCK_ID_BOOTTIME;
    boot.timestamp = trace->t->rows.begin_ns;
    dom0.has_clock_id = dom0.has_timestamp = true;
    dom0.clock_id = CLOCK_ID_MONOTONIC;
    dom0.timestamp = trace->t->rows.read_ns;
    snapshot.clocks = clocks;
    snapshot.n_clocks = trace->t->rows.read_ns ? 2 : 1;
    packet.clock_snapshot = &snapshot;
    trace_packet(trace, &packet);
}

static void write_process(struct trace *trace, uint32_t pid, const char *name)
{
    Perfetto__ProcessDescriptor process = PERFETTO__PROCESS_DESCRIPTOR__INIT;
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
    char text[TRACE_TEXT];

    snprintf(text, sizeof(text), "%s", name);
    process.has_pid = true;
    process.pid = pid;
    process.process_name = trace_plain(text);
    track.has_uuid = true;
    track.uuid = trace_uuid(TRACK_PROCESS, pid);
    track.process = &process;
    packet.track_descriptor = &track;
    trace_packet(trace, &packet);
}

static void write_thread_track(struct trace *trace, uint64_t id, uint32_t pid,
                               uint32_t tid, char *name)
{
    Perfetto__ThreadDescriptor thread = PERFETTO__THREAD_DESCRIPTOR__INIT;
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

    thread.has_pid = thread.has_tid = true;
    thread.pid = pid;
    thread.tid = tid;
    thread.thread_name = name;
    track.has_uuid = true;
    track.uuid = id;
    track.thread = &thread;
    packet.track_descriptor = &track;
    trace_packet(trace, &packet);
}

static void write_vcpu(struct trace *trace, uint32_t vcpu)
{
    const struct timeline *t = trace->t;
    const struct vcpu *v = &t->vcpus.vcpu[vcpu];
    uint32_t pid = t->vcpus.first[v->acct] + 1, tid = vcpu + 1;
    Perfetto__ProcessTree__Thread thread = PERFETTO__PROCESS_TREE__THREAD__INIT;
    Perfetto__ProcessTree__Thread *threads = &thread;
    Perfetto__ProcessTree tree = PERFETTO__PROCESS_TREE__INIT;
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
    char name[TRACE_TEXT];

    if (pid == tid)
        write_process(trace, pid, names_of(&t->rows.names, v->acct));
    vcpu_name(trace, vcpu, name);
    thread.has_pid = thread.has_tid = thread.has_is_main_thread = true;
    thread.pid = pid;
    thread.tid = tid;
    thread.is_main_thread = pid == tid;
    thread.comm = name;
    tree.threads = &threads;
    tree.n_threads = 1;
    packet.generic_kernel_process_tree = &tree;
    trace_stamp(trace, &packet, 0);
    trace_packet(trace, &packet);
    write_thread_track(trace, trace_uuid(TRACK_VCPU, vcpu), pid, tid, name);
}

/* What ran. */

static Perfetto__TaskState__State state_of(enum vcpu_state state)
{
    switch (state) {
    case VCPU_RUNNING: return PERFETTO__TASK_STATE__STATE__RUNNING;
    case VCPU_RUNNABLE: return PERFETTO__TASK_STATE__STATE__RUNNABLE;
    case VCPU_BLOCKED: return PERFETTO__TASK_STATE__STATE__INTERRUPTIBLE_SLEEP;
    default: return PERFETTO__TASK_STATE__STATE__STOPPED;
    }
}

static void add_change(struct changes *all, uint64_t ns, uint32_t vcpu, int32_t cpu,
                       enum vcpu_state state)
{
    *list_add(all->change, all->nr, all->room) = (struct change){
        .ns = ns, .vcpu = vcpu, .cpu = cpu, .state = state_of(state),
    };
}

/*
 * A vCPU that runs on another pCPU without a pause gets 1 ns of runnable time: Perfetto would take
 * the change for a loss, and two changes at a time for a mistake.
 */
static void add_pause(struct changes *all, uint64_t ns, uint32_t vcpu, int32_t cpu)
{
    bool room = all->change[all->nr - 1].ns + 1 < ns;

    add_change(all, ns - room, vcpu, cpu, VCPU_RUNNABLE);
}

/* Adds the changes of @vcpu; the last one is at the recording's end. */
static void add_changes(const struct timeline *t, uint32_t vcpu,
                        struct changes *all)
{
    const struct vcpu *v = &t->vcpus.vcpu[vcpu];
    int32_t cpu = -1;
    size_t i;

    for (i = 0; i < v->nr; i++) {
        const struct span *span = &v->span[i];
        bool runs = span->state == VCPU_RUNNING;

        if (vcpus_end(&t->vcpus, v, i) <= span->begin)
            continue;
        if (runs && cpu >= 0)
            add_pause(all, span->begin, vcpu, cpu);
        if (runs)
            cpu = t->stays.cpu[span->cpu].id;
        add_change(all, span->begin, vcpu, cpu, span->state);
        if (!runs)
            cpu = -1;
    }
    add_change(all, t->vcpus.end_ns, vcpu, cpu, VCPU_UNKNOWN);
}

/* A vCPU that leaves a pCPU comes before the one that gets it. */
static int compare_changes(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    bool x_runs = x->state == PERFETTO__TASK_STATE__STATE__RUNNING;
    bool y_runs = y->state == PERFETTO__TASK_STATE__STATE__RUNNING;

    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    if (x_runs != y_runs)
        return x_runs - y_runs;

    return x->vcpu < y->vcpu ? -1 : x->vcpu > y->vcpu;
}

static void write_change(struct trace *trace, const struct change *change)
{
    Perfetto__TaskState state = PERFETTO__TASK_STATE__INIT;
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
    char name[TRACE_TEXT];

    vcpu_name(trace, change->vcpu, name);
    state.has_cpu = change->cpu >= 0;
    state.cpu = change->cpu;
    state.comm = name;
    state.has_tid = state.has_state = true;
    state.tid = change->vcpu + 1;
    state.state = change->state;
    packet.generic_kernel_task_state_event = &state;
    trace_stamp(trace, &packet, change->ns);
    trace_packet(trace, &packet);
}

static void write_changes(struct trace *trace)
{
    struct changes all = { 0 };
    size_t i;

    for (i = 0; i < trace->t->vcpus.nr; i++)
        add_changes(trace->t, i, &all);
    if (all.nr)
        qsort(all.change, all.nr, sizeof(*all.change), compare_changes);
    for (i = 0; i < all.nr; i++)
        write_change(trace, &all.change[i]);
    free(all.change);
}

/* Events. */

/* Writes a flow from the notification through the wake-up to the run. */
static void write_wake(struct trace *trace, const struct wake *w, uint64_t flow)
{
    const struct timeline *t = trace->t;
    uint64_t woken = w->woken > w->sent ? w->woken : w->sent;
    uint64_t from = w->from == STAY_NONE
                    ? trace_uuid(TRACK_PCPU, t->stays.cpu[w->cpu].id)
                    : trace_uuid(TRACK_VCPU, w->from);
    Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

    event.type = PERFETTO__TRACK_EVENT__TYPE__INSTANT;
    event.n_flow_ids = 1;
    event.flow_ids = &flow;
    trace_event(trace, w->sent, &event, from, "notifies %s",
                timeline_vcpu_name(t, w->to));
    trace_event(trace, woken, &event, trace_uuid(TRACK_VCPU, w->to), "woken by %s",
                names_of(&t->rows.names, w->sender));
    event.n_flow_ids = 0;
    event.n_terminating_flow_ids = 1;
    event.terminating_flow_ids = &flow;
    trace_event(trace, w->ran > woken ? w->ran : woken, &event,
                trace_uuid(TRACK_VCPU, w->to), "runs");
}

static void write_wakes(struct trace *trace)
{
    size_t i;

    for (i = 0; i < trace->t->wakes.nr; i++) {
        const struct wake *w = &trace->t->wakes.wake[i];

        if (w->kind == WAKE_WOKEN && w->ran != STAY_NEVER)
            write_wake(trace, w, i + 1);
    }
}

/* Guests' threads belong to the process of their domain, after its vCPUs. */

static uint32_t process_of(const struct timeline *t, uint16_t source)
{
    int acct = thread_homes_acct(&t->rows.names,
                                 &t->rows.linux_rows.source[source]);

    if (acct >= 0 && t->vcpus.first[acct] < t->vcpus.first[acct + 1])
        return t->vcpus.first[acct] + 1;

    return t->vcpus.nr + t->threads.nr + source + 1;
}

static void write_span(struct trace *trace, const struct thread *thread,
                       size_t i, uint64_t track)
{
    const struct thread_span *span = &thread->span[i];
    uint64_t end = threads_end(&trace->t->threads, thread, i);
    Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

    if (end <= span->begin || span->state == VCPU_UNKNOWN)
        return;
    event.type = PERFETTO__TRACK_EVENT__TYPE__SLICE_BEGIN;
    if (span->state == VCPU_RUNNING)
        trace_event(trace, span->begin, &event, track, "runs on %s",
                    timeline_place_name(trace->t, span->place));
    else if (span->state == VCPU_RUNNABLE)
        trace_event(trace, span->begin, &event, track, "waits for a vCPU");
    else if (span->state == VCPU_LOST)
        trace_event(trace, span->begin, &event, track, "rows lost");
    else
        trace_event(trace, span->begin, &event, track, "sleeps (%c)",
                    span->why ? span->why : '?');
    event.type = PERFETTO__TRACK_EVENT__TYPE__SLICE_END;
    trace_event(trace, end, &event, track, "%s", "");
}

static void write_threads(struct trace *trace)
{
    const struct timeline *t = trace->t;
    size_t i, j;

    for (i = 0; i < t->rows.linux_rows.nr_sources; i++)
        if (process_of(t, i) > t->vcpus.nr)
            write_process(trace, process_of(t, i),
                          t->rows.linux_rows.source[i].info.name);
    for (i = 0; i < t->threads.nr; i++) {
        const struct thread *thread = &t->threads.thread[i];
        uint64_t track = trace_uuid(TRACK_THREAD, i);
        char name[TRACE_TEXT];

        snprintf(name, sizeof(name), "%s", threads_name(thread));
        write_thread_track(trace, track, process_of(t, thread->source),
                           t->vcpus.nr + i + 1, trace_plain(name));
        for (j = 0; j < thread->nr; j++)
            write_span(trace, thread, j, track);
    }
}

static void write_thread_wake(struct trace *trace, const struct thread_wake *w,
                              uint64_t flow)
{
    const struct thread *thread = trace->t->threads.thread;
    Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

    event.type = PERFETTO__TRACK_EVENT__TYPE__INSTANT;
    event.n_flow_ids = 1;
    event.flow_ids = &flow;
    trace_event(trace, w->ns, &event, trace_uuid(TRACK_THREAD, w->from), "wakes %s",
                threads_name(&thread[w->to]));
    event.n_flow_ids = 0;
    event.n_terminating_flow_ids = 1;
    event.terminating_flow_ids = &flow;
    trace_event(trace, w->ran, &event, trace_uuid(TRACK_THREAD, w->to),
                "woken by %s", threads_name(&thread[w->from]));
}

static void write_thread_wakes(struct trace *trace)
{
    const struct threads *t = &trace->t->threads;
    size_t i;

    for (i = 0; i < t->nr_wakes; i++)
        if (t->wake[i].from != THREAD_NONE && t->wake[i].ran != STAY_NEVER)
            write_thread_wake(trace, &t->wake[i],
                              trace->t->wakes.nr + i + 1);
}

static void write_losses(struct trace *trace)
{
    const struct rows *rows = &trace->t->rows;
    size_t i;

    for (i = 0; i < rows->nr_losses; i++) {
        const struct timeline_loss *loss = &rows->loss[i];
        uint64_t track = trace_uuid(TRACK_LOSSES,
                                    (uint64_t)loss->cpu << 16 | loss->file);
        Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

        trace_track(trace, track, "pCPU %u, log buffer %u: lost", loss->cpu,
                    loss->file);
        event.type = PERFETTO__TRACK_EVENT__TYPE__SLICE_BEGIN;
        trace_event(trace, loss->begin_ns, &event, track,
                    "%" PRIu64 " rows lost", loss->rows);
        event.type = PERFETTO__TRACK_EVENT__TYPE__SLICE_END;
        trace_event(trace, loss->end_ns, &event, track, "%s", "");
    }
}

/* Perfetto's counters always have a value, so they keep it during a loss. */
static void write_counter(struct trace *trace, unsigned int index)
{
    const struct counter *counter = &trace->t->counters.counter[index];
    Perfetto__CounterDescriptor what = PERFETTO__COUNTER_DESCRIPTOR__INIT;
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
    char name[TRACE_TEXT];
    size_t i;

    snprintf(name, sizeof(name), "%s",
             counters_name(&trace->t->rows, counter));
    what.has_unit = true;
    what.unit = counter->kind == COUNTER_MEMORY
                ? PERFETTO__COUNTER_DESCRIPTOR__UNIT__SIZE_BYTES
                : PERFETTO__COUNTER_DESCRIPTOR__UNIT__COUNT;
    track.has_uuid = true;
    track.uuid = trace_uuid(TRACK_COUNTER, index);
    track.name = trace_plain(name);
    track.counter = &what;
    packet.track_descriptor = &track;
    trace_packet(trace, &packet);
    for (i = 0; i < counter->nr; i++) {
        Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

        if (!counter->value[i].known)
            continue;
        event.type = PERFETTO__TRACK_EVENT__TYPE__COUNTER;
        event.has_counter_value = true;
        event.counter_value = counter->value[i].value;
        trace_event(trace, counter->value[i].ns, &event, track.uuid, "%s", "");
    }
}

static void write_trace(struct trace *trace)
{
    const struct timeline *t = trace->t;
    unsigned int i;

    write_clocks(trace);
    for (i = 0; i < t->vcpus.nr; i++)
        write_vcpu(trace, i);
    for (i = 0; i < t->stays.nr; i++)
        trace_track(trace, trace_uuid(TRACK_PCPU, t->stays.cpu[i].id), "pCPU %u",
                    t->stays.cpu[i].id);
    write_changes(trace);
    write_wakes(trace);
    write_threads(trace);
    write_thread_wakes(trace);
    trace_marks(trace);
    trace_rings(trace);
    trace_notes(trace);
    for (i = 0; i < t->counters.nr; i++)
        write_counter(trace, i);
    write_losses(trace);
}

int perfetto_write(const struct timeline *t, const char *path,
                   struct xensched_error *err)
{
    struct trace trace = { .t = t, .to = fopen(path, "we") };
    int failed;

    if (!trace.to)
        return xensched_fail(err, errno, "cannot create '%s': %s", path,
                             strerror(errno));
    errno = 0;
    write_trace(&trace);
    free(trace.packed);
    failed = ferror(trace.to);
    if (fclose(trace.to) || failed)
        return xensched_fail(err, errno, "cannot write '%s': %s", path,
                             strerror(errno ? errno : EIO));

    return 0;
}
