/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * page.c - see page.h.
 *
 * What comes from the recording is in the page as base64 of deflated bytes, so
 * whatever is in a name cannot be markup; and only scripts with the nonce run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <zlib.h>

#include <json-c/json.h>

#include "list.h"
#include "model/json.h"
#include "page.h"
#include "thread-home.h"

/* The viewer, as it is in the source (-Wa,-I says where). */
#define PART(file) ".incbin \"timeline/viewer/" file "\"\n"
#define VIEWER(name, parts)                    \
    __asm__(".section .rodata\n" #name ":\n"   \
            parts                              \
            ".byte 0\n"                        \
            ".previous\n");                    \
    extern const char name[]

VIEWER(viewer_js, ".ascii \"\\\"use strict\\\";\\n(async () => {\\n\"\n"
       PART("counters.js") PART("data.js") PART("draw.js") PART("tell.js")
       PART("hands.js")
       ".ascii \"})();\\n\"\n");
VIEWER(viewer_css, PART("viewer.css"));

/* What a slice is, as data.js has it. */
enum page_slice {
    SLICE_UNKNOWN,
    SLICE_LOST,
    SLICE_IDLE, /* of a vCPU: blocked */
    SLICE_RUNNABLE,
    SLICE_DEVICE, /* of a thread: uninterruptible, as a rule for a device */
    SLICE_RUN,  /* and the number of the vCPU, of the pCPU, or of the place */
};

/* More lanes than this nobody can look at, and a browser cannot draw. */
#define MAX_LANES        4096U
#define MAX_THREAD_LANES 400U

#define NONCE_BYTES 16U

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

/* Marks are shown at the first vCPU of their domain. */
static void add_instants(struct page *p)
{
    const struct timeline *t = p->t;
    json_object *instants = json_object_new_object();
    uint64_t last = 0, nr = 0;
    size_t i;

    json_add_int(instants, "offset", p->data.nr);
    for (i = 0; i < t->rows.nr; i++) {
        const struct timeline_row *row = &t->rows.row[i];
        unsigned int first = t->vcpus.first[row->current];

        if ((row->event != XEN_SCHEDLOG_EV_MARK &&
             row->event != XEN_SCHEDLOG_EV_MIGRATE) ||
            first == t->vcpus.first[row->current + 1])
            continue;
        add_number(&p->data, row->ns - last);
        add_number(&p->data, p->vcpu_lane[first] - 1);
        add_number(&p->data, row->event);
        add_number(&p->data, row->counter);
        last = row->ns;
        nr++;
    }
    json_add_int(instants, "n", nr);
    json_object_object_add(p->meta, "instants", instants);
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
        snprintf(note, sizeof(note), "%u run queues or domains' memories are "
                 "not shown", p->t->counters.left_out);
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
    for (i = 0; i < p->t->vcpus.nr; i++) {
        add_vcpu(p, i);
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
    json_object_object_add(p->meta, "lanes", p->lanes);
}

/* The file. */

static void print_base64(FILE *to, const uint8_t *bytes, size_t nr)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqr"
                                 "stuvwxyz0123456789+/";
    size_t i;

    for (i = 0; i < nr; i += 3) {
        uint32_t three = bytes[i] << 16 |
                         (i + 1 < nr ? bytes[i + 1] << 8 : 0) |
                         (i + 2 < nr ? bytes[i + 2] : 0);

        putc_unlocked(digits[three >> 18], to);
        putc_unlocked(digits[three >> 12 & 63], to);
        putc_unlocked(i + 1 < nr ? digits[three >> 6 & 63] : '=', to);
        putc_unlocked(i + 2 < nr ? digits[three & 63] : '=', to);
    }
}

static void print_packed(FILE *to, const char *id, const void *bytes,
                         size_t nr)
{
    uLongf size = compressBound(nr);
    uint8_t *packed = need_memory(size, 1);

    /* It has room for whatever there is, so it cannot fail. */
    if (compress2(packed, &size, bytes, nr, 6) != Z_OK)
        abort();
    fprintf(to, "<script type=\"application/octet-stream\" id=\"%s\">", id);
    print_base64(to, packed, size);
    fputs("</script>\n", to);
    free(packed);
}

static void print_page(const struct page *p, FILE *to,
                       const uint8_t nonce[NONCE_BYTES])
{
    const char *meta = json_object_to_json_string_ext(p->meta,
                                                      JSON_C_TO_STRING_PLAIN);

    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\""
          "default-src 'none'; script-src 'nonce-", to);
    print_base64(to, nonce, NONCE_BYTES);
    fputs("'; style-src 'nonce-", to);
    print_base64(to, nonce, NONCE_BYTES);
    fputs("'; base-uri 'none'; form-action 'none'\">\n"
          "<title>xensched timeline</title>\n<style nonce=\"", to);
    print_base64(to, nonce, NONCE_BYTES);
    fprintf(to, "\">\n%s</style>\n", viewer_css);
    fputs("<header><b>xensched timeline</b>"
          "<input id=\"search\" type=\"search\" placeholder=\"search (/), "
          "or: lost\" aria-label=\"search\"><span id=\"found\"></span>"
          "<button id=\"all\" type=\"button\">all</button>"
          "<button id=\"theme\" type=\"button\">dark or light</button>"
          "<span id=\"range\"></span><span id=\"note\"></span></header>\n"
          "<div id=\"stage\"><canvas id=\"canvas\" tabindex=\"0\"></canvas>"
          "</div>\n<div id=\"details\">reading ...</div>\n", to);
    print_packed(to, "meta", meta, strlen(meta));
    print_packed(to, "data", p->data.at, p->data.nr);
    fputs("<script nonce=\"", to);
    print_base64(to, nonce, NONCE_BYTES);
    fprintf(to, "\">\n%s</script>\n</html>\n", viewer_js);
}

static int write_page(const struct page *p, const char *path,
                      struct xensched_error *err)
{
    uint8_t nonce[NONCE_BYTES];
    FILE *to;
    int failed;

    if (getrandom(nonce, sizeof(nonce), 0) != sizeof(nonce))
        return xensched_fail(err, EIO, "the kernel has no random numbers");
    to = fopen(path, "we");
    if (!to)
        return xensched_fail(err, errno, "cannot create '%s': %s", path,
                             strerror(errno));
    errno = 0;
    print_page(p, to, nonce);
    failed = ferror(to);
    if (fclose(to) || failed)
        return xensched_fail(err, errno, "cannot write '%s': %s", path,
                             strerror(errno ? errno : EIO));

    return 0;
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
    rc = write_page(&p, path, err);
    json_object_put(p.meta);
    free(p.data.at);
    free(p.vcpu_lane);
    free(p.thread_lane);

    return rc;
}
