/* SPDX-License-Identifier: GPL-2.0-only */
/* Bounds the differences of pCPUs' clocks, and corrects what the bounds contradict. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "skew.h"
#include "timeline/rows/row-order.h"

/* Fewer delays than this bound nothing. */
#define LEAST_DELAYS 16U

/* One in this number of delays may be of a wake-up that met the notification by chance. */
#define BY_CHANCE 10U

/*
 * A notification's row precedes the wake-up by at most this.  Emulators need long for the code in
 * between.
 */
#define REACH_NS 50000U

/* Moments near to a wake-up, for matches by chance: steps of a prime number of ns. */
#define CHANCE_NS      1000000U
#define CHANCE_STEP_NS 611953U

/* The most notifications that may have caused one run; a run with more is useless. */
#define MOST_CANDIDATES 64U

/* Rounds in which bounds narrow the search for causes. */
#define MOST_ROUNDS 20U

/* Bounds take the square of this; differences of a host with more pCPUs are unknown. */
#define MOST_CPUS 512U

/* No bound. */
#define FAR (INT64_MAX / 4)

struct notification {
    uint64_t ns;
    uint32_t cpu; /* index */
    uint32_t wakes; /* number of wake-ups that it may have caused */
    uint16_t receiver;
};

/* Delays from notifications on one pCPU to runs on another one. */
struct bound {
    int64_t *ns; /* delays by the two clocks: none is less than the difference */
    size_t nr, room;
    size_t chance; /* wake-ups of other causes that look the same after a random shift */
    size_t regular; /* delays that fit the previous notification as well, at the same interval */
    uint64_t sent, interval; /* the last notification, and its distance from the one before */
    int64_t most;  /* by how much the second clock is ahead at most, or FAR */
};

struct skew_finding {
    struct skew *skew;
    const struct rows *rows;
    const struct stays *stays;
    int64_t tolerance;
    uint32_t nr;
    struct bound *bound;       /* [from][to] */
    struct notification *sent; /* by receiver, then by time */
    size_t nr_sent, room;
    size_t *first; /* [accounting domain]: its first notification; one more at the end */
    size_t *early; /* [pCPU]: number of wake-ups without a delay ... */
    size_t *strange; /* ... that no notification explains */
};

static struct bound *bound_of(const struct skew_finding *f, uint32_t from,
                              uint32_t to)
{
    return &f->bound[(size_t)from * f->nr + to];
}

/* Notifications. */

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
    unsigned int acct;
    size_t i;

    for (i = 0; i < f->rows->nr; i++) {
        const struct timeline_row *row = &f->rows->row[i];
        uint32_t cpu = stays_cpu(f->stays, row->cpu);

        if (row->event == event && cpu != STAY_NONE)
            *list_add(f->sent, f->nr_sent, f->room) = (struct notification){
                .ns = row->ns,
                .cpu = cpu,
                .receiver = received ? row->current : row->correspondent,
            };
    }
    order_sort(f->sent, f->nr_sent, sizeof(*f->sent), has_later_receiver);
    f->first = need_memory(NAMES_ACCTS + 1, sizeof(*f->first));
    for (i = 0, acct = 0; acct <= NAMES_ACCTS; acct++) {
        while (i < f->nr_sent && f->sent[i].receiver < acct)
            i++;
        f->first[acct] = i;
    }
}

/* Notifications to one receiver in an interval. */
struct about {
    struct notification *sent;
    size_t nr;
};

static struct about sent_about(const struct skew_finding *f, uint16_t receiver,
                               int64_t begin, int64_t end)
{
    struct notification *all = &f->sent[f->first[receiver]];
    size_t nr = f->first[receiver + 1] - f->first[receiver], from, until;

    if (end < 0)
        return (struct about){ all, 0 };
    from = begin > 0 ? order_until(all, nr, sizeof(*all),
                                   offsetof(struct notification, ns),
                                   begin - 1) : 0;
    until = order_until(all, nr, sizeof(*all),
                        offsetof(struct notification, ns), end);

    return (struct about){ all + from, until - from };
}

/* Returns whether the row is a wake-up with a delay: Xen stamped it on the sender's pCPU. */

static bool is_wake(const struct skew_finding *f, const struct timeline_row *row)
{
    return row->event == XEN_SCHEDLOG_EV_WAKE_DELAY &&
           stays_cpu(f->stays, row->cpu) != STAY_NONE;
}

static struct about causes_of(const struct skew_finding *f,
                              const struct timeline_row *row, int64_t off)
{
    int64_t woken = (int64_t)row->ns - (int64_t)row->counter + off;

    return sent_about(f, row->current, woken - REACH_NS, woken + f->tolerance);
}

/* Returns the last of the causes, if all are of one pCPU; otherwise NULL. */
static struct notification *cause_of(const struct about *causes)
{
    size_t n;

    for (n = 1; n < causes->nr; n++)
        if (causes->sent[n].cpu != causes->sent[0].cpu)
            return NULL;

    return causes->nr ? &causes->sent[causes->nr - 1] : NULL;
}

static void count_causes(struct skew_finding *f)
{
    size_t i;

    for (i = 0; i < f->rows->nr; i++) {
        const struct timeline_row *row = &f->rows->row[i];
        struct about causes;

        if (!is_wake(f, row) || !row->counter)
            continue;
        causes = causes_of(f, row, 0);
        if (causes.nr)
            causes.sent[causes.nr - 1].wakes++;
    }
}

/* Counts how often a wake-up of another cause would match by chance. */
static void count_chance(struct skew_finding *f, size_t i, uint32_t to)
{
    int64_t off = i * CHANCE_STEP_NS % (2 * CHANCE_NS);
    struct about others = causes_of(f, &f->rows->row[i], off - CHANCE_NS);
    const struct notification *met = cause_of(&others);

    if (met && met->cpu != to)
        bound_of(f, met->cpu, to)->chance++;
}

static void add_delay(struct skew_finding *f, uint32_t from, uint32_t to,
                      int64_t ns)
{
    struct bound *bound = bound_of(f, from, to);

    *list_add(bound->ns, bound->nr, bound->room) = ns;
}

/* At regular intervals the wake-up of one notification looks like that of the next. */
static void count_regular(struct bound *bound, uint64_t sent, uint64_t tolerance)
{
    uint64_t interval = sent - bound->sent;

    bound->regular += interval <= bound->interval + tolerance &&
                      interval + tolerance >= bound->interval;
    bound->interval = interval;
    bound->sent = sent;
}

static void take_delays(struct skew_finding *f)
{
    size_t i;

    count_causes(f);
    for (i = 0; i < f->rows->nr; i++) {
        const struct timeline_row *row = &f->rows->row[i];
        uint32_t to = stays_cpu(f->stays, row->cpu);
        const struct notification *cause;
        struct about causes;

        if (!is_wake(f, row) || !row->counter)
            continue;
        causes = causes_of(f, row, 0);
        cause = cause_of(&causes);
        if (!causes.nr)
            count_chance(f, i, to);
        if (!cause || cause->wakes != 1 || cause->cpu == to)
            continue;
        f->skew->cause[i] = cause->cpu;
        count_regular(bound_of(f, cause->cpu, to), cause->ns, f->tolerance);
        add_delay(f, cause->cpu, to, (int64_t)row->counter + f->tolerance);
    }
}

static int compare_bounds(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

/* Ignores a few delays, which may be of other wake-ups and less than the difference. */
static int64_t most_of(struct bound *bound)
{
    if (bound->nr < LEAST_DELAYS || bound->chance > bound->nr / BY_CHANCE ||
        bound->regular > bound->nr / 2)
        return FAR;
    qsort(bound->ns, bound->nr, sizeof(*bound->ns), compare_bounds);

    return bound->ns[bound->nr / BY_CHANCE];
}

static void bound_by_delays(struct skew_finding *f)
{
    size_t i;

    take_delays(f);
    for (i = 0; i < (size_t)f->nr * f->nr; i++) {
        f->bound[i].most = most_of(&f->bound[i]);
        f->bound[i].nr = f->bound[i].chance = f->bound[i].regular = 0;
    }
}

/*
 * Wake-ups whose delay is 0: the clock of their pCPU is behind that of the notification, which
 * looks later.  The bounds of the other direction limit how much later.
 */

static bool may_cause(const struct skew_finding *f,
                      const struct notification *sent, uint64_t ran, uint32_t to)
{
    int64_t later = (int64_t)(sent->ns - ran);

    return sent->cpu != to &&
           later <= bound_of(f, to, sent->cpu)->most &&
           later >= -bound_of(f, sent->cpu, to)->most - f->tolerance;
}

/* Returns how far any pCPU is behind at most. */
static int64_t furthest_ahead(const struct skew_finding *f, uint32_t to)
{
    int64_t most = 0;
    uint32_t from;

    for (from = 0; from < f->nr; from++) {
        int64_t ns = bound_of(f, to, from)->most;

        if (from != to && ns != FAR && ns > most)
            most = ns;
    }

    return most;
}

/* Returns the first possible cause of a run, if all of them are of one pCPU; otherwise NULL. */
static const struct notification *first_cause(const struct skew_finding *f,
                                              const struct timeline_row *row,
                                              uint32_t to)
{
    struct about about = sent_about(f, row->current, row->ns,
                                    row->ns + furthest_ahead(f, to));
    const struct notification *first = NULL;
    size_t n;

    /* (Too many candidates explain it as well as one.) */
    if (about.nr > MOST_CANDIDATES)
        return NULL;
    for (n = 0; n < about.nr; n++) {
        const struct notification *sent = &about.sent[n];

        if (!may_cause(f, sent, row->ns, to))
            continue;
        if (first && first->cpu != sent->cpu)
            return NULL;
        if (!first)
            first = sent;
    }
    f->strange[to] += !first;

    return first;
}

static void take_early_runs(struct skew_finding *f)
{
    size_t i;

    memset(f->early, 0, f->nr * sizeof(*f->early));
    memset(f->strange, 0, f->nr * sizeof(*f->strange));
    for (i = 0; i < f->rows->nr; i++) {
        const struct timeline_row *row = &f->rows->row[i];
        const struct notification *cause;
        uint32_t to = stays_cpu(f->stays, row->cpu);

        if (!is_wake(f, row) || row->counter)
            continue;
        f->early[to]++;
        cause = first_cause(f, row, to);
        f->skew->cause[i] = cause ? cause->cpu : STAY_NONE;
        if (cause)
            add_delay(f, cause->cpu, to, (int64_t)(row->ns - cause->ns) +
                                         f->tolerance);
    }
}

/* If a clock without bounds explains most, other explanations may be chance. */
static bool are_explained(const struct skew_finding *f, uint32_t cpu)
{
    return f->strange[cpu] <= f->early[cpu] / BY_CHANCE;
}

/* Narrower bounds leave fewer candidates, which narrow the bounds further. */
static void bound_by_early_runs(struct skew_finding *f)
{
    unsigned int round;
    bool narrower = true;
    size_t i;

    for (round = 0; narrower && round < MOST_ROUNDS; round++) {
        take_early_runs(f);
        narrower = false;
        for (i = 0; i < (size_t)f->nr * f->nr; i++) {
            int64_t most = most_of(&f->bound[i]);

            if (most < f->bound[i].most && are_explained(f, i % f->nr)) {
                f->bound[i].most = most;
                narrower = true;
            }
            f->bound[i].nr = 0;
        }
    }
}

/* Derives bounds by way of other pCPUs.  Returns false if they contradict each other. */
static bool close_bounds(struct skew_finding *f)
{
    uint32_t by, from, to;

    for (by = 0; by < f->nr; by++)
        for (from = 0; from < f->nr; from++) {
            int64_t there = bound_of(f, from, by)->most;

            for (to = 0; there != FAR && to < f->nr; to++) {
                int64_t on = bound_of(f, by, to)->most;
                struct bound *both = bound_of(f, from, to);

                if (on != FAR && there + on < both->most)
                    both->most = there + on;
            }
        }
    for (by = 0; by < f->nr; by++)
        if (bound_of(f, by, by)->most < 0)
            return false;

    return true;
}

static bool is_bounded(const struct skew_finding *f, uint32_t a, uint32_t b)
{
    return bound_of(f, a, b)->most != FAR && bound_of(f, b, a)->most != FAR;
}

/* Returns whether a bound of this pCPU, or of one bounded with it, contradicts equal clocks. */
static bool is_skewed(const struct skew_finding *f, uint32_t cpu)
{
    uint32_t from, to;

    for (from = 0; from < f->nr; from++)
        for (to = 0; is_bounded(f, cpu, from) && to < f->nr; to++)
            if (is_bounded(f, cpu, to) && bound_of(f, from, to)->most < 0)
                return true;

    return false;
}

/* Takes the middle of the bounds against the first pCPU with which it is bounded. */
static void find_ahead(struct skew_finding *f)
{
    uint32_t cpu, first;

    for (cpu = 0; cpu < f->nr; cpu++) {
        for (first = 0; !is_bounded(f, first, cpu); first++)
            ;
        if (first < cpu && is_skewed(f, cpu))
            f->skew->ahead_ns[cpu] = (bound_of(f, first, cpu)->most -
                                      bound_of(f, cpu, first)->most) / 2;
    }
}

static uint64_t error_of(const struct skew_finding *f, uint32_t from,
                         uint32_t to)
{
    int64_t ahead = f->skew->ahead_ns[to] - f->skew->ahead_ns[from];
    int64_t more = bound_of(f, from, to)->most - ahead;
    int64_t less = bound_of(f, to, from)->most + ahead;

    if (more < less)
        more = less;

    return more > 0 ? more : 0;
}

static void note_pair(struct skew_finding *f, uint32_t from, uint32_t to,
                      bool bounded)
{
    struct skew *skew = f->skew;
    uint64_t *error = &skew->pair_ns[(size_t)from * skew->nr + to];
    int64_t ahead = skew->ahead_ns[to] - skew->ahead_ns[from];

    if (ahead > (int64_t)skew->most_ns)
        skew->most_ns = ahead;
    *error = bounded ? error_of(f, from, to) : SKEW_UNKNOWN;
    if (!bounded)
        skew->unknown += from < to;
    else if (*error > skew->error_ns)
        skew->error_ns = *error;
}

static void find_errors(struct skew_finding *f, bool sound)
{
    uint32_t from, to;

    for (from = 0; from < f->nr; from++)
        for (to = 0; to < f->nr; to++)
            if (from != to)
                note_pair(f, from, to, sound && is_bounded(f, from, to));
}

/* Returns whether Xen found one clock, and no bound contradicts. */
static bool are_one_clock(const struct skew_finding *f)
{
    size_t i;

    for (i = 0; i < (size_t)f->nr * f->nr; i++)
        if (f->bound[i].most < 0)
            return false;

    return f->rows->one_tsc;
}

static void prepare_search(struct skew_finding *f)
{
    size_t i;

    f->bound = need_memory((size_t)f->nr * f->nr + 1, sizeof(*f->bound));
    f->early = need_memory(f->nr + 1, sizeof(*f->early));
    f->strange = need_memory(f->nr + 1, sizeof(*f->strange));
    f->skew->cause = need_memory(f->rows->nr + 1, sizeof(*f->skew->cause));
    for (i = 0; i < f->rows->nr; i++)
        f->skew->cause[i] = STAY_NONE;
    find_sent(f);
}

static void free_finding(struct skew_finding *f)
{
    size_t i;

    for (i = 0; i < (size_t)f->nr * f->nr; i++)
        free(f->bound[i].ns);
    free(f->bound);
    free(f->early);
    free(f->strange);
    free(f->first);
    free(f->sent);
}

void skew_find(struct skew *skew, const struct rows *rows,
               const struct stays *stays)
{
    struct skew_finding f = {
        .skew = skew,
        .rows = rows,
        .stays = stays,
        .tolerance = stays_tolerance(rows),
        .nr = stays->nr,
    };
    bool sound;
    uint32_t i;

    *skew = (struct skew){ .nr = stays->nr };
    if (stays->nr > MOST_CPUS) {
        skew->nr = 0;
        skew->unknown = rows->one_tsc ? 0 : (uint64_t)stays->nr * (stays->nr - 1) / 2;
        return;
    }
    skew->ahead_ns = need_memory(f.nr + 1, sizeof(*skew->ahead_ns));
    skew->pair_ns = need_memory((size_t)f.nr * f.nr + 1, sizeof(*skew->pair_ns));
    prepare_search(&f);
    bound_by_delays(&f);
    bound_by_early_runs(&f);
    for (i = 0; i < f.nr; i++)
        bound_of(&f, i, i)->most = 0;
    sound = close_bounds(&f);
    if (!sound || !are_one_clock(&f)) {
        if (sound)
            find_ahead(&f);
        find_errors(&f, sound);
    }
    free_finding(&f);
}

uint64_t skew_error(const struct skew *skew, uint32_t from, uint32_t to)
{
    if (from == to || from == STAY_NONE || to == STAY_NONE)
        return 0;
    if (from >= skew->nr || to >= skew->nr)
        return skew->unknown ? SKEW_UNKNOWN : 0;

    return skew->pair_ns[(size_t)from * skew->nr + to];
}

static uint64_t subtract_lead(uint64_t ns, int64_t ahead)
{
    return ahead > 0 && ns < (uint64_t)ahead ? 0 : ns - ahead;
}

static uint64_t correct_time(const struct skew *skew, const struct stays *stays,
                             uint32_t id, uint64_t ns)
{
    uint32_t cpu = stays_cpu(stays, id);

    return cpu < skew->nr ? subtract_lead(ns, skew->ahead_ns[cpu]) : ns;
}

/* Corrects a delay between two clocks.  A delay of 0 means unknown. */
static void correct_delay(const struct skew *skew, const struct stays *stays,
                          struct timeline_row *row, uint32_t cause)
{
    uint32_t cpu = stays_cpu(stays, row->cpu);

    if (cause != STAY_NONE && cpu < skew->nr && row->counter)
        row->counter = subtract_lead(row->counter, skew->ahead_ns[cpu] -
                                                   skew->ahead_ns[cause]);
}

void skew_correct(const struct skew *skew, struct rows *rows,
                  const struct stays *stays)
{
    size_t i;

    for (i = 0; i < rows->nr; i++) {
        correct_delay(skew, stays, &rows->row[i], skew->cause[i]);
        rows->row[i].ns = correct_time(skew, stays, rows->row[i].cpu,
                                       rows->row[i].ns);
    }
    for (i = 0; i < rows->nr_losses; i++) {
        struct timeline_loss *loss = &rows->loss[i];

        loss->begin_ns = correct_time(skew, stays, loss->cpu, loss->begin_ns);
        loss->end_ns = correct_time(skew, stays, loss->cpu, loss->end_ns);
    }
    rows_sort(rows);
}

void skew_free(struct skew *skew)
{
    free(skew->ahead_ns);
    free(skew->pair_ns);
    free(skew->cause);
    memset(skew, 0, sizeof(*skew));
}
