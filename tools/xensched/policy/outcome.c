/* SPDX-License-Identifier: GPL-2.0-only */
/* Judges whether a move arrived, and whether it was worth it. */
#include <math.h>
#include <string.h>

#include <xensched/abi.h>

#include "model/residency/presence.h"
#include "placement/prices.h"
#include "place-distance.h"
#include "outcome.h"

/* ns; a share of less time than this is chance. */
#define LEAST_RAN_NS 500000

void outcome_init(struct outcome *o)
{
    memset(o, 0, sizeof(*o));
    o->share = o->crossings = o->crossings_now = o->predicted = -1;
}

static double get_crossings(const struct policy_input *input,
                            const struct domain *d)
{
    return fmax(input->exchanges[d - input->domains->domain].crossings, 0);
}

static double get_notifications(const struct policy_input *input, const struct domain *d)
{
    return input->exchanges[d - input->domains->domain].notifications;
}

void outcome_window(struct outcome *o, const struct policy_input *input,
                    const struct domain *d, const struct work *work,
                    uint64_t began_ns)
{
    /* On one core distances cost less than at any place, so such a window teaches none. */
    bool core = topology_core_of_all(input->topology, &d->ours) != TOPOLOGY_UNKNOWN;
    bool waits = matrix_total(input->matrix, XEN_SCHEDLOG_EV_WAKE_DELAY, d->acct);

    if (waits && presence_known(d) && began_ns >= o->counts_ns)
        place_cost_add(&o->here, work, input->now_ns - began_ns,
                       core ? -1 : presence_apart(input->matrix, input->topology,
                                                  input->domains, d, input->now_ns));
}

static void begin_measure(struct outcome *o, const struct policy_input *input,
                       const struct domain *d, const struct cpumap *cpus)
{
    o->measured_ns = input->now_ns;
    o->ran_ns = matrix_total(input->matrix, XEN_SCHEDLOG_EV_SERVICE_NS,
                             d->acct);
    o->there_ns = presence_total(input->matrix, d, cpus);
}

void outcome_send(struct outcome *o, const struct policy_input *input,
                  const struct domain *d, const struct cpumap *cpus,
                  struct outcome_promise promise)
{
    o->before = o->here;
    o->here = (struct place_cost){ 0 };
    o->counts_ns = UINT64_MAX;
    o->crossings = presence_known(d) ? get_crossings(input, d) : -1;
    o->talked = get_notifications(input, d);
    o->predicted = promise.crossings;
    o->others_ns = promise.others_ns;
    o->sent_ns = o->since_ns = input->now_ns;
    o->where = OUTCOME_UNKNOWN;
    o->share = o->crossings_now = -1;
    o->absent_ns = o->worse = o->windows = 0;
    o->told = o->judged = false;
    o->arrived_ns = 0;
    begin_measure(o, input, d, cpus);
}

void outcome_return(struct outcome *o, uint64_t now_ns)
{
    o->here = (struct place_cost){ 0 };
    o->counts_ns = now_ns;
}

void outcome_again(struct outcome *o, uint64_t now_ns)
{
    o->since_ns = now_ns;
    o->where = OUTCOME_UNKNOWN;
    o->absent_ns = 0;
}

/* Returns false if the domain has hardly run since the latest check. */
static bool measure_share(struct outcome *o, const struct policy_input *input,
                          const struct domain *d, const struct cpumap *cpus)
{
    const struct outcome last = *o;
    uint64_t ran, there;

    begin_measure(o, input, d, cpus);
    /* Its counters restarted at 0. */
    if (o->ran_ns < last.ran_ns || o->there_ns < last.there_ns)
        return false;
    ran = o->ran_ns - last.ran_ns;
    there = o->there_ns - last.there_ns;
    if (ran < LEAST_RAN_NS) {
        *o = last;
        return false;
    }
    o->share = there < ran ? (double)there / ran : 1;
    if (o->share >= OUTCOME_THERE)
        o->absent_ns = 0;
    else if (!o->absent_ns)
        o->absent_ns = last.measured_ns;

    return true;
}

static enum outcome_news note_arrival(struct outcome *o, uint64_t now_ns)
{
    if (o->where == OUTCOME_AT_PLACE)
        return OUTCOME_NONE;
    o->where = OUTCOME_AT_PLACE;
    o->told = false;
    o->here = (struct place_cost){ 0 };
    o->counts_ns = now_ns;
    if (!o->judged)
        o->arrived_ns = now_ns;
    o->crossed_sum = o->talked_sum = o->samples = 0;

    return OUTCOME_ARRIVED;
}

static enum outcome_news note_absence(struct outcome *o, uint64_t now_ns)
{
    uint64_t time = o->where == OUTCOME_AT_PLACE ? OUTCOME_TRIP_NS
                                                 : OUTCOME_PATIENCE_NS;
    uint64_t from = o->absent_ns > o->since_ns ? o->absent_ns : o->since_ns;

    if (o->where == OUTCOME_ELSEWHERE || now_ns - from < time)
        return OUTCOME_NONE;
    o->where = OUTCOME_ELSEWHERE;
    o->counts_ns = UINT64_MAX;
    o->arrived_ns = 0;
    if (o->told)
        return OUTCOME_NONE;
    o->told = true;

    return OUTCOME_ABSENT;
}

/* Averages the notifications that cross places, because single runs vary. */
static void sample_crossings(struct outcome *o, const struct policy_input *input,
                             const struct domain *d)
{
    o->crossed_sum += get_crossings(input, d);
    o->talked_sum += get_notifications(input, d);
    o->samples++;
    o->crossings_now = o->crossed_sum / o->samples;
    o->talked_now = o->talked_sum / o->samples;
}

/*
 * Returns whether the predicted saving is missing.  If little was predicted, because both were
 * together by chance, returns whether far more notifications cross places than predicted.  If
 * the domain sends far fewer notifications than before, no judgement is possible.
 */
static bool did_not_help(const struct outcome *o)
{
    double predicted = o->crossings - o->predicted, now;

    if (o->predicted < 0 || o->crossings < 0 || o->talked_now <= 0 ||
        o->talked_now < o->talked / 2)
        return false;
    now = o->crossings_now * o->talked / o->talked_now;
    if (now - o->predicted >= OUTCOME_LEAST &&
        now - o->predicted > (1 - OUTCOME_CAME) * o->talked)
        return true;

    return predicted >= OUTCOME_LEAST &&
           o->crossings - now < OUTCOME_CAME * predicted;
}

bool outcome_is_open(const struct outcome *o)
{
    return o->predicted >= 0 && o->arrived_ns;
}

enum back_end_kind outcome_kind(enum work_unit unit, bool copied)
{
    if (unit != WORK_PAGES)
        return BACK_END_EVENTS;

    return copied ? BACK_END_COPIES : BACK_END_MAPS;
}

/*
 * Fewer units come from elsewhere after the move, so the price of distance is the saving
 * per unit divided by that share.  The savings that other terms predicted are subtracted.
 */
static void teach_prices(const struct outcome *o, const struct policy_input *input)
{
    const struct place_cost *before = &o->before, *here = &o->here;
    double nearer = before->apart - here->apart, lines_ns, saved;
    struct learned_move move;

    if (!input->learned || !place_cost_comparable(before, here) ||
        here->unit >= WORK_TIME || before->apart < 0 || here->apart < 0 ||
        fabs(nearer) < OUTCOME_TEACHES)
        return;
    lines_ns = place_notification_ns(input->topology, input->distances) /
               prices_default.notification;
    saved = before->pcpu_ns - here->pcpu_ns - o->others_ns / here->rate;
    move.extra_ns = saved / nearer;
    move.near_ns = here->pcpu_ns - here->apart * move.extra_ns;
    move.priced_ns = lines_ns * ((here->unit == WORK_PAGES ? prices_default.page : 0) +
                                  prices_default.notification * here->notifications);
    learned_add(input->learned, outcome_kind(here->unit, here->copied), &move);
}

static enum outcome_news end_judgement(struct outcome *o, const struct policy_input *input,
                                  enum outcome_news news)
{
    o->arrived_ns = 0;
    o->judged = news == OUTCOME_GOOD;
    teach_prices(o, input);

    return news;
}

/*
 * Judges a domain at its target; called in each run.  The predicted saving has to be missing
 * twice in a row, because one window may be chance.
 */
static enum outcome_news judge_move(struct outcome *o, const struct policy_input *input,
                                    const struct domain *d)
{
    enum place_verdict cost;

    if (!o->arrived_ns)
        return OUTCOME_NONE;
    sample_crossings(o, input, d);
    if (input->now_ns - o->arrived_ns < input->window_ns)
        return OUTCOME_NONE;
    o->arrived_ns = input->now_ns;
    o->windows++;
    cost = place_cost_compare(&o->before, &o->here);
    if (cost == PLACE_BETTER)
        return end_judgement(o, input, OUTCOME_GOOD);
    if (cost == PLACE_WORSE)
        return end_judgement(o, input, OUTCOME_WORSE);
    if (did_not_help(o))
        return ++o->worse < 2 ? OUTCOME_NONE : end_judgement(o, input, OUTCOME_REGRET);
    o->worse = 0;
    if (cost == PLACE_OPEN && o->windows < OUTCOME_WINDOWS)
        return OUTCOME_NONE;

    return end_judgement(o, input, OUTCOME_GOOD);
}

enum outcome_news outcome_check(struct outcome *o,
                               const struct policy_input *input,
                               const struct domain *d,
                               const struct cpumap *cpus)
{
    enum outcome_news news = OUTCOME_NONE;

    if (!presence_known(d))
        return OUTCOME_NONE;
    if (measure_share(o, input, d, cpus))
        news = o->share >= OUTCOME_THERE ? note_arrival(o, input->now_ns)
                                         : note_absence(o, input->now_ns);

    return news == OUTCOME_NONE && o->where == OUTCOME_AT_PLACE
           ? judge_move(o, input, d) : news;
}

/* Finds the domains that keep this one from its place. */
static void see_place(struct verdict *v, const struct policy_input *input,
                      const struct domain *d, const struct cpumap *cpus)
{
    unsigned int i;

    v->cpus = cpumap_count(cpus);
    v->first_use = v->second_use = 0.005;
    for (i = 0; i < input->domains->nr; i++) {
        const struct domain *other = &input->domains->domain[i];
        double use = presence_use(input->matrix, other, cpus, input->now_ns);

        v->busy += use;
        if (other == d)
            continue;
        if (use > v->first_use) {
            v->second = v->first, v->second_use = v->first_use;
            v->first = other, v->first_use = use;
        } else if (use > v->second_use) {
            v->second = other, v->second_use = use;
        }
    }
}

struct verdict outcome_verdict(const struct outcome *o, enum outcome_news news,
                               const struct policy_input *input,
                               const struct domain *d, const struct cpumap *cpus)
{
    struct verdict v = {
        .news = news, .outcome = *o, .after_ns = input->now_ns - o->sent_ns,
    };

    if (news == OUTCOME_ABSENT)
        see_place(&v, input, d, cpus);

    return v;
}
