/* SPDX-License-Identifier: GPL-2.0-only */
/* Matches notifications with wake-ups and runs. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "timeline/rows/row-order.h"
#include "wakes.h"

/* A wake-up that comes later than this has another cause. */
#define MAX_DELIVERY_NS 1000000U

/* A wake-up that precedes the notification by more has another cause, too. */
#define ORDER_NS 1000U

/*
 * Other wake-ups precede it by chance: a vCPU that has just woken for another reason is notified.
 * The time before, without a notification, shows how often that happens: it has this many times the
 * length, and no more, because wake-ups come in bursts.
 */
#define CHANCE_TIMES 4U

struct wakes_making {
    struct wakes *wakes;
    const struct stays *stays;
    const struct vcpus *vcpus;
    uint64_t granule, tolerance;
    size_t *at; /* [vCPU]: its present span; rows are in order, so it only grows */
    uint64_t *explained; /* [vCPU]: its last wake-up whose notification is known */
};

/* The effect of a notification on one vCPU. */
struct effect {
    enum wake_kind kind;
    uint64_t woken, ran;
};

static size_t go_on(struct wakes_making *m, unsigned int index, uint64_t ns)
{
    const struct vcpu *v = &m->vcpus->vcpu[index];
    size_t *at = &m->at[index];

    while (*at + 1 < v->nr && v->span[*at + 1].begin <= ns)
        ++*at;

    return *at;
}

static bool slept_before(const struct vcpu *v, size_t i)
{
    return i && v->span[i - 1].state == VCPU_BLOCKED;
}

/* Returns when it runs after its wait, unless rows are missing. */
static uint64_t run_after(const struct vcpu *v, size_t i)
{
    while (i < v->nr && v->span[i].state == VCPU_RUNNABLE)
        i++;

    return i < v->nr && v->span[i].state == VCPU_RUNNING ? v->span[i].begin
                                                         : STAY_NEVER;
}

/*
 * Returns the span in which it is awake after it slept about @ns: the present one, if it is so
 * young that the two times may be in the wrong order, or the next one.
 */
static size_t waking_span(const struct wakes_making *m, const struct vcpu *v,
                          size_t i, uint64_t ns)
{
    const struct span *s = &v->span[i];

    /* It ran at once: its wait is one span before. */
    if (s->state == VCPU_RUNNING && i && s[-1].state == VCPU_RUNNABLE &&
        s[-1].begin + m->tolerance >= ns)
        i--;
    s = &v->span[i];
    if ((s->state == VCPU_RUNNABLE || s->state == VCPU_RUNNING) &&
        slept_before(v, i) && s->begin + m->tolerance >= ns)
        return i;
    if (s->state == VCPU_BLOCKED && i + 1 < v->nr &&
        (s[1].state == VCPU_RUNNABLE || s[1].state == VCPU_RUNNING) &&
        s[1].begin <= ns + MAX_DELIVERY_NS)
        return i + 1;

    return SIZE_MAX;
}

/* Returns whether the wake-up came first, as far as stamps can tell. */
static bool is_early(const struct wakes_making *m, uint64_t woken,
                     uint64_t sent)
{
    return woken + m->granule < sent;
}

/* Returns whether an earlier notification was the cause. */
static bool is_anothers(const struct wakes_making *m, unsigned int index,
                        uint64_t woken, uint64_t sent)
{
    return is_early(m, woken, sent) && m->explained[index] == woken;
}

static struct effect effect_on(struct wakes_making *m, unsigned int index,
                               uint64_t ns)
{
    const struct vcpu *v = &m->vcpus->vcpu[index];
    size_t i = v->nr ? go_on(m, index, ns) : 0, woken;

    if (!v->nr || v->span[i].begin > ns)
        return (struct effect){ WAKE_UNKNOWN, ns, STAY_NEVER };
    woken = waking_span(m, v, i, ns);
    if (woken != SIZE_MAX && !is_anothers(m, index, v->span[woken].begin, ns))
        return (struct effect){
            WAKE_WOKEN, v->span[woken].begin, run_after(v, woken),
        };
    switch (v->span[i].state) {
    case VCPU_RUNNING:
        return (struct effect){ WAKE_RUNNING, ns, ns };
    case VCPU_RUNNABLE:
        return (struct effect){ WAKE_WAITING, ns, run_after(v, i) };
    case VCPU_BLOCKED:
        return (struct effect){ WAKE_NONE, ns, STAY_NEVER };
    default:
        return (struct effect){ WAKE_UNKNOWN, ns, STAY_NEVER };
    }
}

/* Kinds are sorted by how well they explain a notification. */
static bool is_better(const struct wakes_making *m, const struct effect *a,
                      const struct effect *b, uint64_t sent)
{
    bool early = is_early(m, a->woken, sent);

    if (a->kind == WAKE_RUNNING && b->kind == WAKE_WAITING)
        return true;
    if (a->kind == WAKE_WAITING && b->kind == WAKE_RUNNING)
        return false;
    if (a->kind != b->kind)
        return a->kind < b->kind;
    if (a->kind == WAKE_WOKEN && early != is_early(m, b->woken, sent))
        return !early;

    return a->woken < b->woken;
}

static uint32_t vcpu_on(const struct wakes_making *m, uint32_t cpu, uint64_t ns,
                        uint16_t acct)
{
    const struct stay *stay = stays_at(&m->stays->cpu[cpu], ns);

    return stay && stay->acct == acct && stay->end >= ns ? stay->vcpu
                                                         : STAY_NONE;
}

/* When that awake vCPU woke, if not before @earliest. */
static uint64_t woke_at(const struct vcpu *v, size_t i, uint64_t earliest)
{
    for (;; i--) {
        const struct span *s = &v->span[i];

        if ((s->state != VCPU_RUNNABLE && s->state != VCPU_RUNNING) ||
            s->begin < earliest)
            return STAY_NEVER;
        if (slept_before(v, i))
            return s->begin;
        if (!i)
            return STAY_NEVER;
    }
}

/* Might it have come early by chance, had it been a bit later? */
static bool was_near(const struct wakes_making *m, const struct wake *wake)
{
    uint64_t width = CHANCE_TIMES * (m->tolerance - m->granule), last, woke;
    unsigned int i;

    if (wake->sent < m->tolerance + width)
        return false;
    last = wake->sent - m->tolerance;
    for (i = m->vcpus->first[wake->receiver];
         i < m->vcpus->first[wake->receiver + 1]; i++) {
        const struct vcpu *v = &m->vcpus->vcpu[i];

        if (!v->nr || v->span[m->at[i]].begin > wake->sent)
            continue;
        woke = woke_at(v, m->at[i], last - width);
        if (woke < last && woke != m->explained[i])
            return true;
    }

    return false;
}

static void note_order(struct wakes_making *m, const struct wake *wake)
{
    bool woken = wake->kind == WAKE_WOKEN;
    uint64_t ns;

    if (woken)
        m->wakes->pairs++;
    if (woken && !is_early(m, wake->woken, wake->sent)) {
        m->explained[wake->to] = wake->woken;
        return;
    }
    if (was_near(m, wake))
        m->wakes->by_chance += 1.0 / CHANCE_TIMES;
    if (!woken)
        return;
    ns = wake->sent - wake->woken;
    m->wakes->disordered++;
    if (ns > m->wakes->disorder_ns)
        m->wakes->disorder_ns = ns;
}

static void accept_row(struct wakes_making *m, const struct timeline_row *row,
                       uint16_t sender, uint16_t receiver)
{
    uint32_t cpu = stays_cpu(m->stays, row->cpu);
    struct effect best = { WAKE_UNKNOWN, row->ns, STAY_NEVER };
    uint32_t to = STAY_NONE;
    unsigned int i;
    struct wake *wake;

    if (cpu == STAY_NONE || receiver == XEN_SCHEDLOG_ACCT_NONE)
        return;
    for (i = m->vcpus->first[receiver]; i < m->vcpus->first[receiver + 1];
         i++) {
        struct effect now = effect_on(m, i, row->ns);

        if (to == STAY_NONE || is_better(m, &now, &best, row->ns)) {
            best = now;
            to = i;
        }
    }
    wake = list_add(m->wakes->wake, m->wakes->nr, m->wakes->room);
    *wake = (struct wake){
        .sent = row->ns,
        .woken = best.woken,
        .ran = best.ran,
        .cpu = cpu,
        .from = vcpu_on(m, cpu, row->ns, sender),
        .to = best.kind == WAKE_UNKNOWN ? STAY_NONE : to,
        .sender = sender,
        .receiver = receiver,
        .kind = best.kind,
    };
    note_order(m, wake);
}

void wakes_make(struct wakes *wakes, const struct rows *rows,
                const struct stays *stays, const struct vcpus *vcpus)
{
    struct wakes_making m = {
        .wakes = wakes,
        .stays = stays,
        .vcpus = vcpus,
        .granule = rows->granule_ns,
        .tolerance = 2 * rows->granule_ns + ORDER_NS,
        .at = need_memory(vcpus->nr + 1, sizeof(*m.at)),
        .explained = need_memory(vcpus->nr + 1, sizeof(*m.explained)),
    };
    bool received = rows->events & 1U << XEN_SCHEDLOG_EV_EVTCHN_RECV;
    size_t i;

    for (i = 0; i < vcpus->nr; i++)
        m.explained[i] = STAY_NEVER;
    memset(wakes, 0, sizeof(*wakes));
    for (i = 0; i < rows->nr; i++) {
        const struct timeline_row *row = &rows->row[i];

        if (received && row->event == XEN_SCHEDLOG_EV_EVTCHN_RECV)
            accept_row(&m, row, row->correspondent, row->current);
        else if (!received && row->event == XEN_SCHEDLOG_EV_EVTCHN_SEND)
            accept_row(&m, row, row->current, row->correspondent);
    }
    free(m.at);
    free(m.explained);
}

void wakes_free(struct wakes *wakes)
{
    free(wakes->wake);
    memset(wakes, 0, sizeof(*wakes));
}

/* The first notification which may have to do with what is at @ns. */
static size_t first_about(const struct wakes *wakes, uint64_t ns)
{
    return ns <= MAX_DELIVERY_NS
           ? 0 : order_until(wakes->wake, wakes->nr, sizeof(*wakes->wake),
                             offsetof(struct wake, sent), ns - MAX_DELIVERY_NS - 1);
}

const struct wake *wakes_of(const struct wakes *wakes, uint32_t vcpu,
                            uint64_t woken)
{
    size_t i;

    for (i = first_about(wakes, woken);
         i < wakes->nr && wakes->wake[i].sent <= woken + MAX_DELIVERY_NS; i++)
        if (wakes->wake[i].to == vcpu && wakes->wake[i].kind == WAKE_WOKEN &&
            wakes->wake[i].woken == woken)
            return &wakes->wake[i];

    return NULL;
}
