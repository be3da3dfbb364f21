/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * page.c - see page.h: what is in the page, as words (JSON) and as numbers;
 * page-file.c writes the file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <json-c/json.h>

#include "list.h"
#include "model/json.h"
#include "page-file.h"
#include "page.h"
#include "region-lanes.h"
#include "thread-home.h"

/* What a slice is, as data.js has it. */
enum page_slice {
    SLICE_UNKNOWN,
    SLICE_LOST,
    SLICE_IDLE, /* of a vCPU: blocked */
    SLICE_RUNNABLE,
    SLICE_DEVICE, /* of a thread: uninterruptible, as a rule for a device */
    SLICE_RUN,  /* and the number of the vCPU, of the pCPU, of the place, or of
                   what is marked */
};

/* What an instant is, beside events. */
#define INSTANT_LABEL 64U

/* More lanes than this nobody can look at, and a browser cannot draw. */
#define MAX_LANES        4096U
#define MAX_THREAD_LANES 400U

struct bytes {
    uint8_t *at;
    size_t nr, room;
};

struct page {
    const struct timeline *t;
    struct bytes data;
    json_object *meta, *lanes;
    unsigned int nr_lanes;
    uint32_t *vcpu_lane;   /* number of its lane + 1, by index */
    uint32_t *thread_lane; /* likewise; 0: it has none */
    struct region_lanes regions;
    unsigned int next_region_lane;
    size_t threads_left_out;
    /* Of the lane that is written. */
    uint64_t last_ns, slices, last_what;
};

static void add_byte(struct bytes *b, uint8_t byte)
{
    *list_add(b->at, b->nr, b->room) = byte;
}

/* Seven bits after the other, the lowest first. */
static void add_number(struct bytes *b, uint64_t number)
{
    for (; number > 127; number >>= 7)
        add_byte(b, 128 | (number & 127));
    add_byte(b, number);
}

/* Lanes. */

static void add_slice(struct page *p, uint64_t begin, uint64_t what)
{
    if (p->slices && what == p->last_what && what < SLICE_RUN)
        return;
    add_number(&p->data, begin - p->last_ns);
    add_number(&p->data, what);
    p->last_ns = begin;
    p->last_what = what;
    p->slices++;
}

static json_object *begin_lane(struct page *p, const char *kind,
                               const char *name)
{
    json_object *lane = json_object_new_object();

    json_add_text(lane, "kind", kind);
    json_add_text(lane, "name", name);
    json_add_int(lane, "offset", p->data.nr);
    json_object_array_add(p->lanes, lane);
    p->nr_lanes++;
    p->last_ns = p->slices = 0;

    return lane;
}

/* The first loss on @cpu that ends after @ns; they are by their beginnings. */
static const struct timeline_loss *loss_after(const struct rows *rows,
                                              uint32_t cpu, size_t *next,
                                              uint64_t ns)
{
    for (; *next < rows->nr_losses; ++*next) {
        const struct timeline_loss *loss = &rows->loss[*next];

        if (loss->cpu == cpu && loss->end_ns > ns &&
            loss->events & 1U << XEN_SCHEDLOG_EV_SERVICE_NS)
            return loss;
    }

    return NULL;
}

/* Nobody is known to have had the pCPU from @begin to @end. */
static void add_gap(struct page *p, uint32_t cpu, size_t *next, uint64_t begin,
                    uint64_t end)
{
    while (begin < end) {
        const struct timeline_loss *loss = loss_after(&p->t->rows, cpu, next,
                                                      begin);
        uint64_t until;

        if (!loss || loss->begin_ns >= end) {
            add_slice(p, begin, SLICE_UNKNOWN);
            return;
        }
        if (loss->begin_ns > begin)
            add_slice(p, begin, SLICE_UNKNOWN);
        begin = loss->begin_ns > begin ? loss->begin_ns : begin;
        until = loss->end_ns < end ? loss->end_ns : end;
        add_slice(p, begin, SLICE_LOST);
        begin = until;
    }
}

static void add_cpu(struct page *p, const struct stays_cpu *cpu)
{
    char name[32];
    json_object *lane;
    size_t i, loss = 0;
    uint64_t end = 0;

    snprintf(name, sizeof(name), "pCPU %u", cpu->id);
    lane = begin_lane(p, "cpu", name);
    json_add_int(lane, "id", cpu->id);
    for (i = 0; i < cpu->nr; i++) {
        const struct stay *stay = &cpu->stay[i];

        add_gap(p, cpu->id, &loss, end, stay->begin);
        add_slice(p, stay->begin, stay->vcpu == STAY_NONE
                  ? SLICE_IDLE : SLICE_RUN + stay->vcpu);
        end = stay->end;
    }
    add_gap(p, cpu->id, &loss, end, p->t->rows.end_ns);
    json_add_int(lane, "slices", p->slices);
}

static void add_vcpu(struct page *p, uint32_t index)
{
    static const enum page_slice slice_of[VCPU_STATES] = {
        [VCPU_UNKNOWN] = SLICE_UNKNOWN,
        [VCPU_RUNNING] = SLICE_RUN,
        [VCPU_RUNNABLE] = SLICE_RUNNABLE,
        [VCPU_BLOCKED] = SLICE_IDLE,
        [VCPU_LOST] = SLICE_LOST,
    };
    const struct vcpu *v = &p->t->vcpus.vcpu[index];
    json_object *lane = begin_lane(p, "vcpu", timeline_vcpu_name(p->t, index));
    size_t i;

    p->vcpu_lane[index] = p->nr_lanes;
    json_add_int(lane, "vcpu", index);
    json_add_int(lane, "domain", v->acct);
    for (i = 0; i < v->nr; i++)
        add_slice(p, v->span[i].begin, slice_of[v->span[i].state] +
                  (v->span[i].state == VCPU_RUNNING ? v->span[i].cpu : 0));
    json_add_int(lane, "slices", p->slices);
}

/* What guests mark. */

static void add_regions(struct page *p, const struct region_lane *of)
{
    json_object *lane = begin_lane(p, "region", "regions");
    uint64_t end = 0;
    size_t i;

    json_add_text(lane, "of", timeline_vcpu_name(p->t, of->vcpu));
    json_add_int(lane, "vcpu", of->vcpu);
    json_add_int(lane, "domain", p->t->vcpus.vcpu[of->vcpu].acct);
    add_slice(p, 0, SLICE_UNKNOWN);
    for (i = 0; i < of->nr; i++) {
        const struct region *region = of->region[i];

        if (region->begin > end)
            add_slice(p, end, SLICE_UNKNOWN);
        add_slice(p, region->begin, SLICE_RUN + region->kind);
        end = region->end;
    }
    add_slice(p, end, SLICE_UNKNOWN);
    json_add_int(lane, "slices", p->slices);
}

static void add_regions_of(struct page *p, uint32_t vcpu)
{
    const struct region_lanes *all = &p->regions;

    while (p->next_region_lane < all->nr &&
           all->lane[p->next_region_lane].vcpu == vcpu)
        add_regions(p, &all->lane[p->next_region_lane++]);
}

static json_object *regions_json(const struct timeline *t)
{
    json_object *array = json_object_new_array();
    size_t i;

    for (i = 0; i < t->regions.nr_kinds; i++)
        json_object_array_add(
            array, json_object_new_string(t->regions.kind[i].name));

    return array;
}

/* Threads. */

static uint64_t slice_of_thread(const struct thread_span *span)
{
    switch (span->state) {
    case VCPU_RUNNING: return SLICE_RUN + span->place;
    case VCPU_RUNNABLE: return SLICE_RUNNABLE;
    case VCPU_BLOCKED: return span->why == 'D' ? SLICE_DEVICE : SLICE_IDLE;
    case VCPU_LOST: return SLICE_LOST;
    default: return SLICE_UNKNOWN;
    }
}

static void add_thread(struct page *p, size_t index)
{
    const struct thread *thread = &p->t->threads.thread[index];
    json_object *lane = begin_lane(p, "thread", threads_name(thread));
    const struct linux_source *source =
        &p->t->rows.linux_rows.source[thread->source];
    size_t i;

    p->thread_lane[index] = p->nr_lanes;
    json_add_text(lane, "of", timeline_source_name(p->t, thread->source));
    json_add_int(lane, "process", thread->process);
    json_add_int(lane, "domain", thread_homes_acct(&p->t->rows.names, source));
    for (i = 0; i < thread->nr; i++)
        add_slice(p, thread->span[i].begin, slice_of_thread(&thread->span[i]));
    json_add_int(lane, "slices", p->slices);
}

static int compare_time(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? 1 : x > y ? -1 : 0;
}

/* How long a thread has to have run to be shown. */
static uint64_t least_run(const struct threads *t)
{
    uint64_t *ns = need_memory(t->nr + 1, sizeof(*ns)), least;
    size_t i;

    for (i = 0; i < t->nr; i++)
        ns[i] = t->thread[i].ns[VCPU_RUNNING];
    qsort(ns, t->nr, sizeof(*ns), compare_time);
    least = t->nr > MAX_THREAD_LANES ? ns[MAX_THREAD_LANES] + 1 : 0;
    free(ns);

    return least;
}

/* Those at home on the vCPU of this index; on none that is known: STAY_NONE. */
static void add_threads(struct page *p, uint32_t vcpu, uint64_t least)
{
    const struct threads *t = &p->t->threads;
    size_t i;

    for (i = 0; i < t->nr; i++) {
        const struct thread *thread = &t->thread[i];
        uint32_t home = thread->home == THREAD_NONE
                        ? STAY_NONE : t->place[thread->home].vcpu;

        if (home != vcpu)
            continue;
        if (thread->ns[VCPU_RUNNING] >= least)
            add_thread(p, i);
        else
            p->threads_left_out++;
    }
}

static json_object *places_json(const struct timeline *t)
{
    json_object *array = json_object_new_array();
    size_t i;

    for (i = 0; i < t->threads.nr_places; i++) {
        json_object *o = json_object_new_object();

        json_add_text(o, "name", timeline_place_name(t, i));
        if (t->threads.place[i].vcpu != STAY_NONE)
            json_add_int(o, "vcpu", t->threads.place[i].vcpu);
        json_object_array_add(array, o);
    }

    return array;
}

static json_object *vcpus_json(const struct timeline *t)
{
    json_object *array = json_object_new_array();
    unsigned int i;

    for (i = 0; i < t->vcpus.nr; i++) {
        json_object *o = json_object_new_object();

        json_add_text(o, "name", timeline_vcpu_name(t, i));
        json_add_int(o, "domain", t->vcpus.vcpu[i].acct);
        json_object_array_add(array, o);
    }

    return array;
}

/* Counters: values are one more than they are; 0: not known. */

static json_object *counter_json(struct page *p, const struct counter *counter)
{
    static const char *const unit[] = {
        [COUNTER_RUNQ] = "runnable",
        [COUNTER_MEMORY] = "bytes",
        [COUNTER_RATE] = "per second",
        [COUNTER_MARK] = "counted",
    };
    json_object *o = json_object_new_object();
    uint64_t last_ns = 0;
    size_t i;

    json_add_text(o, "name", counters_name(&p->t->rows, counter));
    json_add_text(o, "unit", unit[counter->kind]);
    json_add_int(o, "offset", p->data.nr);
    json_add_int(o, "n", counter->nr);
    for (i = 0; i < counter->nr; i++) {
        const struct counter_value *v = &counter->value[i];

        add_number(&p->data, v->ns - last_ns);
        add_number(&p->data, v->known ? v->value + 1 : 0);
        last_ns = v->ns;
    }

    return o;
}

static void add_counters(struct page *p)
{
    json_object *counters = json_object_new_array();
    unsigned int i;

    for (i = 0; i < p->t->counters.nr; i++)
        json_object_array_add(counters,
                              counter_json(p, &p->t->counters.counter[i]));
    json_object_object_add(p->meta, "counters", counters);
}

/* Arrows and instants. */

/* From a lane to a lane, by their numbers + 1; 0: from none that is shown. */
static void add_arrow(struct page *p, uint64_t *last, uint64_t sent,
                      uint32_t from, uint32_t to, uint64_t woken, uint64_t ran)
{
    add_number(&p->data, sent - *last);
    add_number(&p->data, from);
    add_number(&p->data, to);
    add_number(&p->data, woken - sent);
    add_number(&p->data, ran > woken ? ran - woken : 0);
    *last = sent;
}

static bool add_wake(struct page *p, uint64_t *last, const struct wake *w)
{
    if (w->kind != WAKE_WOKEN || w->ran == STAY_NEVER)
        return false;
    add_arrow(p, last, w->sent,
              w->from == STAY_NONE ? 0 : p->vcpu_lane[w->from],
              p->vcpu_lane[w->to], w->woken > w->sent ? w->woken : w->sent,
              w->ran);

    return true;
}

static bool add_thread_wake(struct page *p, uint64_t *last,
                            const struct thread_wake *w)
{
    if (w->ran == STAY_NEVER || !p->thread_lane[w->to])
        return false;
    add_arrow(p, last, w->ns,
              w->from == THREAD_NONE ? 0 : p->thread_lane[w->from],
              p->thread_lane[w->to], w->ns, w->ran);

    return true;
}

/* vCPUs wake vCPUs and threads wake threads, in the order of time. */
static void add_arrows(struct page *p)
{
    const struct wakes *wakes = &p->t->wakes;
    const struct threads *threads = &p->t->threads;
    json_object *arrows = json_object_new_object();
    uint64_t last = 0, nr = 0;
    size_t i = 0, j = 0;

    json_add_int(arrows, "offset", p->data.nr);
    while (i < wakes->nr || j < threads->nr_wakes)
        if (j == threads->nr_wakes ||
            (i < wakes->nr && wakes->wake[i].sent <= threads->wake[j].ns))
            nr += add_wake(p, &last, &wakes->wake[i++]);
        else
            nr += add_thread_wake(p, &last, &threads->wake[j++]);
    json_add_int(arrows, "n", nr);
    json_object_object_add(p->meta, "arrows", arrows);
}

struct instants {
    uint64_t last_ns, nr;
    json_object *labels;
};

/* Of a vCPU that is not known: at the first one of the domain. */
static void add_instant(struct page *p, struct instants *all, uint64_t ns,
                        uint16_t acct, uint32_t vcpu, unsigned int kind,
                        uint64_t value)
{
    const unsigned int *first = &p->t->vcpus.first[acct];

    if (first[0] == first[1])
        return;
    add_number(&p->data, ns - all->last_ns);
    add_number(&p->data, p->vcpu_lane[vcpu == STAY_NONE ? *first : vcpu] - 1);
    add_number(&p->data, kind);
    add_number(&p->data, value);
    all->last_ns = ns;
    all->nr++;
}

static void add_mark(struct page *p, struct instants *all,
                     const struct mark *mark)
{
    if (mark->kind == MARK_CODE)
        add_instant(p, all, mark->ns, mark->acct, mark->lane,
                    XEN_SCHEDLOG_EV_MARK, mark->value);
    if (mark->kind != MARK_LABEL)
        return;
    add_instant(p, all, mark->ns, mark->acct, mark->lane, INSTANT_LABEL,
                json_object_array_length(all->labels));
    json_object_array_add(all->labels, json_object_new_string(
        marks_name(&p->t->marks, mark)));
}

/* In the order of time. */
static void add_instants(struct page *p)
{
    const struct timeline *t = p->t;
    json_object *instants = json_object_new_object();
    struct instants all = { .labels = json_object_new_array() };
    size_t i, next = 0;

    json_add_int(instants, "offset", p->data.nr);
    for (i = 0; i < t->rows.nr; i++) {
        const struct timeline_row *row = &t->rows.row[i];

        for (; next < t->marks.nr && t->marks.mark[next].ns <= row->ns; next++)
            add_mark(p, &all, &t->marks.mark[next]);
        if (row->event == XEN_SCHEDLOG_EV_MIGRATE &&
            row->current != XEN_SCHEDLOG_ACCT_NONE)
            add_instant(p, &all, row->ns, row->current, STAY_NONE, row->event,
                        row->counter);
    }
    json_add_int(instants, "n", all.nr);
    json_object_object_add(p->meta, "instants", instants);
    json_object_object_add(p->meta, "labels", all.labels);
}

/* Words. */

static void add_words(struct page *p)
{
    const struct timeline *t = p->t;
    char text[600], note[600];

    snprintf(text, sizeof(text), "%.6f s, %zu rows, %u pCPUs, %u vCPUs\n"
             "times are known to %.1f us; %llu of %llu wake-ups came before "
             "their notification\n"
             "drag: pan, wheel: zoom, shift and drag: select, click: why; keys: "
             "arrows + - 0 / n N d Escape", t->rows.end_ns / 1e9, t->rows.nr,
             t->stays.nr, t->vcpus.nr, t->rows.granule_ns / 1e3,
             (unsigned long long)t->wakes.disordered,
             (unsigned long long)t->wakes.pairs);
    snprintf(note, sizeof(note), "%s", t->rows.defect);
    if (!*note && t->rows.lost_rows + t->rows.linux_rows.lost_rows)
        snprintf(note, sizeof(note), "%llu rows lost",
                 (unsigned long long)(t->rows.lost_rows +
                                      t->rows.linux_rows.lost_rows));
    if (!*note && p->threads_left_out)
        snprintf(note, sizeof(note), "%zu threads that ran less are not shown",
                 p->threads_left_out);
    if (!*note && p->t->counters.left_out)
        snprintf(note, sizeof(note), "%u run queues, domains' memories or "
                 "counts are not shown", p->t->counters.left_out);
    if (!*note && p->regions.left_out)
        snprintf(note, sizeof(note), "%llu regions in others are not shown",
                 (unsigned long long)p->regions.left_out);
    json_add_text(p->meta, "text", text);
    json_add_text(p->meta, "note", note);
}

static void make_page(struct page *p)
{
    uint64_t least = least_run(&p->t->threads);
    unsigned int i;

    p->vcpu_lane = need_memory(p->t->vcpus.nr + 1, sizeof(*p->vcpu_lane));
    p->thread_lane = need_memory(p->t->threads.nr + 1, sizeof(*p->thread_lane));
    p->meta = json_object_new_object();
    p->lanes = json_object_new_array();
    for (i = 0; i < p->t->stays.nr; i++)
        add_cpu(p, &p->t->stays.cpu[i]);
    region_lanes_make(&p->regions, &p->t->regions, &p->t->vcpus);
    for (i = 0; i < p->t->vcpus.nr; i++) {
        add_vcpu(p, i);
        add_regions_of(p, i);
        add_threads(p, i, least);
    }
    add_threads(p, STAY_NONE, least);
    add_arrows(p);
    add_instants(p);
    add_counters(p);
    add_words(p);
    json_add_int(p->meta, "end", p->t->rows.end_ns);
    json_add_int(p->meta, "cpus", p->t->stays.nr);
    json_object_object_add(p->meta, "vcpus", vcpus_json(p->t));
    json_object_object_add(p->meta, "places", places_json(p->t));
    json_object_object_add(p->meta, "regions", regions_json(p->t));
    json_object_object_add(p->meta, "lanes", p->lanes);
}

int page_write(const struct timeline *t, const char *path,
               struct xensched_error *err)
{
    struct page p = { .t = t };
    int rc;

    if (t->stays.nr + t->vcpus.nr > MAX_LANES)
        return xensched_fail(err, E2BIG, "there are %u pCPUs and %u vCPUs in "
                             "the recording, more than a page can show",
                             t->stays.nr, t->vcpus.nr);
    make_page(&p);
    rc = page_file_write(path, json_object_to_json_string_ext(
                             p.meta, JSON_C_TO_STRING_PLAIN),
                         p.data.at, p.data.nr, err);
    json_object_put(p.meta);
    free(p.data.at);
    free(p.vcpu_lane);
    free(p.thread_lane);
    region_lanes_free(&p.regions);

    return rc;
}
