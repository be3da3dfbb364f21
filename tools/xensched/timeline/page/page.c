/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Builds the contents of the page, as words (JSON) and as numbers.  page-events.c adds instants,
 * page-file.c writes the file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <json-c/json.h>

#include "base/alloc.h"
#include "base/json.h"
#include "page-parts.h"
#include "page.h"
#include "timeline/threads/thread-home.h"

/* More lanes are too many for a reader, and for a browser to draw. */
#define MAX_LANES        4096U
#define MAX_THREAD_LANES 400U

/* Lanes. */

static void add_slice(struct page *p, uint64_t begin, uint64_t what)
{
    if (p->slices && what == p->last_what && what < SLICE_RUN)
        return;
    page_number(p, begin - p->last_ns);
    page_number(p, what);
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

/* Returns the first loss on @cpu that ends after @ns; losses are sorted by begin. */
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

/* Adds a gap from @begin to @end, in which the holder of the pCPU is unknown. */
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

/* Regions of guests. */

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

/* Rings of back ends: below the front end's domain. */

static void add_ring(struct page *p, size_t index)
{
    const struct ring *ring = &p->t->rings.ring[index];
    json_object *lane;
    char name[300];
    uint64_t end = 0;
    size_t i;

    snprintf(name, sizeof(name), "asks %s",
             names_of(&p->t->rows.names, ring->back));
    lane = begin_lane(p, "ring", name);
    p->ring_lane[index] = p->nr_lanes;
    json_add_text(lane, "of", names_of(&p->t->rows.names, ring->front));
    json_add_int(lane, "domain", ring->front);
    add_slice(p, 0, SLICE_UNKNOWN);
    for (i = 0; i < ring->nr; i++) {
        const struct ring_request *r = &ring->request[i];

        if (r->begin > end)
            add_slice(p, end, SLICE_UNKNOWN);
        add_slice(p, r->begin, SLICE_RUN + r->operation);
        end = r->end;
    }
    add_slice(p, end, SLICE_UNKNOWN);
    json_add_int(lane, "slices", p->slices);
}

/* Adds the rings of @acct after its last vCPU; -1: of domains without a lane. */
static void add_rings_of(struct page *p, int acct)
{
    const unsigned int *first = p->t->vcpus.first;
    size_t i;

    for (i = 0; i < p->t->rings.nr; i++) {
        uint16_t front = p->t->rings.ring[i].front;

        if (front == acct || (acct < 0 && first[front] == first[front + 1]))
            add_ring(p, i);
    }
}

static bool is_last_of_domain(const struct page *p, uint32_t vcpu)
{
    return vcpu + 1 == p->t->vcpus.first[p->t->vcpus.vcpu[vcpu].acct + 1];
}

static json_object *operations_json(void)
{
    json_object *array = json_object_new_array();
    unsigned int i;

    for (i = 0; i < RING_OPERATIONS; i++)
        json_object_array_add(
            array, json_object_new_string(ring_operation_name[i]));

    return array;
}

/* A trace of another program: instants only. */
static void add_foreign_lanes(struct page *p)
{
    size_t i;

    p->first_foreign = p->nr_lanes;
    for (i = 0; i < p->t->foreign.nr_lanes; i++) {
        json_object *lane = begin_lane(p, "foreign", p->t->foreign.lane[i]);

        json_add_int(lane, "domain", 0);
        add_slice(p, 0, SLICE_UNKNOWN);
        json_add_int(lane, "slices", p->slices);
    }
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

/* Returns how long a thread has to have run to be shown. */
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

/* Adds the threads whose home is this vCPU; STAY_NONE: those without a known one. */
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

/* Counters: values are increased by one; 0: unknown. */

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

        page_number(p, v->ns - last_ns);
        page_number(p, v->known ? v->value + 1 : 0);
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

/* Words. */

static void add_words(struct page *p)
{
    const struct timeline *t = p->t;
    char text[600], note[600], across[60] = "";

    if (t->skew.unknown)
        snprintf(across, sizeof(across), ", but not across %llu pairs of pCPUs",
                 (unsigned long long)t->skew.unknown);
    snprintf(text, sizeof(text), "%.6f s, %zu rows, %u pCPUs, %u vCPUs\n"
             "times are known to %.1f us%s; %llu of %llu wake-ups came before "
             "their notification\n"
             "drag: pan, wheel: zoom, shift and drag: select, click: why; keys: "
             "arrows + - 0 / n N d Escape", t->rows.end_ns / 1e9, t->rows.nr,
             t->stays.nr, t->vcpus.nr, timeline_error_ns(t) / 1e3,
             across,
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
    p->ring_lane = need_memory(p->t->rings.nr + 1, sizeof(*p->ring_lane));
    p->meta = json_object_new_object();
    p->lanes = json_object_new_array();
    for (i = 0; i < p->t->stays.nr; i++)
        add_cpu(p, &p->t->stays.cpu[i]);
    region_lanes_make(&p->regions, &p->t->regions, &p->t->vcpus);
    for (i = 0; i < p->t->vcpus.nr; i++) {
        add_vcpu(p, i);
        add_regions_of(p, i);
        add_threads(p, i, least);
        if (is_last_of_domain(p, i))
            add_rings_of(p, p->t->vcpus.vcpu[i].acct);
    }
    add_threads(p, STAY_NONE, least);
    add_rings_of(p, -1);
    add_foreign_lanes(p);
    page_add_arrows(p);
    page_add_instants(p);
    add_counters(p);
    add_words(p);
    json_add_int(p->meta, "end", p->t->rows.end_ns);
    json_add_int(p->meta, "cpus", p->t->stays.nr);
    json_object_object_add(p->meta, "vcpus", vcpus_json(p->t));
    json_object_object_add(p->meta, "places", places_json(p->t));
    json_object_object_add(p->meta, "regions", regions_json(p->t));
    json_object_object_add(p->meta, "operations", operations_json());
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
    free(p.ring_lane);
    region_lanes_free(&p.regions);

    return rc;
}
