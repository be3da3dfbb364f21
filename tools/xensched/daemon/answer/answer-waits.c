/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers which domains waited for which others, in some seconds of the latest hour. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "answer.h"

#define NS_PER_S 1000000000ULL

#define USUAL_SECONDS 60

/* For one domain, the answer lists this many seconds one by one. */
#define MAX_SINGLE_SECONDS 120

/* In percent of a pCPU; smaller parts are left out. */
#define MIN_PERCENT 0.001

static double percent_of(uint64_t ns, uint64_t seconds)
{
    return 100.0 * ns / NS_PER_S / seconds;
}

static void add_end(json_object *json, const struct core *core, const struct waits_end *end)
{
    const struct domain *d = end->domid >= 0 ? domains_find(&core->domains, end->domid) : NULL;

    json_add_text(json, "name", end->name ? end->name : "(not known yet)");
    if (d && d->group[0] && !strcmp(d->name, end->name))
        json_add_text(json, "group", d->group);
    if (end->domid >= 0)
        json_add_int(json, "domid", end->domid);
    else
        json_object_object_add(json, "domid", NULL);
}

/* Sorted, longest first.  A domain's total has no numbers of waits. */
static json_object *causes_json(const struct waits_sum by[WAITS_CAUSES], uint64_t seconds)
{
    json_object *array = json_object_new_array(), *json;
    enum waits_cause order[WAITS_CAUSES];
    unsigned int nr = waits_order(by, MIN_PERCENT / 100 * NS_PER_S * seconds + 1, order), i;

    for (i = 0; i < nr; i++) {
        json = json_object_new_object();
        json_add_text(json, "cause", waits_cause_name(order[i]));
        json_add_real(json, "percent", percent_of(by[order[i]].ns, seconds), 3);
        if (by[order[i]].nr)
            json_add_real(json, "waits_per_s", (double)by[order[i]].nr / seconds, 1);
        json_object_array_add(array, json);
    }

    return array;
}

static json_object *culprits_json(const struct core *core, const struct waits_of *of,
                                  uint64_t seconds)
{
    json_object *array = json_object_new_array(), *json;
    unsigned int i;

    for (i = 0; i < of->nr_culprits; i++) {
        const struct waits_for *f = &of->culprit[i];

        if (percent_of(f->all.ns, seconds) < MIN_PERCENT)
            continue;
        json = json_object_new_object();
        add_end(json, core, &f->domain);
        json_add_real(json, "percent", percent_of(f->all.ns, seconds), 3);
        json_add_real(json, "waits_per_s", (double)f->all.nr / seconds, 1);
        json_object_object_add(json, "causes", causes_json(f->by, seconds));
        json_object_array_add(array, json);
    }

    return array;
}

static void add_quantile(json_object *json, const char *key, const struct waits_of *of,
                         double part)
{
    if (of->wakes)
        json_add_real(json, key, waits_quantile(of, part) / 1000, 1);
    else
        json_object_object_add(json, key, NULL);
}

static bool is_logged(const struct core *core, unsigned int event)
{
    return choice_events(&core->settings.choice, HYPERVISOR) & ~core->host->refused &
           1U << event;
}

static json_object *waiter_json(const struct core *core, const struct waits_of *of,
                                uint64_t seconds)
{
    json_object *json = json_object_new_object();

    add_end(json, core, &of->domain);
    json_add_real(json, "ready_percent", percent_of(of->ns, seconds), 3);
    json_add_real(json, "counted_percent", percent_of(of->counted_ns, seconds), 3);
    json_add_real(json, "offline_percent", percent_of(of->offline_ns, seconds), 3);
    json_add_real(json, "unknown_percent", percent_of(of->unknown_ns, seconds), 3);
    json_add_real(json, "preempted_percent", percent_of(of->preempted_ns, seconds), 3);
    json_object_object_add(json, "causes", causes_json(of->by, seconds));
    if (is_logged(core, XEN_SCHEDLOG_EV_MIGRATE))
        json_add_real(json, "moves_per_s", (double)of->moves / seconds, 1);
    else
        json_object_object_add(json, "moves_per_s", NULL);
    json_add_real(json, "wakes_per_s", (double)of->wakes / seconds, 1);
    add_quantile(json, "wake_p50_us", of, 0.5);
    add_quantile(json, "wake_p99_us", of, 0.99);
    json_object_object_add(json, "for", culprits_json(core, of, seconds));

    return json;
}

/* Adds domains that did not wait, if that is known. */
static void add_others(json_object *array, const struct core *core,
                       const struct waits_report *report, const struct domain *only)
{
    unsigned int i;

    for (i = 0; report->seconds && i < core->domains.nr; i++) {
        const struct domain *d = &core->domains.domain[i];
        struct waits_of none = { .domain = { .domid = d->domid, .name = d->name } };

        if (d->acct >= XEN_SCHEDLOG_ACCT_FIRST && (!only || d == only) &&
            !waits_find(core->waits, report, d->acct))
            json_object_array_add(array, waiter_json(core, &none, report->seconds));
    }
}

/* Entries of @only, or of all domains if it is NULL. */
static json_object *waiters_json(const struct core *core, const struct waits_report *report,
                                 const struct domain *only)
{
    const struct waits_of *of = only ? waits_find(core->waits, report, only->acct) : NULL;
    json_object *array = json_object_new_array();
    unsigned int i;

    for (i = 0; i < report->nr; i++)
        if (!only || of == &report->of[i])
            json_object_array_add(array, waiter_json(core, &report->of[i], report->seconds));
    add_others(array, core, report, only);

    return array;
}

static json_object *one_digit(double number)
{
    char text[32];

    snprintf(text, sizeof(text), "%.1f", number);

    return json_object_new_double_s(number, text);
}

/* The waits of one domain in each second; null: unknown. */
static json_object *seconds_of(struct waits *w, const struct domain *d, uint64_t first_s,
                               uint64_t seconds)
{
    json_object *array = json_object_new_array();
    struct waits_report report;
    const struct waits_of *of;
    uint64_t s;

    for (s = first_s; s < first_s + seconds; s++) {
        waits_ask(w, s, 1, &report);
        of = waits_find(w, &report, d->acct);
        json_object_array_add(array, !report.seconds ? NULL :
                              one_digit(of ? percent_of(of->ns, 1) : 0));
        waits_report_free(&report);
    }

    return array;
}

/* Recent waits by Xen's counts. */
static json_object *vcpus_of(const struct domain *d)
{
    json_object *array = json_object_new_array(), *json;
    unsigned int i;

    for (i = 0; i < d->nr_vcpus; i++) {
        const struct domain_vcpu *v = &d->vcpus[i];

        if (!v->online)
            continue;
        json = json_object_new_object();
        json_add_int(json, "vcpu", i);
        json_add_int(json, "pcpu", v->cpu);
        if (v->use.known) {
            json_add_real(json, "ran_percent", 100 * v->use.ran, 1);
            json_add_real(json, "ready_percent", 100 * v->use.waited, 1);
        }
        json_object_array_add(array, json);
    }

    return array;
}

/* CLOCK_REALTIME when the daemon's clock was 0. */
static int64_t realtime_at_start(const struct subject *s)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);

    return llround(now.tv_sec + now.tv_nsec / 1e9 - (double)s->now_ns / NS_PER_S);
}

/* Reads a number; a client may send any, so it is limited to the range. */
static uint64_t get_seconds(const struct subject *s, const char *key, double least,
                            double most, double otherwise)
{
    return fmin(most, fmax(least, json_number(s->request, key, otherwise)));
}

/* Finds the second of the latest mark that the request names.  @only: a mark of this domain. */
static int since_mark(const struct subject *s, const struct domain *only, uint64_t *first_s,
                      struct xensched_error *err)
{
    uint32_t code = fmin(UINT32_MAX, fmax(0, json_number(s->request, "since_mark", 0)));
    uint64_t ns;

    if (!only)
        return xensched_fail(err, EINVAL, "a mark is one of a domain: name the domain");
    if (!is_logged(s->core, XEN_SCHEDLOG_EV_MARK))
        return xensched_fail(err, ENODATA, "mark is not logged (see --log of xenschedd)");
    ns = mark_times_latest(s->core->mark_times, only->acct, code);
    if (!ns)
        return xensched_fail(err, ENODATA, "no mark %u of %s is among its latest %u marks",
                             code, only->name, MARK_TIMES_CODES);
    *first_s = ns / NS_PER_S;

    return 0;
}

json_object *answer_waits(struct subject *s, struct xensched_error *err)
{
    struct waits *w = s->core->waits;
    int64_t begin = realtime_at_start(s);
    uint64_t seconds = get_seconds(s, "seconds", 1, WAITS_SECONDS, USUAL_SECONDS);
    uint64_t now_s = s->now_ns / NS_PER_S, first_s, oldest_s = waits_oldest(w, s->now_ns);
    const struct domain *only = NULL;
    struct waits_report report;
    json_object *json;

    if (!is_logged(s->core, XEN_SCHEDLOG_EV_WAKE_DELAY) &&
        !is_logged(s->core, XEN_SCHEDLOG_EV_PREEMPT_DELAY)) {
        xensched_fail(err, ENODATA, "wake-delay and preempt-delay are not logged (see "
                      "--log of xenschedd)");
        return NULL;
    }
    if ((s->domain || s->domid >= 0) && !(only = answer_domain(s, err)))
        return NULL;
    first_s = now_s > seconds ? now_s - seconds : 0;
    if (json_number(s->request, "at", 0))
        first_s = get_seconds(s, "at", begin, begin + (double)now_s, 0) - begin;
    if (json_object_object_get_ex(s->request, "since_mark", NULL)) {
        if (since_mark(s, only, &first_s, err))
            return NULL;
        seconds = now_s - first_s;
    }
    waits_ask(w, first_s, seconds, &report);
    json = json_object_new_object();
    json_add_time(json, "from", begin + (int64_t)report.first_s);
    json_add_int(json, "seconds", report.seconds);
    json_add_time(json, "oldest", begin + (int64_t)oldest_s);
    json_object_object_add(json, "domains", waiters_json(s->core, &report, only));
    waits_report_free(&report);
    if (only && seconds <= MAX_SINGLE_SECONDS) {
        json_object_object_add(json, "by_second", seconds_of(w, only, first_s, seconds));
        json_object_object_add(json, "vcpus", vcpus_of(only));
    }

    return json;
}
