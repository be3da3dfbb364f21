/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes sentences of reasons. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "plan.h"

#define NS_PER_MS 1e6
#define NS_PER_S  1e9

/* ms/s; the text leaves out smaller amounts. */
#define WORTH_A_WORD 0.005

struct text {
    char *text; /* REASON_TEXT long */
    const struct topology *topology;
    const struct domain *domain; /* of which the text reports */
};

static void add_text(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_text(struct text *t, const char *format, ...)
{
    size_t length = strlen(t->text);
    va_list args;

    va_start(args, format);
    vsnprintf(t->text + length, REASON_TEXT - length, format, args);
    va_end(args);
}

static struct text begin_text(char *text, const struct topology *topology,
                              const struct domain *d)
{
    text[0] = '\0';

    return (struct text){ text, topology, d };
}

static const char *name_of(const struct domain *d, char text[DOMAIN_NAME_TEXT])
{
    if (d->name[0])
        return d->name;
    snprintf(text, DOMAIN_NAME_TEXT, "domain %u", d->domid);

    return text;
}

static const char *place_kind(const struct text *t)
{
    return t->topology->places[0].kind;
}

/* Returns the kind of place that can keep a domain: an LLC, if the host has one place only. */
static const char *spot_kind(const struct text *t)
{
    return t->topology->nr_places > 1 ? place_kind(t) : t->topology->caches[0].kind;
}

static const struct topology_place *place_at(const struct text *t, struct spot spot)
{
    return topology_at(t->topology, spot);
}

/* Accounts. */

static void say_talk(struct text *t, const struct savings *a)
{
    double now = 100 * a->apart, then = 100 * a->apart_then;
    char name[DOMAIN_NAME_TEXT];

    if (!a->with)
        return;
    add_text(t, "%.0f notifications/s", a->notifications);
    if (a->pages >= 0.5)
        add_text(t, " and %.0f pages/s", a->pages);
    add_text(t, " with ");
    if (a->with_vcpu != ALL_VCPUS)
        add_text(t, "vCPU %u of ", a->with_vcpu);
    if (a->with->group[0])
        add_text(t, "group %.34s", a->with->group);
    else
        add_text(t, "%.40s", name_of(a->with, name));
    if (fabs(now - then) >= 0.5)
        add_text(t, " cross %ss by %.0f %% now, by %.0f %% then", place_kind(t), now, then);
    if (a->more)
        add_text(t, ", and %u more", a->more);
    if (a->learned)
        add_text(t, ", price learned from %u moves", a->learned);
}

static void say_term(struct text *t, const struct savings *a, enum term_id term)
{
    const struct topology_place *places = t->topology->places;

    switch (term) {
    case TERM_TALK:
        say_talk(t, a);
        break;
    case TERM_MEMORY:
        add_text(t, "%.0f %% of its memory is on %s %u, %.2f million misses/s%s",
                 100 * a->memory_share, places[a->memory_place].kind,
                 places[a->memory_place].id, a->misses / 1e6,
                 a->misses_counted ? "" : ", assumed");
        break;
    case TERM_WAITING:
    case TERM_SMT:
        add_text(t, "%.1f runnable vCPUs%s on %.0f %s of %s %u", a->runnable,
                 a->needs ? " with it" : "", term == TERM_SMT ? a->cores : a->pcpus,
                 term == TERM_SMT || a->cores == a->pcpus ? "cores" : "pCPUs",
                 places[a->busy_place].kind, places[a->busy_place].id);
        break;
    case TERM_QUEUEING:
        add_text(t, "by chance more than %.0f vCPUs are runnable on the pCPUs of %s %u, in the "
                 "mean %.1f; %.0f %% of such waits are counted", a->pcpus,
                 places[a->busy_place].kind, places[a->busy_place].id, a->runnable,
                 100 * a->counted);
        break;
    case TERM_CACHE:
        add_text(t, "%.1f million cache misses/s, beside others", a->misses / 1e6);
        break;
    case TERM_MOVING:
        add_text(t, "to fill caches, within %.0f s", a->horizon_s);
        break;
    case TERM_WAKES:
        add_text(t, "%.0f wake-ups/s %s", fabs(a->more_wakes),
                 a->more_wakes < 0 ? "fewer" : "more");
        break;
    case TERM_MIGRATIONS:
        add_text(t, "beside others its vCPUs move between pCPUs, now %.0f/s", a->migrations);
        break;
    case TERM_SHARING:
        add_text(t, "it shares a core with its back end; they need %.2f and %.2f pCPUs", a->need,
                 a->server_need);
        break;
    case NR_TERMS:
        break;
    }
}

/* "to node 0 (pCPUs 0-3): saves 41 ms/s (...), costs 9 ms/s (...)" */
static void say_savings(struct text *t, const struct savings *a)
{
    const struct topology_place *place = place_at(t, a->spot);
    char cpus[CPUMAP_TEXT];
    const char *comma = "";
    unsigned int sign, i;

    cpumap_format(&place->cpus, cpus, sizeof(cpus));
    add_text(t, "to %s %u (pCPUs %.60s): ", place->kind, place->id, cpus);
    for (sign = 0; sign < 2; sign++)
        for (i = 0; i < NR_TERMS; i++) {
            double saved = (sign ? -1 : 1) * a->saved_ns[i] / NS_PER_MS;

            if (saved < WORTH_A_WORD)
                continue;
            add_text(t, "%s%s %.2f ms/s (", comma, sign ? "costs" : "saves", saved);
            say_term(t, a, i);
            add_text(t, ")");
            comma = ", ";
        }
    if (!*comma)
        add_text(t, "saves nothing");
}

/* Opinions. */

/* "whose vCPUs are on pCPUs 0-1 (node 0)" */
static void say_location(struct text *t, const struct location *w)
{
    const struct topology_place *place = &t->topology->places[w->place];
    char cpus[CPUMAP_TEXT];

    cpumap_format(&place->cpus, cpus, sizeof(cpus));
    if (!w->there)
        add_text(t, "which spends %.0f %% of its time", 100 * w->share);
    else if (w->there < w->online)
        add_text(t, "most of whose vCPUs (%u of %u) are", w->there, w->online);
    else
        add_text(t, "whose vCPUs are");
    add_text(t, " on pCPUs %.100s (%s %u)", cpus, place->kind, place->id);
}

/* Writes why no guest moves to the partner's place. */
static void say_spread(struct text *t, const struct opinion *o)
{
    char name[DOMAIN_NAME_TEXT];

    if (o->location.share < 0)
        add_text(t, "the location of %.40s is unknown: it is bound to no %s, and service-ns has "
                 "no rows of it", name_of(o->partner, name), place_kind(t));
    else
        add_text(t, "%.40s is spread: it spends no more than %.0f %% of its time on one %s, "
                 "%.0f %% are needed", name_of(o->partner, name), 100 * o->location.share,
                 place_kind(t), 100 * LOCATION_TO_GO);
}

static const char *const plain_grounds[] = {
    [GROUNDS_NEVER_RAN] = "the daemon has no history of it",
    [GROUNDS_ALL_GONE] = "no domain with which it communicated when it last ran is there",
    [GROUNDS_NO_DISKS] = "it has no disks",
};

static void say_newcomer(struct text *t, const struct opinion *o, enum grounds grounds)
{
    const struct savings *a = &o->savings;
    char name[DOMAIN_NAME_TEXT];

    switch (grounds) {
    case GROUNDS_HISTORY:
        add_text(t, "by what it did when it last ran that saves %.2f ms/s: it had %.0f "
                 "notifications/s and %.0f pages/s with %.60s", a->gain_ns / NS_PER_MS,
                 a->notifications, a->pages, name_of(o->partner, name));
        break;
    case GROUNDS_BACK_ENDS:
        add_text(t, "%u of its %u disk%s served by %.60s%s", o->count, o->of,
                 o->of == 1 ? " is" : "s are", name_of(o->partner, name),
                 o->others ? " and others there" : "");
        break;
    case GROUNDS_HISTORY_GAIN:
        add_text(t, "for the domains with which it communicated when it last ran, no %s is better "
                 "by %.2f ms/s, the least gain, but by %.2f", place_kind(t),
                 a->least_ns / NS_PER_MS, a->gain_ns / NS_PER_MS);
        break;
    case GROUNDS_HISTORY_SPREAD:
        add_text(t, "when it last ran it communicated most with %.60s, but ",
                 name_of(o->partner, name));
        say_spread(t, o);
        break;
    case GROUNDS_BACK_END_SPREAD:
        add_text(t, "other domains serve its disks, but ");
        say_spread(t, o);
        break;
    case GROUNDS_BACK_ENDS_EVEN:
        add_text(t, "the domains that serve its disks are on different %ss, as many on one as on "
                 "the other", place_kind(t));
        break;
    default:
        add_text(t, "%s", plain_grounds[grounds]);
        break;
    }
}

static void say_grounds(struct text *t, const struct opinion *o, enum grounds grounds)
{
    const struct savings *a = &o->savings;

    switch (grounds) {
    case GROUNDS_GAIN:
        say_savings(t, a);
        break;
    case GROUNDS_WORTH:
        if (o->follows && t->domain->group[0])
            add_text(t, "its group %.60s is there: ", t->domain->group);
        else if (o->follows)
            add_text(t, "it may no longer share a core with its back end: ");
        add_text(t, "this location %s worth %.2f ms/s", o->absent ? "would be" : "is",
                 o->worth / NS_PER_MS);
        break;
    case GROUNDS_LEAST_GAIN:
        say_savings(t, a);
        add_text(t, ", gain %.2f ms/s, least gain %.2f ms/s", a->gain_ns / NS_PER_MS,
                 a->least_ns / NS_PER_MS);
        break;
    case GROUNDS_TOO_WIDE:
        add_text(t, "no %s has enough cores: it has %u vCPUs, and may use at most %u cores of one",
                 spot_kind(t), o->count, o->of);
        break;
    case GROUNDS_ONE_SPOT:
        add_text(t, "there is no other %s with as many cores as it has vCPUs", spot_kind(t));
        break;
    default:
        say_newcomer(t, o, grounds);
        break;
    }
}

static void say_lack(struct text *t, const struct opinion *o)
{
    say_grounds(t, o, o->lack);
    if (o->full && o->lack == GROUNDS_LEAST_GAIN)
        add_text(t, ", but it has no room");
}

/* Writes the fact that decides, and the figures or the place that belong to it. */
static void say_opinion(struct text *t, const struct opinion *o)
{
    say_grounds(t, o, o->fact);
    add_text(t, ", ");
    if (o->fact == GROUNDS_GAIN)
        add_text(t, "%s %.2f ms/s, least gain %.2f ms/s",
                 o->gain > 0 ? "expected gain" : "it makes room, at", o->gain / NS_PER_MS,
                 o->savings.least_ns / NS_PER_MS);
    else if (o->fact == GROUNDS_WORTH)
        say_lack(t, o);
    else
        say_location(t, &o->location);
}

/* Outcomes. */

static void say_cost(struct text *t, const struct place_cost *before,
                     const struct place_cost *after)
{
    if (!place_cost_known(before, after))
        add_text(t, "the cost of its work before the move is unknown");
    else if (place_cost_comparable(before, after) && after->unit < WORK_TIME)
        add_text(t, "a %s costs %.1f us with its waiting, before the move %.1f (%u and %u "
            "windows)", work_unit_name(after->unit), after->cost.mean / 1e3,
            before->cost.mean / 1e3, after->cost.n, before->cost.n);
    else
        add_text(t, "it waits %.1f ms for each s that it runs, before the move %.1f (%u and %u "
            "windows)", 1e3 * after->waiting.mean, 1e3 * before->waiting.mean,
            after->waiting.n, before->waiting.n);
}

static void say_judgement(struct text *t, const struct verdict *v)
{
    const struct outcome *o = &v->outcome;

    say_cost(t, &o->before, &o->here);
    add_text(t, "; %.0f notifications/s cross places, before the move %.0f", o->crossings_now,
             o->crossings);
    if (o->predicted >= 0)
        add_text(t, ", predicted were %.0f", o->predicted);
    add_text(t, "; %s", v->news == OUTCOME_GOOD ? "it stays"
                      : v->news == OUTCOME_WORSE ? "it costs more than before"
                                                 : "it did not help");
}

/* "; there 1.9 of 2 pCPUs are busy: Domain-0 1.4, computing 0.5" */
static void say_absence(struct text *t, const struct verdict *v)
{
    char name[DOMAIN_NAME_TEXT];

    add_text(t, "only %.0f %% of its time it runs at its place, %.1f s after it was moved; there "
             "%.1f of %u pCPUs are busy", 100 * v->outcome.share, v->after_ns / NS_PER_S, v->busy,
             v->cpus);
    if (v->first)
        add_text(t, ": %.40s %.1f", name_of(v->first, name), v->first_use);
    if (v->second)
        add_text(t, ", %.40s %.1f", name_of(v->second, name), v->second_use);
}

static void say_verdict(struct text *t, const struct verdict *v)
{
    if (v->news == OUTCOME_ARRIVED)
        add_text(t, "%.0f %% of its time it runs at its place, %.1f s after it was moved",
                 100 * v->outcome.share, v->after_ns / NS_PER_S);
    else if (v->news == OUTCOME_ABSENT)
        say_absence(t, v);
    else if (v->news != OUTCOME_NONE)
        say_judgement(t, v);
}

/* Decisions. */

static const char *const plain[] = {
    [REASON_DRIVER] = "a driver domain is never moved",
    [REASON_OPERATOR] = "its affinity was set by an operator",
    [REASON_CONFIGURED] = "it is held by its configuration",
    [REASON_HELD] = "an operator holds it",
    [REASON_ONE_PLACE] = "all pCPUs of this host are in one place",
    [REASON_ONE_NODE] = "this host has one NUMA node",
    [REASON_NO_POOL] = "it is in no cpupool",
};

/* "Domain-0 needs 1.5, all that are bound there 1.9; it needs 0.8 itself" */
static void say_no_room(struct text *t, const struct reason *r)
{
    const struct topology_place *place = place_at(t, r->spot);
    char name[DOMAIN_NAME_TEXT];

    add_text(t, ", but %s %u has no room: of its %u cores %.60s needs %.1f", place->kind, place->id,
             r->count, r->other ? name_of(r->other, name) : "no guest there", r->other_need);
    if (r->other && r->taken - r->other_need >= 0.05)
        add_text(t, ", all that are bound there %.1f", r->taken);
    add_text(t, "; it needs %.1f itself", r->need);
}

static void say_few_cores(struct text *t, const struct reason *r)
{
    const struct topology_place *place = place_at(t, r->spot);
    const struct rule *rule = t->domain->rule;
    bool limits = rule && rule->nodes;

    add_text(t, ", but of %s %u only %u cores are in its cpupool%s%s, and it has %u vCPUs",
             place->kind, place->id, r->count, limits ? " and allowed by the rule " : "",
             limits ? rule->text : "", r->of);
}

/* "; it prefers node 0 already, but runs there only 2 % of its time" */
static void say_preference(struct text *t, const struct reason *r)
{
    const struct topology_place *place = place_at(t, r->spot);

    if (r->code == REASON_OPINION)
        add_text(t, "; it prefers %s %u already, but runs there only %.0f %% of its time",
                 place->kind, place->id, 100 * r->share);
    else if (r->share < 0)
        add_text(t, ", and it prefers %s %u already; where it runs is not known", place->kind,
                 place->id);
    else
        add_text(t, ", and it prefers %s %u already and runs there %.0f %% of its time",
                 place->kind, place->id, 100 * r->share);
}

/* Adds why the opinion has no effect, after the fact that speaks for it. */
static void say_objection(struct text *t, const struct reason *r)
{
    const double s = r->time_ns / NS_PER_S;

    if (r->code == REASON_PREFERS)
        say_preference(t, r);
    else if (r->code == REASON_UNCONFIRMED)
        add_text(t, "; wait for a confirmation (%u of %u)", r->count, r->of);
    else if (r->code == REASON_WAITS_FOR_OTHERS)
        add_text(t, "; it moves only together with other domains, which cannot move now");
    else if (r->code == REASON_WORSE_THERE)
        add_text(t, ", but its work cost more there; it is not tried again for %.0f s", s);
    else if (r->code == REASON_NO_HELP)
        add_text(t, ", but a move before this one did not help; "
                 "it is not tried again for %.0f s", s);
    else if (r->code == REASON_FEW_CORES)
        say_few_cores(t, r);
    else
        say_no_room(t, r);
}

static void say_constraint(struct text *t, const struct decision *decision)
{
    const struct reason *r = &decision->reason;
    const double s = r->time_ns / NS_PER_S, least_s = r->least_ns / NS_PER_S;
    char name[DOMAIN_NAME_TEXT];

    switch (r->code) {
    case REASON_ASIDE:
        add_text(t, "%s", t->domain->aside);
        break;
    case REASON_NEW:
        add_text(t, "it is new: seen for %.1f s, has to be %.0f s", s, least_s);
        break;
    case REASON_DEVICE_MODEL:
        add_text(t, "its device model %.60s stays where it is, and they go together",
                 name_of(r->other, name));
        break;
    case REASON_GOES_ALONG:
        add_text(t, "it goes with %.60s, whose device model it is", name_of(r->other, name));
        break;
    case REASON_UNDONE:
        add_text(t, "the move is undone: ");
        say_verdict(t, &decision->verdict);
        break;
    case REASON_STAYS:
        add_text(t, "it was moved %.1f s ago and stays for %.0f s at least", s, least_s);
        break;
    case REASON_JUDGED:
        add_text(t, "it was moved %.1f s ago, and the daemon still judges this move", s);
        break;
    case REASON_NOTHING:
        add_text(t, "for %.0f s there was no reason for it to be there", s);
        break;
    case REASON_NOTHING_NOW:
        add_text(t, "it was moved, and had a reason to be there %.1f s ago", s);
        break;
    default:
        add_text(t, "%s", plain[r->code]);
        break;
    }
}

void reason_text(const struct decision *decision, const struct domain *d,
                 const struct topology *topology, char text[REASON_TEXT])
{
    struct text t = begin_text(text, topology, d);
    const struct reason *r = &decision->reason;

    if (r->code == REASON_OPINION) {
        say_opinion(&t, &decision->opinion);
        if (r->prefers)
            say_preference(&t, r);
    } else if (r->code == REASON_LACK) {
        say_lack(&t, &decision->opinion);
    } else if (r->code > REASON_LACK) {
        say_grounds(&t, &decision->opinion, decision->opinion.fact);
        say_objection(&t, r);
    } else if (r->code != REASON_NONE) {
        say_constraint(&t, decision);
    }
    if (decision->put_off)
        add_text(&t, "; not yet: there were %u moves in the last minute, which is the most "
                 "(max_moves)", decision->put_off);
}

void verdict_text(const struct verdict *verdict, char text[REASON_TEXT])
{
    struct text t = begin_text(text, NULL, NULL);

    say_verdict(&t, verdict);
}

static const char *const plain_pulls[] = {
    [PULL_FOR_NOTHING] = "",
    [PULL_TO_BE_SOFT] = "its affinity is to be soft",
    [PULL_FILLED_UP] = "its place has filled up",
    [PULL_WITHOUT_REASON] = "there is no reason for it to be there currently",
    [PULL_ROOM_AGAIN] = "there is room again",
};

void pull_text(const struct pull_reason *r, char text[REASON_TEXT])
{
    const double worth = r->worth_ns / NS_PER_MS, hard = r->hard_ns / NS_PER_MS;
    struct text t = begin_text(text, NULL, NULL);

    if (r->code == PULL_COSTS_MORE)
        add_text(&t, "a hard affinity costs %.2f ms/s in waiting, and its place is worth %.2f ms/s",
                 hard, worth);
    else if (r->code == PULL_ABSENT)
        add_text(&t, "only %.0f %% of its time it is at its place, where there is room",
                 100 * r->share);
    else if (r->code != PULL_IGNORED)
        add_text(&t, "%s", plain_pulls[r->code]);
    else
        add_text(&t, "the soft affinity alone has no effect (%.0f %% of its time at its place), "
                 "and there is room", 100 * r->share);
    if (r->code == PULL_IGNORED && worth > 0)
        add_text(&t, "; elsewhere it loses %.2f ms/s, a hard affinity costs %.2f ms/s in waiting",
                 r->lost_ns / NS_PER_MS, hard);
}
