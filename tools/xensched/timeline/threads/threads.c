/* SPDX-License-Identifier: GPL-2.0-only */
/* Derives what guests' threads did, and where rows about them are lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "threads.h"

/* Losses. */

#define ANY_CPU UINT32_MAX

/* Losses of one vCPU, or of any vCPU of a source, which do not overlap each other. */
struct thread_window {
    uint64_t begin, end;
    uint32_t cpu;
    uint16_t source;
};

struct thread_losses {
    struct thread_window *window;
    size_t nr;
};

/* Sorts by source and vCPU, then by time. */
static int compare_whose(const struct thread_window *a,
                         const struct thread_window *b)
{
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;

    return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

static int compare_threads(const void *a, const void *b)
{
    const struct thread_window *x = a, *y = b;
    int whose = compare_whose(x, y);

    if (whose)
        return whose;

    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static void join_overlapping(struct thread_losses *l)
{
    size_t i, nr = 0;

    for (i = 0; i < l->nr; i++) {
        struct thread_window *last = nr ? &l->window[nr - 1] : NULL;
        const struct thread_window *w = &l->window[i];

        if (!last || compare_whose(last, w) || last->end < w->begin)
            l->window[nr++] = *w;
        else if (last->end < w->end)
            last->end = w->end;
    }
    l->nr = nr;
}

static void make_losses(struct thread_losses *l, const struct linux_rows *rows)
{
    size_t i;

    l->nr = 0;
    l->window = need_memory(2 * rows->nr_losses + 1, sizeof(*l->window));
    for (i = 0; i < rows->nr_losses; i++) {
        const struct linux_loss *loss = &rows->loss[i];
        struct thread_window w = { .begin = loss->begin_ns,
                                   .end = loss->end_ns, .cpu = loss->cpu,
                                   .source = loss->source };

        if (!loss->threads)
            continue;
        l->window[l->nr++] = w;
        w.cpu = ANY_CPU;
        l->window[l->nr++] = w;
    }
    qsort(l->window, l->nr, sizeof(*l->window), compare_threads);
    join_overlapping(l);
}

static void free_losses(struct thread_losses *l)
{
    free(l->window);
    l->window = NULL;
}

/*
 * Returns when the first loss that ends after @ns begins: of vCPU @cpu of @source (ANY_CPU: of any
 * of its vCPUs); UINT64_MAX: none.
 */
static uint64_t find_loss(const struct thread_losses *l, uint16_t source, uint32_t cpu,
                          uint64_t ns)
{
    const struct thread_window whose = { .cpu = cpu, .source = source };
    size_t low = 0, high = l->nr;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_whose(&l->window[middle], &whose);

        if (order < 0 || (!order && l->window[middle].end <= ns))
            low = middle + 1;
        else
            high = middle;
    }

    return low < l->nr && !compare_whose(&l->window[low], &whose)
           ? l->window[low].begin : UINT64_MAX;
}

/* Derives what threads did on the vCPUs of their domain. */

#define NR_BUCKETS 65536U

/* No real host has more; otherwise rows are forged. */
#define MAX_THREADS (1U << 18)
#define MAX_PLACES  4096U

#define PID(counter) ((uint32_t)((counter) & XEN_SCHEDLOG_PID_MASK))
#define OTHER(counter) PID((counter) >> XEN_SCHEDLOG_OTHER_PID_SHIFT)

/* A thread that has not ended. */
struct alive {
    struct alive *next;
    uint32_t pid, thread;
    uint32_t wake;     /* a wake-up that has not led to a run yet, or NONE */
    uint16_t source;
};

/* The thread that has a vCPU. */
struct holder {
    uint32_t pid;      /* 0: its idle thread */
    bool known;
    uint64_t last_ns;  /* of the latest switch there */
};

struct threads_making {
    struct threads *t;
    struct thread_losses losses;
    struct alive *bucket[NR_BUCKETS];
    struct holder *holder; /* by place */
    size_t holders_room;
};

static struct alive **find_alive(struct threads_making *m, uint16_t source,
                                 uint32_t pid)
{
    struct alive **at = &m->bucket[(pid * 31 + source) % NR_BUCKETS];

    while (*at && ((*at)->pid != pid || (*at)->source != source))
        at = &(*at)->next;

    return at;
}

/* Returns NULL for the idle thread (PID 0), and beyond the limit. */
static struct alive *thread_of(struct threads_making *m, uint16_t source,
                               uint32_t pid)
{
    struct alive **at = find_alive(m, source, pid);
    struct thread *thread;

    if (!pid || *at)
        return *at;
    if (m->t->nr == MAX_THREADS) {
        m->t->strange++;
        return NULL;
    }
    *at = need_memory(1, sizeof(**at));
    **at = (struct alive){ .pid = pid, .source = source, .wake = THREAD_NONE,
                           .thread = m->t->nr };
    thread = list_add(m->t->thread, m->t->nr, m->t->room);
    *thread = (struct thread){ .pid = pid, .source = source, .nr = 1, .room = 1,
                               .home = THREAD_NONE };
    thread->span = need_memory(1, sizeof(*thread->span));
    *thread->span = (struct thread_span){ .place = THREAD_NONE,
                                          .state = VCPU_UNKNOWN };

    return *at;
}

static void end_thread(struct threads_making *m, uint16_t source, uint32_t pid)
{
    struct alive **at = find_alive(m, source, pid), *dead = *at;

    if (!dead)
        return;
    *at = dead->next;
    free(dead);
}

/* Returns NONE beyond the limit. */
static uint32_t place_of(struct threads_making *m, uint16_t source,
                         uint32_t cpu)
{
    struct threads *t = m->t;
    size_t i, nr;

    for (i = 0; i < t->nr_places; i++)
        if (t->place[i].source == source && t->place[i].cpu == cpu)
            return i;
    if (i == MAX_PLACES) {
        t->strange++;
        return THREAD_NONE;
    }
    nr = i;
    *list_add(t->place, t->nr_places, t->places_room) =
        (struct thread_place){ .cpu = cpu, .source = source,
                               .vcpu = STAY_NONE };
    nr = i;
    *list_add(m->holder, nr, m->holders_room) = (struct holder){ 0 };

    return i;
}

/* Spans. */

static void put_span(struct thread *thread, uint64_t ns, enum vcpu_state state,
                     uint32_t place, char why)
{
    struct thread_span *last = &thread->span[thread->nr - 1];

    if (last->begin < ns)
        last = list_add(thread->span, thread->nr, thread->room);
    *last = (struct thread_span){ .begin = ns, .state = state, .place = place,
                                  .why = why };
}

/* If rows are missing since its last span began, its state is unknown from there. */
static void lose_until(struct threads_making *m, struct thread *thread,
                       uint64_t ns)
{
    const struct thread_span *last = &thread->span[thread->nr - 1];
    uint64_t begin;

    if (last->state == VCPU_UNKNOWN || last->state == VCPU_LOST)
        return;
    begin = last->state == VCPU_RUNNING
            ? find_loss(&m->losses, thread->source,
                        m->t->place[last->place].cpu, last->begin)
            : find_loss(&m->losses, thread->source, ANY_CPU, last->begin);
    if (begin >= ns)
        return;
    put_span(thread, begin > last->begin ? begin : last->begin, VCPU_LOST,
             THREAD_NONE, 0);
}

static void enter_state(struct threads_making *m, struct alive *a, uint64_t ns,
                        enum vcpu_state state, uint32_t place, char why)
{
    struct thread *thread = &m->t->thread[a->thread];

    lose_until(m, thread, ns);
    put_span(thread, ns, state, place, why);
}

/* The thread left a vCPU, or came to one, without a row. */
static void doubt_thread(struct threads_making *m, const struct alive *a)
{
    struct thread *thread = &m->t->thread[a->thread];

    thread->span[thread->nr - 1].state = VCPU_UNKNOWN;
    thread->span[thread->nr - 1].place = THREAD_NONE;
}

/* Rows. */

static void check_holder(struct threads_making *m, const struct linux_row *row,
                         uint32_t place, struct alive *prev)
{
    struct holder *h = &m->holder[place];
    struct alive *was;

    if (find_loss(&m->losses, row->source, row->cpu, h->last_ns) <
        row->ns)
        h->known = false;
    if (!h->known || h->pid == OTHER(row->counter))
        return;
    m->t->gaps++;
    was = *find_alive(m, row->source, h->pid);
    if (h->pid && was)
        doubt_thread(m, was);
    if (prev)
        doubt_thread(m, prev);
}

static void leave_cpu(struct threads_making *m, const struct linux_row *row,
                      struct alive *prev)
{
    char why = row->counter >> XEN_SCHEDLOG_SWITCH_STATE_SHIFT;

    if (why == 'R' || row->counter & XEN_SCHEDLOG_SWITCH_PREEMPTED) {
        enter_state(m, prev, row->ns, VCPU_RUNNABLE, THREAD_NONE, 0);
    } else if (why == 'X' || why == 'Z') {
        enter_state(m, prev, row->ns, VCPU_UNKNOWN, THREAD_NONE, 0);
        end_thread(m, row->source, prev->pid);
    } else {
        enter_state(m, prev, row->ns, VCPU_BLOCKED, THREAD_NONE,
                    why >= 'A' && why <= 'z' ? why : 0);
    }
}

static void take_switch(struct threads_making *m, const struct linux_row *row)
{
    uint32_t place = place_of(m, row->source, row->cpu);
    struct alive *prev, *next;

    if (place == THREAD_NONE)
        return;
    prev = thread_of(m, row->source, OTHER(row->counter));
    check_holder(m, row, place, prev);
    if (prev)
        leave_cpu(m, row, prev);
    next = thread_of(m, row->source, PID(row->counter));
    if (next) {
        enter_state(m, next, row->ns, VCPU_RUNNING, place, 0);
        m->t->thread[next->thread].runs++;
        if (next->wake != THREAD_NONE)
            m->t->wake[next->wake].ran = row->ns;
        next->wake = THREAD_NONE;
    }
    m->holder[place] = (struct holder){ .pid = PID(row->counter),
                                        .known = true, .last_ns = row->ns };
}

static void take_wake(struct threads_making *m, const struct linux_row *row)
{
    struct alive *to = thread_of(m, row->source, PID(row->counter));
    struct alive *from = thread_of(m, row->source, OTHER(row->counter));
    struct thread *thread;
    enum vcpu_state state;

    if (!to)
        return;
    thread = &m->t->thread[to->thread];
    lose_until(m, thread, row->ns);
    state = thread->span[thread->nr - 1].state;
    if (state == VCPU_RUNNING || state == VCPU_RUNNABLE)
        return;
    enter_state(m, to, row->ns, VCPU_RUNNABLE, THREAD_NONE, 0);
    thread->woken++;
    to->wake = m->t->nr_wakes;
    *list_add(m->t->wake, m->t->nr_wakes, m->t->wakes_room) =
        (struct thread_wake){
            .ns = row->ns,
            .ran = STAY_NEVER,
            .from = from && !(row->counter & XEN_SCHEDLOG_WAKE_INTERRUPT)
                    ? from->thread : THREAD_NONE,
            .to = to->thread,
            .place = place_of(m, row->source, row->cpu),
        };
}

static void take_name(struct threads_making *m, const struct linux_row *row)
{
    struct alive *a = thread_of(m, row->source, PID(row->counter));
    unsigned int part = row->counter >> XEN_SCHEDLOG_NAME_PART_SHIFT &
                        XEN_SCHEDLOG_NAME_PART_MASK;
    uint64_t rest = row->counter >> XEN_SCHEDLOG_NAME_TEXT_SHIFT;
    struct thread *thread;
    unsigned int i;

    if (!a)
        return;
    thread = &m->t->thread[a->thread];
    if (part == XEN_SCHEDLOG_NAME_PROCESS) {
        thread->process = rest & XEN_SCHEDLOG_PID_MASK;
        return;
    }
    if (!part)
        memset(thread->name, 0, sizeof(thread->name));
    for (i = 0; i < XEN_SCHEDLOG_NAME_TEXT_BYTES; i++)
        thread->name[part * XEN_SCHEDLOG_NAME_TEXT_BYTES + i] = rest >> 8 * i;
}

static void accept_row(struct threads_making *m, const struct linux_row *row)
{
    if (row->event == XEN_SCHEDLOG_EV_GUEST_SWITCH)
        take_switch(m, row);
    else if (row->event == XEN_SCHEDLOG_EV_GUEST_WAKE)
        take_wake(m, row);
    else if (row->event == XEN_SCHEDLOG_EV_GUEST_NAME)
        take_name(m, row);
}

/* The end. */

uint64_t threads_end(const struct threads *t, const struct thread *thread,
                     size_t i)
{
    return i + 1 < thread->nr ? thread->span[i + 1].begin : t->end_ns;
}

static void add_up(struct threads_making *m, struct thread *thread)
{
    size_t i;

    lose_until(m, thread, m->t->end_ns);
    for (i = 0; i < thread->nr; i++)
        thread->ns[thread->span[i].state] += threads_end(m->t, thread, i) -
                                             thread->span[i].begin;
}

void threads_make(struct threads *t, const struct linux_rows *rows,
                  uint64_t end_ns)
{
    struct threads_making *m = need_memory(1, sizeof(*m));
    size_t i;

    m->t = t;
    memset(t, 0, sizeof(*t));
    t->end_ns = end_ns;
    make_losses(&m->losses, rows);
    for (i = 0; i < rows->nr; i++)
        accept_row(m, &rows->row[i]);
    for (i = 0; i < t->nr; i++)
        add_up(m, &t->thread[i]);
    for (i = 0; i < NR_BUCKETS; i++)
        while (m->bucket[i]) {
            struct alive *a = m->bucket[i];

            m->bucket[i] = a->next;
            free(a);
        }
    free_losses(&m->losses);
    free(m->holder);
    free(m);
}

void threads_free(struct threads *t)
{
    size_t i;

    for (i = 0; i < t->nr; i++)
        free(t->thread[i].span);
    free(t->thread);
    free(t->place);
    free(t->wake);
    memset(t, 0, sizeof(*t));
}

const char *threads_name(const struct thread *thread)
{
    return text_format("%s %u", *thread->name ? thread->name : "PID", thread->pid);
}
