/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Explains in words why a domain is where it is: its measurements, the decision, and what
 * was done.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/event.h>

#include "base/alloc.h"
#include "model/residency/presence.h"
#include "answer.h"
#include "daemon/core/observe-host.h"

/* Number of pairs of a domain that are listed. */
#define MAX_TALKS 5

/* Thresholds for explaining a domain's waits in the last minute. */
#define MIN_WAIT_MS  0.1
#define MANY_WAIT_MS 10 /* above this, another place may be better */
#define MIN_IDLE     0.1 /* if this part of its time is free */
#define MAX_CULPRITS 3
#define WAITS_LOOK_S 60

/* Room for what is enumerated within a line. */
#define LINE_TEXT 1024

static void add_line(json_object *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A line may be of any length: the reasons of a plan are the longest. */
static void add_line(json_object *lines, const char *format, ...)
{
    char *text;
    va_list args;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        abort();
    va_end(args);
    json_object_array_add(lines, json_new_text(text));
    free(text);
}

/* On NUMA hosts xl picks a node for each guest. */
static void say_toolstack(json_object *lines, const struct domain *d)
{
    char cpus[CPUMAP_TEXT / 4] = "";

    if (domain_has_default_affinity(d)) {
        add_line(lines, "its affinity has not been changed");
        return;
    }
    cpumap_format(&d->vcpus[0].soft, cpus, sizeof(cpus));
    add_line(lines, "its toolstack gave it a soft affinity to pCPUs %s", cpus);
}

static void say_affinity(json_object *lines, const struct domain *d)
{
    char cpus[CPUMAP_TEXT / 4] = "";

    switch (d->affinity) {
    case AFFINITY_OURS:
        cpumap_format(&d->ours, cpus, sizeof(cpus));
        add_line(lines, "it was moved: %s affinity to pCPUs %s",
                 d->ours_hard ? "hard and soft" : "soft", cpus);
        break;
    case AFFINITY_OPERATOR:
        add_line(lines, "its affinity was set by an operator, and is not "
                 "touched");
        break;
    case AFFINITY_DEFAULT:
        say_toolstack(lines, d);
        break;
    }
}

static void say_use(json_object *lines, const struct subject *s,
                    const struct domain *d)
{
    unsigned int vcpus = domain_online_vcpus(d);
    double share;

    if (!core_service(s->core, d, s->now_ns, &share))
        add_line(lines, "it has %u vCPUs; there are too many domains to distinguish it from "
                 "others", vcpus);
    else
        add_line(lines, "it uses %.2f pCPUs with %u vCPUs", share, vcpus);
}

/* "it ran 97 % of its time on socket 0, 3 % on socket 1" */
static void say_where(json_object *lines, const struct subject *s,
                      const struct domain *d)
{
    const struct topology *t = &s->core->topology;
    char text[LINE_TEXT] = "";
    unsigned int i;
    size_t length = 0;

    for (i = 0; i < t->nr_places; i++) {
        double share = presence_share(s->core->matrix, d, &t->places[i].cpus,
                                      s->now_ns);

        if (share >= 0.005 && length < sizeof(text))
            length += snprintf(text + length, sizeof(text) - length,
                               "%s%.0f %% %son %s %u", length ? ", " : "",
                               100 * share, length ? "" : "of its time ",
                               t->places[i].kind, t->places[i].id);
    }
    if (length)
        add_line(lines, "it ran %s", text);
}

/* The pCPUs of its affinity, whatever set it; NULL: all. */
static const struct cpumap *asked_for(const struct domain *d)
{
    if (d->affinity == AFFINITY_OURS)
        return &d->ours;

    return d->nr_vcpus && !domain_has_default_affinity(d) ? &d->vcpus[0].soft
                                                          : NULL;
}

/* The part of its time that it ran on the pCPUs of its affinity. */
static void say_presence(json_object *lines, const struct subject *s,
                         const struct domain *d)
{
    const struct cpumap *asked = asked_for(d);
    bool ours = d->affinity == AFFINITY_OURS;
    double share = asked ? presence_share(s->core->matrix, d, asked, s->now_ns)
                         : -1;
    const struct core *core = s->core;
    struct domain_exchange *exchanges = presence_exchanges(core->matrix, &core->topology,
                                                           &core->domains, s->now_ns);
    double crossings = exchanges[d - core->domains.domain].crossings;

    free(exchanges);
    if (d->paused) {
        add_line(lines, "%s, so it runs nowhere", d->stopped
                 ? "a reaction, a checkpoint or a sample has stopped it"
                 : "it is paused");
        return;
    }
    say_where(lines, s, d);
    if (share >= 0 && !ours && share < OUTCOME_THERE)
        add_line(lines, "its soft affinity has no effect: it runs there only "
                 "%.0f %% of its time", 100 * share);
    if (share >= 0 && ours)
        add_line(lines, "at its place %.0f %% of its time: %s", 100 * share,
                 share >= OUTCOME_THERE ? "the move had its effect"
                                        : "the move has not had its effect");
    if (crossings >= 0.5)
        add_line(lines, "about %.0f notifications/s to and from it cross "
                 "places", crossings);
}

/* "; 80.1 preempted, 2.9 event-channel" */
static void add_causes(char *text, size_t size, const struct waits_of *of, uint64_t seconds)
{
    enum waits_cause order[WAITS_CAUSES];
    unsigned int nr = waits_order(of->by, MIN_WAIT_MS * 1e6 * seconds + 1, order), i;
    size_t length = strlen(text);

    for (i = 0; i < nr && length < size; i++)
        length += snprintf(text + length, size - length, "%s%.1f %s", i ? ", " : "; ",
                           1e-6 * of->by[order[i]].ns / seconds, waits_cause_name(order[i]));
}

/* The idle part of the time of these pCPUs. */
static double idle_part(const struct cpumap *cpus, const double *busy)
{
    unsigned int cpu, nr = 0;
    double idle = 0;

    for (cpu = 0; cpu < cpus->nr_cpus; cpu++)
        if (cpumap_test(cpus, cpu)) {
            idle += fmax(0, 1 - busy[cpu]);
            nr++;
        }

    return nr ? idle / nr : 0;
}

/*
 * "it waits 83.0 ms/s for a pCPU, 71.0 of them for db1, 12.0 while its pCPU idles; 71.0
 * preempted, 12.0 woken"
 */
static bool say_waits(json_object *lines, const struct subject *s,
                      const struct domain *d)
{
    bool much;
    uint64_t now_s = s->now_ns / 1000000000;
    struct waits_report report;
    const struct waits_of *of;
    char text[LINE_TEXT] = "";
    size_t length = 0;
    unsigned int i;

    waits_ask(s->core->waits, now_s > WAITS_LOOK_S ? now_s - WAITS_LOOK_S : 0,
              WAITS_LOOK_S, &report);
    of = waits_find(s->core->waits, &report, d->acct);
    for (i = 0; of && i < of->nr_culprits && i < MAX_CULPRITS; i++) {
        double ms = 1e-6 * of->culprit[i].all.ns / report.seconds;
        bool idled = of->culprit[i].domain.identity == WAITS_XEN;

        if (ms >= MIN_WAIT_MS && length < sizeof(text))
            length += snprintf(text + length, sizeof(text) - length, ", %.1f %s%s%s", ms,
                               length ? "" : "of them ", idled ? "while its pCPU idled"
                                                               : "for ",
                               idled ? "" : of->culprit[i].domain.name ?: "others");
    }
    if (of)
        add_causes(text, sizeof(text), of, report.seconds);
    if (of && of->ns >= MIN_WAIT_MS * 1e6 * report.seconds)
        add_line(lines, "it waited %.1f ms/s for a pCPU%s", 1e-6 * of->ns / report.seconds, text);
    if (of && of->offline_ns >= MANY_WAIT_MS * 1e6 * report.seconds)
        add_line(lines, "Xen did not let it run for %.1f ms/s: its cap was used up, or it waited "
                 "for its device model", 1e-6 * of->offline_ns / report.seconds);
    much = of && of->ns >= MANY_WAIT_MS * 1e6 * report.seconds;
    waits_report_free(&report);

    return much;
}

/* "its vCPUs are on pCPUs 0-3, while node 1 idles 60 % of its time" */
static void say_alternatives(json_object *lines, const struct subject *s,
                             const struct domain *d)
{
    const struct topology *t = &s->core->topology;
    double *busy = need_memory(t->nr_cpus, sizeof(*busy));
    char cpus[CPUMAP_TEXT / 4] = "", text[LINE_TEXT] = "";
    struct cpumap here;
    size_t length = 0;
    unsigned int i;

    cpumap_init(&here, t->nr_cpus);
    for (i = 0; i < d->nr_vcpus; i++)
        if (d->vcpus[i].online && d->vcpus[i].cpu < t->nr_cpus)
            cpumap_set(&here, d->vcpus[i].cpu);
    cpumap_format(&here, cpus, sizeof(cpus));
    matrix_busy(s->core->matrix, busy, t->nr_cpus, s->now_ns);
    for (i = 0; i < t->nr_places && length < sizeof(text); i++) {
        const struct topology_place *place = &t->places[i];
        double idle = idle_part(&place->cpus, busy);

        if (idle >= MIN_IDLE)
            length += snprintf(text + length, sizeof(text) - length, "%s%s %u idles %.0f %%",
                               length ? ", " : ", while ", place->kind, place->id, 100 * idle);
    }
    add_line(lines, "its vCPUs are on pCPUs %s%s", cpus, text);
    cpumap_free(&here);
    free(busy);
}

/* The pairs of one domain with the highest rates. */
struct talks {
    uint16_t acct;
    unsigned int nr;
    struct matrix_entry entry[MAX_TALKS]; /* the highest rate first */
};

static void take_talk(const struct matrix_entry *entry, void *arg)
{
    struct talks *t = arg;
    unsigned int i;

    if ((entry->current != t->acct && entry->correspondent != t->acct) ||
        entry->correspondent == XEN_SCHEDLOG_ACCT_NONE || entry->rate < 0.1)
        return;
    if (t->nr < MAX_TALKS)
        t->nr++;
    else if (entry->rate <= t->entry[MAX_TALKS - 1].rate)
        return;
    for (i = t->nr - 1; i && t->entry[i - 1].rate < entry->rate; i--)
        t->entry[i] = t->entry[i - 1];
    t->entry[i] = *entry;
}

static const char *name_of(const struct core *core, uint16_t acct)
{
    const struct account *account = accounting_of(&core->accounting, acct);

    if (account && account->name[0])
        return account->name;

    return account ? "a domain without a name"
                   : acct == XEN_SCHEDLOG_ACCT_XEN ? "Xen" : "others";
}

static void say_talks(json_object *lines, const struct subject *s,
                      const struct domain *d)
{
    struct talks t = { .acct = d->acct };
    unsigned int i;

    if (d->acct < XEN_SCHEDLOG_ACCT_FIRST)
        return;
    matrix_visit(s->core->matrix, s->now_ns, take_talk, &t);
    for (i = 0; i < t.nr; i++)
        add_line(lines, "%s: %.1f/s from %s to %s",
                 xensched_event_name(t.entry[i].event), t.entry[i].rate,
                 name_of(s->core, t.entry[i].current),
                 name_of(s->core, t.entry[i].correspondent));
    if (!t.nr)
        add_line(lines, "it communicates with no domain");
}

/* "for each page it waits 4.0 us for a pCPU, wakes up 0.52 times..." */
static void say_effort(json_object *lines, const struct work *work)
{
    char text[LINE_TEXT];
    int length = snprintf(text, sizeof(text), "for each %s it waits %.1f us for a pCPU",
                          work_unit_name(work->unit),
                          work->waited_ns / work->units / 1e3);

    if (work->wakes >= 0)
        length += snprintf(text + length, sizeof(text) - length,
                           ", wakes up %.2f times", work->wakes / work->units);
    if (work->migrations >= 0)
        snprintf(text + length, sizeof(text) - length,
                 ", moves to another pCPU %.3f times",
                 work->migrations / work->units);
    add_line(lines, "%s", text);
}

/* The price of distance for work like this, by the moves on this host. */
static void say_price(json_object *lines, const struct subject *s, const struct work *work)
{
    enum back_end_kind kind = outcome_kind(work->unit, work->copied);
    char text[LEARNED_TEXT];

    if (!s->core->learned.of[kind].extra.n)
        return;
    learned_describe(&s->core->learned, kind, text);
    add_line(lines, "%s", text);
}

/* The cost of its work, in pCPU time. */
static void say_cost(json_object *lines, const struct subject *s,
                     const struct domain *d)
{
    uint64_t for_ns;
    struct work *all = watch_work_recent(s->core, s->now_ns, &for_ns);
    const struct work *work;

    if (!all)
        return;
    work = &all[d - s->core->domains.domain];
    if (work->unit < WORK_TIME) {
        add_line(lines, "a %s costs %.1f us of pCPU time: %.1f its own, %.1f its "
                 "back ends' (shared by %s), at %.0f/s in the last %.0f s",
                 work_unit_name(work->unit), work_cost(work) / 1e3,
                 work->own_ns / work->units / 1e3,
                 work->served_ns / work->units / 1e3,
                 work->by_pages ? "pages" : "notifications",
                 1e9 * work->units / for_ns, for_ns / 1e9);
        say_effort(lines, work);
        say_price(lines, s, work);
    }
    free(all);
}

static void say_decision(json_object *json, json_object *lines, const struct core *core,
                         const struct domain *d)
{
    const struct decision *decision;
    char text[REASON_TEXT];

    if (core->mode == MODE_OBSERVE) {
        add_line(lines, "there are no plans in mode observe");
        return;
    }
    decision = &core->plan.decisions[d - core->domains.domain];
    json_add_text(json, "decision", verb_name(decision->verb));
    answer_add_reason(json, core, d, decision);
    add_line(lines, "mode %s, now: %s: %s", mode_name(core->mode),
             verb_name(decision->verb), json_text(json, "reason"));
    if (decision->policy)
        add_line(lines, "so decided by the policy %s", decision->policy);
    pull_text(&decision->pull_reason, text);
    if (decision->pull != PULL_NOTHING)
        add_line(lines, "%s: %s", pull_name(decision->pull), text);
}

/* The journal's entries about it, oldest first. */
static void say_history(json_object *lines, const struct core *core,
                        const struct domain *d)
{
    json_object *entries = journal_about(&core->journal, d->uuid);
    size_t i;

    for (i = 0; i < json_object_array_length(entries); i++) {
        json_object *entry = json_object_array_get_idx(entries, i);
        const char *time = json_text(entry, "time");
        const char *what = json_text(entry, "what");
        const char *reason = json_text(entry, "reason");

        add_line(lines, "%s %s%s%s", time ? time : "?", what ? what : "?",
                 reason ? ": " : "", reason ? reason : "");
    }
    json_object_put(entries);
}

json_object *answer_explain(struct subject *s, struct xensched_error *err)
{
    const struct domain *d = answer_domain(s, err);
    json_object *json, *lines;

    if (!d)
        return NULL;
    json = json_object_new_object();
    json_add_domain(json, "domain", "domid", d->domid, d->name);
    json_add_text(json, "uuid", d->uuid);
    if (d->group[0])
        json_add_text(json, "group", d->group);
    lines = json_object_new_array();
    say_affinity(lines, d);
    say_use(lines, s, d);
    say_presence(lines, s, d);
    if (say_waits(lines, s, d))
        say_alternatives(lines, s, d);
    say_talks(lines, s, d);
    say_cost(lines, s, d);
    say_decision(json, lines, s->core, d);
    say_history(lines, s->core, d);
    json_object_object_add(json, "lines", lines);

    return json;
}
