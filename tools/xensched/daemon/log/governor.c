/* SPDX-License-Identifier: GPL-2.0-only */
/* Raises thresholds until the cost of logging is within its budget. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "governor.h"

#define NS_PER_S 1000000000ULL

/*
 * The cost of a row of ids, counter and TSC, as the daemon uses, in cycles of the TSC, from an
 * earlier run of make bench-record than that of docs/develop/results.md.
 */
#define ROW_CYCLES 24.6
/* Used if the TSC's frequency is unknown. */
#define USUAL_KHZ 2500000

/* The shortest time between two steps. */
#define STEP_NS (NS_PER_S)

/*
 * Parts of the budget: the target of raising thresholds, and the limit up to which they are
 * lowered.  Between that limit and the budget nothing changes.
 */
#define AIM  0.8
#define EASE 0.7

/*
 * Pairs with fewer rows per second keep their threshold: raising it would save next to nothing, and
 * the remaining rows would be too few.
 */
#define MIN_RATE 16.0

/* Calm steps before a threshold is lowered: initial and maximum number. */
#define PATIENCE     5U
#define MAX_PATIENCE 320U
/* Raising a threshold this soon after lowering it means that lowering was too early. */
#define TOO_EARLY_NS (60 * NS_PER_S)

/* After this many steps without a change, patience is reset. */
#define FORGIVEN 600U

/* Number of rows of a batch that are counted. */
#define SAMPLE 32U

void governor_init(struct governor *g, double budget, const uint32_t *chosen,
                   unsigned int nr_acct)
{
    memset(g, 0, sizeof(*g));
    g->budget = budget;
    g->chosen = chosen;
    g->nr_acct = nr_acct;
    g->patience = PATIENCE;
    governor_set_clock(g, 0);
    if (budget > 0)
        g->pairs = need_memory((size_t)nr_acct * XEN_SCHEDLOG_NR_EVENTS,
                               sizeof(*g->pairs));
}

void governor_free(struct governor *g)
{
    free(g->pairs);
    memset(g, 0, sizeof(*g));
}

void governor_set_clock(struct governor *g, uint64_t tsc_khz)
{
    g->row_s = ROW_CYCLES / 1000 / (tsc_khz ? tsc_khz : USUAL_KHZ);
}

static struct governor_pair *pair_of(const struct governor *g,
                                     unsigned int event, uint16_t acct)
{
    return event < XEN_SCHEDLOG_NR_EVENTS && acct < g->nr_acct
           ? &g->pairs[(size_t)event * g->nr_acct + acct] : NULL;
}

/*
 * Parts of waits have no threshold of their own: there are fewer if fewer waits are logged, and
 * most waits with parts are those of vCPUs that were preempted.
 */
static unsigned int event_to_thin_out(const struct xensched_row *row)
{
    return row->event == XEN_SCHEDLOG_EV_WAIT_PART ? XEN_SCHEDLOG_EV_PREEMPT_DELAY
                                                   : row->event;
}

/* Counts an even sample, because counting must not cost what it is to save. */
void governor_count(struct governor *g, const struct xensched_batch *batch,
                    uint16_t acct)
{
    size_t nr = xensched_batch_rows(batch), i;
    size_t looks = nr < SAMPLE ? nr : SAMPLE;

    if (!g->pairs)
        return;
    for (i = 0; i < looks; i++) {
        struct governor_pair *pair;
        struct xensched_row row;

        xensched_batch_row(batch, i * nr / looks, &row);
        pair = pair_of(g, event_to_thin_out(&row), acct == GOVERNOR_AS_THEY_SAY ? row.current
                                                                  : acct);
        if (pair)
            pair->rows += (double)nr / looks;
    }
}

static size_t nr_pairs(const struct governor *g)
{
    return (size_t)g->nr_acct * XEN_SCHEDLOG_NR_EVENTS;
}

static uint32_t chosen_of(const struct governor *g, size_t i)
{
    uint32_t chosen = g->chosen[i / g->nr_acct];

    return chosen ? chosen : 1;
}

static uint32_t threshold_of(const struct governor *g, size_t i)
{
    return g->pairs[i].threshold ? g->pairs[i].threshold : chosen_of(g, i);
}

/* Returns the highest rate. */
static double take_rates(struct governor *g, double seconds)
{
    double most = 0;
    size_t i;

    g->rate = 0;
    for (i = 0; i < nr_pairs(g); i++) {
        struct governor_pair *pair = &g->pairs[i];

        pair->rate = pair->rows / seconds;
        pair->rows = 0;
        g->rate += pair->rate;
        if (pair->rate > most)
            most = pair->rate;
    }

    return most;
}

/* Returns the threshold for at most @level rows per second. */
static uint32_t raised_threshold(const struct governor *g, size_t i, double level)
{
    uint32_t threshold = threshold_of(g, i);
    double rate = g->pairs[i].rate;

    while (rate > level && threshold <= GOVERNOR_MAX_THRESHOLD / 2) {
        threshold *= 2;
        rate /= 2;
    }

    return threshold;
}

/* Returns the threshold one step lower, for pairs with at most @level rows. */
static uint32_t lowered_threshold(const struct governor *g, size_t i, double level)
{
    uint32_t threshold = threshold_of(g, i), chosen = chosen_of(g, i);

    if (threshold == chosen || g->pairs[i].rate > level)
        return threshold;

    return threshold / 2 > chosen ? threshold / 2 : chosen;
}

typedef uint32_t new_threshold(const struct governor *g, size_t i,
                               double level);

/* Returns the rows per second with these thresholds. */
static double rate_with(const struct governor *g, new_threshold *new,
                        double level)
{
    double sum = 0;
    size_t i;

    for (i = 0; i < nr_pairs(g); i++)
        if (g->pairs[i].rate > 0)
            sum += g->pairs[i].rate * threshold_of(g, i) / new(g, i, level);

    return sum;
}

static int compare_rates(const void *a, const void *b)
{
    double x = ((const struct governor_change *)a)->rate;
    double y = ((const struct governor_change *)b)->rate;

    return x < y ? 1 : x > y ? -1 : 0;
}

static unsigned int change_thresholds(struct governor *g, new_threshold *new,
                                      double level, struct governor_change **changes)
{
    unsigned int nr = 0;
    size_t i;

    for (i = 0; i < nr_pairs(g); i++) {
        uint32_t from = threshold_of(g, i), to = new(g, i, level);

        if (from == to)
            continue;
        if (!(nr & (nr - 1)))
            *changes = need_more_memory(*changes, nr ? 2 * nr : 1,
                                        sizeof(**changes));
        (*changes)[nr++] = (struct governor_change){
            .event = i / g->nr_acct,
            .acct = i % g->nr_acct,
            .from = from,
            .to = to,
            .rate = g->pairs[i].rate,
        };
        g->pairs[i].threshold = to == chosen_of(g, i) ? 0 : to;
    }
    if (nr)
        qsort(*changes, nr, sizeof(**changes), compare_rates);
    g->fresh = nr;

    return nr;
}

/* Assumes that rows cause all of the cost; if not, the next step continues. */
static unsigned int raise_some(struct governor *g, double most,
                               uint64_t now_ns,
                               struct governor_change **changes)
{
    double enough = g->rate * AIM * g->budget / g->overhead;
    double level = most / 2;
    unsigned int nr;

    while (level > MIN_RATE && rate_with(g, raised_threshold, level) > enough)
        level /= 2;
    nr = change_thresholds(g, raised_threshold, level > MIN_RATE ? level : MIN_RATE, changes);
    g->stuck = g->stuck || !nr;
    g->calm = 0;
    if (nr && g->lowered_ns && now_ns - g->lowered_ns < TOO_EARLY_NS &&
        g->patience < MAX_PATIENCE)
        g->patience *= 2;

    return nr;
}

/* Lowers thresholds as far as the cost certainly stays within the budget. */
static unsigned int lower_some(struct governor *g, double most,
                               uint64_t now_ns,
                               struct governor_change **changes)
{
    double enough = g->overhead > 0 ? g->rate * EASE * g->budget / g->overhead
                                    : 2 * g->rate;
    double level = most;
    unsigned int nr;

    while (level > MIN_RATE / 4 && rate_with(g, lowered_threshold, level) > enough)
        level /= 2;
    if (rate_with(g, lowered_threshold, level) > enough)
        return 0;
    nr = change_thresholds(g, lowered_threshold, level, changes);
    if (nr)
        g->lowered_ns = now_ns;
    if (nr)
        g->calm = g->patience - 2; /* two steps to see the effect */
    else if (g->calm > FORGIVEN)
        g->patience = PATIENCE;

    return nr;
}

static void measure_overhead(struct governor *g, uint64_t cpu_ns, double seconds)
{
    double own = (cpu_ns - g->cpu_ns) / 1e9 / seconds;
    double overhead = own + g->rate * g->row_s;

    g->own = own;
    g->overhead = g->fresh ? overhead : (g->overhead + overhead) / 2;
}

unsigned int governor_step(struct governor *g, uint64_t cpu_ns,
                           uint64_t now_ns, struct governor_change **changes)
{
    double seconds = (now_ns - g->at_ns) / 1e9, most;
    bool first = !g->begun;

    *changes = NULL;
    if (!g->pairs || (!first && now_ns - g->at_ns < STEP_NS))
        return 0;
    most = take_rates(g, seconds);
    if (!first)
        measure_overhead(g, cpu_ns, seconds);
    g->begun = true;
    g->fresh = first;
    g->at_ns = now_ns;
    g->cpu_ns = cpu_ns;
    if (first)
        return 0;
    if (g->overhead > g->budget)
        return raise_some(g, most, now_ns, changes);
    if (++g->calm >= PATIENCE)
        g->stuck = false;
    if (g->calm < g->patience)
        return 0;

    return lower_some(g, most, now_ns, changes);
}

static void forget_pair(struct governor_pair *pair)
{
    pair->threshold = 0;
    pair->rows = pair->rate = 0;
}

void governor_forget(struct governor *g, uint16_t acct)
{
    unsigned int event;

    for (event = 0; g->pairs && event < XEN_SCHEDLOG_NR_EVENTS; event++)
        if (pair_of(g, event, acct))
            forget_pair(pair_of(g, event, acct));
}

void governor_forget_all(struct governor *g)
{
    size_t i;

    for (i = 0; g->pairs && i < nr_pairs(g); i++)
        forget_pair(&g->pairs[i]);
}

uint32_t governor_threshold(const struct governor *g, unsigned int event,
                            uint16_t acct)
{
    const struct governor_pair *pair = g->pairs ? pair_of(g, event, acct)
                                                : NULL;

    return pair && pair->threshold ? pair->threshold : g->chosen[event];
}
