/* SPDX-License-Identifier: GPL-2.0-only */
/* Judges whether a move arrived, and whether it was worth it. */
#include <stdio.h>
#include <string.h>

#include <xensched/abi.h>

#include "model/presence.h"
#include "apart.h"
#include "outcome.h"

#define NS_PER_S 1e9

/* A share of less time than this is chance. */
#define LEAST_RAN_NS 500000

void outcome_init(struct outcome *o)
{
    memset(o, 0, sizeof(*o));
    o->share = o->crossings = o->waited = -1;
    o->crossings_now = o->waited_now = o->predicted = -1;
}

static struct outcome_mark mark(const struct policy_input *input,
                                const struct domain *d)
{
    return (struct outcome_mark){
        .at_ns = input->now_ns,
        .waited_ns = matrix_total(input->matrix, XEN_SCHEDLOG_EV_WAKE_DELAY,
                                  d->acct),
    };
}

/* Part of the time between; -1: nothing was counted, or not for long enough. */
static double waited_between(const struct outcome_mark *from,
                             const struct outcome_mark *to, uint64_t window_ns)
{
    if (!from->at_ns || to->at_ns < from->at_ns + window_ns / 2 ||
        !to->waited_ns || to->waited_ns < from->waited_ns)
        return -1;

    return (double)(to->waited_ns - from->waited_ns) /
           (to->at_ns - from->at_ns);
}

static double crossings(const struct policy_input *input,
                        const struct domain *d)
{
    return presence_all_crossings(input->matrix, input->topology,
                                  input->domains, d, input->now_ns);
}

void outcome_watch(struct outcome *o, const struct policy_input *input,
                   const struct domain *d)
{
    if (o->newer.at_ns &&
        input->now_ns - o->newer.at_ns < input->window_ns)
        return;
    o->older = o->newer;
    o->newer = mark(input, d);
}

static void begin_look(struct outcome *o, const struct policy_input *input,
                       const struct domain *d, const struct cpumap *cpus)
{
    o->look_ns = input->now_ns;
    o->ran_ns = matrix_total(input->matrix, XEN_SCHEDLOG_EV_SERVICE_NS,
                             d->acct);
    o->there_ns = presence_total(input->matrix, d, cpus);
}

void outcome_send(struct outcome *o, const struct policy_input *input,
                  const struct domain *d, const struct cpumap *cpus,
                  double predicted)
{
    const struct outcome_mark now = mark(input, d);

    o->waited = waited_between(o->older.at_ns ? &o->older : &o->newer, &now,
                               input->window_ns);
    o->crossings = presence_known(d) ? crossings(input, d) : -1;
    o->talked = presence_all_notifications(input->matrix, input->domains, d,
                                           input->now_ns);
    o->predicted = predicted;
    o->sent_ns = o->since_ns = input->now_ns;
    o->where = OUTCOME_UNKNOWN;
    o->share = o->crossings_now = o->waited_now = -1;
    o->absent_ns = o->worse = 0;
    o->told = o->judged = false;
    o->arrived = (struct outcome_mark){ 0 };
    begin_look(o, input, d, cpus);
}

void outcome_again(struct outcome *o, uint64_t now_ns)
{
    o->since_ns = now_ns;
    o->where = OUTCOME_UNKNOWN;
    o->absent_ns = 0;
}

/* False: it has hardly run since the last look. */
static bool measure(struct outcome *o, const struct policy_input *input,
                    const struct domain *d, const struct cpumap *cpus)
{
    const struct outcome last = *o;
    uint64_t ran, there;

    begin_look(o, input, d, cpus);
    /* Its numbers were forgotten, and are counted anew. */
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
        o->absent_ns = last.look_ns;

    return true;
}

static enum outcome_news arrive(struct outcome *o,
                                const struct policy_input *input,
                                const struct domain *d)
{
    if (o->where == OUTCOME_AT_PLACE)
        return OUTCOME_NONE;
    o->where = OUTCOME_AT_PLACE;
    o->told = false;
    if (!o->judged)
        o->arrived = mark(input, d);
    o->crossed_sum = o->talked_sum = o->looks = 0;

    return OUTCOME_ARRIVED;
}

static enum outcome_news miss(struct outcome *o, uint64_t now_ns)
{
    uint64_t time = o->where == OUTCOME_AT_PLACE ? OUTCOME_TRIP_NS
                                                 : OUTCOME_PATIENCE_NS;
    uint64_t from = o->absent_ns > o->since_ns ? o->absent_ns : o->since_ns;

    if (o->where == OUTCOME_ELSEWHERE || now_ns - from < time)
        return OUTCOME_NONE;
    o->where = OUTCOME_ELSEWHERE;
    o->arrived.at_ns = 0;
    if (o->told)
        return OUTCOME_NONE;
    o->told = true;

    return OUTCOME_ABSENT;
}

/*
 * What it would wait of each second, if it waited as long as before for each of
 * the notifications that it has now.  Near its partner it does more in a second,
 * wakes up more often, and waits each time: that is no loss.
 */
static double waited_as_before(const struct outcome *o)
{
    if (o->talked < OUTCOME_LEAST || o->talked_now <= o->talked)
        return o->waited;

    return o->waited * o->talked_now / o->talked;
}

/* What it waits more, of each second, less what it gained. */
static double loss(const struct outcome *o, const struct policy_input *input)
{
    double gained = (o->crossings - o->crossings_now) *
                    apart_notification_ns(input->topology, input->distances) /
                    NS_PER_S;
    double before = waited_as_before(o);
    double noise = before * OUTCOME_NOISE;

    if (noise < OUTCOME_NOISE_TIME)
        noise = OUTCOME_NOISE_TIME;

    return o->waited_now - before - (gained > 0 ? gained : 0) - noise;
}

/* What crosses places goes up and down: what counts is the mean. */
static void sample(struct outcome *o, const struct policy_input *input,
                   const struct domain *d)
{
    o->crossed_sum += crossings(input, d);
    o->talked_sum += presence_all_notifications(input->matrix, input->domains,
                                                d, input->now_ns);
    o->looks++;
    o->crossings_now = o->crossed_sum / o->looks;
    o->talked_now = o->talked_sum / o->looks;
}

/*
 * Has it not come?  Or, where there was not much to come since both were together
 * by chance, do far more cross places than was predicted?  Of a domain which has
 * far less to say than before nothing can be said either.
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
    return o->predicted >= 0 && o->arrived.at_ns;
}

/* Twice in a row, since one window may be chance. */
static enum outcome_news judge(struct outcome *o,
                               const struct policy_input *input,
                               const struct domain *d)
{
    struct outcome_mark now = mark(input, d);
    bool waits;

    if (o->arrived.at_ns)
        sample(o, input, d);
    if (!o->arrived.at_ns ||
        now.at_ns - o->arrived.at_ns < input->window_ns)
        return OUTCOME_NONE;
    o->waited_now = waited_between(&o->arrived, &now, input->window_ns);
    o->arrived = now;
    waits = o->waited >= 0 && o->waited_now >= 0 && loss(o, input) > 0;
    if (waits || did_not_help(o)) {
        if (++o->worse < 2)
            return OUTCOME_NONE;
        o->arrived.at_ns = 0;
        return waits ? OUTCOME_WORSE : OUTCOME_REGRET;
    }
    o->arrived.at_ns = 0;
    o->judged = true;

    return OUTCOME_GOOD;
}

enum outcome_news outcome_look(struct outcome *o,
                               const struct policy_input *input,
                               const struct domain *d,
                               const struct cpumap *cpus)
{
    enum outcome_news news = OUTCOME_NONE;

    if (!presence_known(d))
        return OUTCOME_NONE;
    if (measure(o, input, d, cpus))
        news = o->share >= OUTCOME_THERE ? arrive(o, input, d)
                                         : miss(o, input->now_ns);

    return news == OUTCOME_NONE && o->where == OUTCOME_AT_PLACE
           ? judge(o, input, d) : news;
}

/* In words. */

/* "; there 1.9 of 2 pCPUs are busy: Domain-0 1.4, computing 0.5" */
static void describe_place(const struct policy_input *input,
                           const struct domain *d, const struct cpumap *cpus,
                           char *text, size_t size)
{
    const struct domain *first = NULL, *second = NULL;
    double most = 0.005, next = 0.005, busy = 0;
    char a[DOMAIN_NAME_TEXT], b[DOMAIN_NAME_TEXT];
    unsigned int i;
    int length;

    for (i = 0; i < input->domains->nr; i++) {
        const struct domain *other = &input->domains->domain[i];
        double use = presence_use(input->matrix, other, cpus, input->now_ns);

        busy += use;
        if (other == d)
            continue;
        if (use > most) {
            second = first, next = most;
            first = other, most = use;
        } else if (use > next) {
            second = other, next = use;
        }
    }
    length = snprintf(text, size, "; there %.1f of %u pCPUs are busy", busy,
                      cpumap_count(cpus));
    if (first && length < (int)size)
        length += snprintf(text + length, size - length, ": %.40s %.1f",
                           policy_name_of(first, a), most);
    if (second && length < (int)size)
        snprintf(text + length, size - length, ", %.40s %.1f",
                 policy_name_of(second, b), next);
}

static void describe_waiting(const struct outcome *o, char *text, size_t size)
{
    double before = waited_as_before(o);
    int length;

    if (o->waited < 0 || o->waited_now < 0) {
        snprintf(text, size, "how long it waits for a pCPU is not known");
        return;
    }
    length = snprintf(text, size, "it waits for a pCPU %.1f ms of each second, "
                      "before the move %.1f", 1e3 * o->waited_now,
                      1e3 * o->waited);
    if (before > o->waited)
        snprintf(text + length, size - length, " (that is %.1f at the %.1f "
                 "times as many notifications it has now)", 1e3 * before,
                 o->talked_now / o->talked);
}

static void describe_judgement(const struct outcome *o,
                               enum outcome_news news, char *text,
                               size_t size)
{
    char waiting[OUTCOME_TEXT / 2], predicted[60] = "";

    describe_waiting(o, waiting, sizeof(waiting));
    if (o->predicted >= 0)
        snprintf(predicted, sizeof(predicted), ", predicted were %.0f",
                 o->predicted);
    snprintf(text, size, "%s; %.0f notifications/s cross places, before the "
             "move %.0f%s; %s", waiting, o->crossings_now, o->crossings,
             predicted, news == OUTCOME_GOOD ? "it stays"
             : news == OUTCOME_WORSE ? "it waits more than it gained"
                                     : "it did not help");
}

void outcome_describe(const struct outcome *o, enum outcome_news news,
                      const struct policy_input *input,
                      const struct domain *d, const struct cpumap *cpus,
                      char text[OUTCOME_TEXT])
{
    int length;

    text[0] = '\0';
    switch (news) {
    case OUTCOME_NONE:
        break;
    case OUTCOME_ARRIVED:
        length = snprintf(text, OUTCOME_TEXT, "%.0f %% of its time it runs at "
                          "its place, %.1f s after it was moved",
                          100 * o->share, (input->now_ns - o->sent_ns) / 1e9);
        if (o->waited >= 0)
            snprintf(text + length, OUTCOME_TEXT - length, "; before the move "
                     "it waited for a pCPU %.1f ms of each second",
                     1e3 * o->waited);
        break;
    case OUTCOME_ABSENT:
        length = snprintf(text, OUTCOME_TEXT, "only %.0f %% of its time it "
                          "runs at its place, %.1f s after it was moved",
                          100 * o->share, (input->now_ns - o->sent_ns) / 1e9);
        describe_place(input, d, cpus, text + length, OUTCOME_TEXT - length);
        break;
    case OUTCOME_GOOD:
    case OUTCOME_WORSE:
    case OUTCOME_REGRET:
        describe_judgement(o, news, text, OUTCOME_TEXT);
        break;
    }
}
