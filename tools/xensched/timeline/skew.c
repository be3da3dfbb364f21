/* SPDX-License-Identifier: GPL-2.0-only */
/* skew.c - bounds the difference of two pCPUs' clocks from both sides; see skew.h. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "skew.h"
#include "timeline/rows/order.h"

/*
 * A notification is the cause of a run if the receiver has no other one in this time before and
 * after it.  In a stream of notifications the nearest one may be the next.
 */
#define ALONE_NS 500000U

/* Fewer causes than this prove nothing. */
#define LEAST_CAUSES 16U

/* A pair for each two pCPUs; hosts with more are left alone. */
#define MOST_CPUS 1024U

/* From a pCPU on which it is sent to the one on which it runs. */
struct bound {
    int64_t *ns; /* run - notification, of each; at last in order */
    size_t nr, room;
};

struct notification {
    uint64_t ns;
    uint32_t cpu; /* index */
    uint16_t receiver;
};

struct skew_finding {
    const struct rows *rows;
    const struct stays *stays;
    struct bound *bound; /* [from][to] */
    uint32_t nr_cpus;
    struct notification *sent; /* by receiver, then by time */
    size_t nr_sent, room;
};

static struct bound *bound_of(const struct skew_finding *f, uint32_t from,
                              uint32_t to)
{
    return &f->bound[(size_t)from * f->nr_cpus + to];
}

static bool has_later_receiver(const void *a, const void *b)
{
    return ((const struct notification *)a)->receiver >
           ((const struct notification *)b)->receiver;
}

static void find_sent(struct skew_finding *f)
{
    bool received = f->rows->events & 1U << XEN_SCHEDLOG_EV_EVTCHN_RECV;
    uint16_t event = received ? XEN_SCHEDLOG_EV_EVTCHN_RECV
                              : XEN_SCHEDLOG_EV_EVTCHN_SEND;
    size_t i;

    for (i = 0; i < f->rows->nr; i++) {
        const struct timeline_row *row = &f->rows->row[i];
        uint32_t cpu = stays_cpu(f->stays, row->cpu);

        if (row->event == event && cpu != STAY_NONE)
            *list_add(f->sent, f->nr_sent, f->room) = (struct notification){
                row->ns, cpu, received ? row->current : row->correspondent,
            };
    }
    order_sort(f->sent, f->nr_sent, sizeof(*f->sent), has_later_receiver);
}

/* Those to one receiver. */
struct sent {
    const struct notification *first;
    size_t nr;
};

static struct sent sent_to(const struct skew_finding *f, uint16_t receiver,
                           size_t *next)
{
    struct sent sent;

    while (*next < f->nr_sent && f->sent[*next].receiver < receiver)
        ++*next;
    sent.first = &f->sent[*next];
    for (sent.nr = 0; *next < f->nr_sent &&
                      f->sent[*next].receiver == receiver; sent.nr++)
        ++*next;

    return sent;
}

/* The only notification about @ns, or NULL. */
static const struct notification *cause_of(const struct sent *sent, uint64_t ns)
{
    size_t i = order_until(sent->first, sent->nr, sizeof(*sent->first),
                           offsetof(struct notification, ns),
                           ns > ALONE_NS ? ns - ALONE_NS : 0);

    if (i == sent->nr || sent->first[i].ns > ns + ALONE_NS ||
        (i + 1 < sent->nr && sent->first[i + 1].ns <= ns + ALONE_NS))
        return NULL;

    return &sent->first[i];
}

/* Did the vCPU sleep before this run? */
static bool slept_before(const struct vcpu *v, size_t i)
{
    if (i && v->span[i - 1].state == VCPU_RUNNABLE)
        i--;

    return i && v->span[i - 1].state == VCPU_BLOCKED;
}

static void take_runs(struct skew_finding *f, const struct sent *sent,
                      const struct vcpu *v)
{
    size_t i;

    for (i = 0; i < v->nr; i++) {
        const struct span *run = &v->span[i];
        const struct notification *cause;
        struct bound *bound;

        if (run->state != VCPU_RUNNING || !slept_before(v, i))
            continue;
        cause = cause_of(sent, run->begin);
        if (!cause || cause->cpu == run->cpu)
            continue;
        bound = bound_of(f, cause->cpu, run->cpu);
        *list_add(bound->ns, bound->nr, bound->room) =
            (int64_t)run->begin - (int64_t)cause->ns;
    }
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

static void sort_bounds(struct skew_finding *f)
{
    size_t i;

    for (i = 0; i < (size_t)f->nr_cpus * f->nr_cpus; i++)
        if (f->bound[i].nr)
            qsort(f->bound[i].ns, f->bound[i].nr, sizeof(*f->bound[i].ns),
                  compare);
}

/* The median: a run that a timer caused may be before any notification. */
static int64_t median_of(const struct bound *b)
{
    return b->ns[(b->nr - 1) / 2];
}

/* By true clocks a run is hardly ever before the only notification about it. */
static bool is_impossible(const struct bound *b, int64_t tolerance)
{
    return b->ns[(b->nr - 1) * 9 / 10] < -tolerance;
}

/*
 * By how much @to is ahead of @from, if the bounds exclude zero.  Bounds that exclude each
 * other are of notifications which caused nothing.
 */
static bool is_skewed(const struct skew_finding *f, uint32_t from, uint32_t to,
                      int64_t *ahead, uint64_t *error)
{
    const struct bound *there = bound_of(f, from, to);
    const struct bound *answers = bound_of(f, to, from);
    int64_t tolerance = stays_tolerance(f->rows), high, back;

    if (there->nr < LEAST_CAUSES || answers->nr < LEAST_CAUSES)
        return false;
    high = median_of(there);
    back = median_of(answers);
    if (high + back < 0 || (!is_impossible(there, tolerance) &&
                            !is_impossible(answers, tolerance)))
        return false;
    *ahead = (high - back) / 2;
    *error = (high + back) / 2;

    return true;
}

/* From those pCPUs whose difference is known to the others. */
static void spread(struct skew *skew, const struct skew_finding *f)
{
    bool *known = need_memory(skew->nr + 1, sizeof(*known)), more = true;
    uint32_t from, to;

    while (more) {
        more = false;
        for (from = 0; from < skew->nr; from++)
            for (to = 0; to < skew->nr; to++) {
                int64_t ahead;
                uint64_t error;

                if (from == to || known[to] ||
                    (!known[from] && from > to) ||
                    !is_skewed(f, from, to, &ahead, &error))
                    continue;
                skew->ahead_ns[to] = skew->ahead_ns[from] + ahead;
                known[from] = known[to] = more = true;
                if (error > skew->error_ns)
                    skew->error_ns = error;
            }
    }
    free(known);
}

static void find_most(struct skew *skew)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    uint32_t i;

    for (i = 0; i < skew->nr; i++) {
        if (skew->ahead_ns[i] < least)
            least = skew->ahead_ns[i];
        if (skew->ahead_ns[i] > most)
            most = skew->ahead_ns[i];
    }
    skew->most_ns = skew->nr ? most - least : 0;
}

void skew_find(struct skew *skew, const struct rows *rows,
               const struct stays *stays, const struct vcpus *vcpus)
{
    struct skew_finding f = {
        .rows = rows,
        .stays = stays,
        .nr_cpus = stays->nr <= MOST_CPUS ? stays->nr : 0,
    };
    size_t next = 0, i;
    unsigned int vcpu;

    *skew = (struct skew){
        .ahead_ns = need_memory(f.nr_cpus + 1, sizeof(*skew->ahead_ns)),
        .nr = f.nr_cpus,
    };
    if (!f.nr_cpus)
        return;
    f.bound = need_memory((size_t)f.nr_cpus * f.nr_cpus, sizeof(*f.bound));
    find_sent(&f);
    for (vcpu = 0; vcpu < vcpus->nr;) {
        uint16_t acct = vcpus->vcpu[vcpu].acct;
        struct sent sent = sent_to(&f, acct, &next);

        for (; vcpu < vcpus->nr && vcpus->vcpu[vcpu].acct == acct; vcpu++)
            take_runs(&f, &sent, &vcpus->vcpu[vcpu]);
    }
    sort_bounds(&f);
    spread(skew, &f);
    find_most(skew);
    for (i = 0; i < (size_t)f.nr_cpus * f.nr_cpus; i++)
        free(f.bound[i].ns);
    free(f.bound);
    free(f.sent);
}

static uint64_t corrected(const struct skew *skew, const struct stays *stays,
                          uint32_t id, uint64_t ns)
{
    uint32_t cpu = stays_cpu(stays, id);
    int64_t to = cpu < skew->nr ? (int64_t)ns - skew->ahead_ns[cpu]
                                : (int64_t)ns;

    return to > 0 ? to : 0;
}

void skew_correct(const struct skew *skew, struct rows *rows,
                  const struct stays *stays)
{
    size_t i;

    for (i = 0; i < rows->nr; i++)
        rows->row[i].ns = corrected(skew, stays, rows->row[i].cpu,
                                    rows->row[i].ns);
    for (i = 0; i < rows->nr_losses; i++) {
        struct timeline_loss *loss = &rows->loss[i];

        loss->begin_ns = corrected(skew, stays, loss->cpu, loss->begin_ns);
        loss->end_ns = corrected(skew, stays, loss->cpu, loss->end_ns);
    }
    rows_sort(rows);
}

void skew_free(struct skew *skew)
{
    free(skew->ahead_ns);
    memset(skew, 0, sizeof(*skew));
}
