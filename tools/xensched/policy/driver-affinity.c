/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * driver-affinity.c - a guest that talks mostly to a driver domain runs best
 * near it: their shared pages stay in one cache and one node's memory, and a
 * notification doesn't cross the interconnect.
 *
 * Rules, each of which comes from somebody who was hurt by its absence:
 *
 *   - Driver domains themselves are never moved, nor is a domain whose
 *     affinity an operator set, nor one that is new or just talks little.
 *   - The place is where the majority of the driver domain's vCPUs are bound
 *     to, or run.  No majority, no move.
 *   - Only pCPUs of the guest's own cpupool, and only if they have at least as
 *     many cores (not threads) as the guest has vCPUs.
 *   - Several runs in a row have to come to the same result, and a domain that
 *     was moved stays for a while.  To be moved it takes more than to stay:
 *     STAY_FRACTION of share and rate is enough to keep a place, so load that
 *     goes up and down around a threshold moves nothing to and fro.
 *   - What has had no reason for long is given back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/memory.h"
#include "policy.h"
#include "talk.h"

/* Of the thresholds for a move, this much is enough to stay. */
#define STAY_FRACTION 0.5

/* Room for what describe_talk() says. */
#define TALK_TEXT 200

/* What is remembered of a domain from run to run. */
struct memory {
    uint32_t domid;
    uint64_t since_ns;         /* of the domain; another one: another domain */
    unsigned int wanted;       /* place which the last runs wanted */
    unsigned int agreed;       /* so many of them, in a row */
    bool moved;
    uint64_t moved_ns;         /* when it was seen at the place we chose */
    struct cpumap moved_to;    /* no map unless moved */
    uint64_t reason_ns;        /* when there was last a reason to be there */
};

struct driver_affinity {
    struct policy_settings settings;
    unsigned int nr;
    struct memory *domains; /* sorted by domid */
};

/* One domain in one run. */
struct view {
    const struct policy_settings *settings;
    const struct policy_input *input;
    const struct domain *domain;
    const struct talk *talk;
    struct memory *memory;
    struct decision *decision;
};

static double share_of(const struct talk *talk)
{
    return talk->total > 0 ? talk->rate / talk->total : 0;
}

static bool talks_enough(const struct view *v, double fraction)
{
    return v->talk->driver &&
           v->talk->rate >= v->settings->min_rate * fraction &&
           share_of(v->talk) >= v->settings->share * fraction;
}

/* Where a vCPU of a driver domain is to be found. */
static unsigned int place_of_vcpu(const struct topology *t,
                                  const struct domain *d,
                                  const struct domain_vcpu *vcpu)
{
    unsigned int place;
    struct cpumap cpus;

    cpumap_init_copy(&cpus, &vcpu->hard);
    cpumap_and(&cpus, &d->pool_cpus);
    place = topology_place_of_all(t, &cpus);
    if (place == TOPOLOGY_UNKNOWN) {
        cpumap_and(&cpus, &vcpu->soft);
        place = topology_place_of_all(t, &cpus);
    }
    cpumap_free(&cpus);

    return place != TOPOLOGY_UNKNOWN ? place
                                     : topology_place_of(t, vcpu->cpu);
}

struct whereabouts {
    unsigned int place; /* TOPOLOGY_UNKNOWN: no majority */
    unsigned int there; /* vCPUs */
    unsigned int online;
};

static struct whereabouts find_driver(const struct topology *t,
                                      const struct domain *d)
{
    struct whereabouts w = { .place = TOPOLOGY_UNKNOWN };
    unsigned int *votes = need_memory(t->nr_places, sizeof(*votes));
    unsigned int i;

    for (i = 0; i < d->nr_vcpus; i++) {
        unsigned int place;

        if (!d->vcpus[i].online)
            continue;
        w.online++;
        place = place_of_vcpu(t, d, &d->vcpus[i]);
        if (place != TOPOLOGY_UNKNOWN)
            votes[place]++;
    }
    for (i = 0; i < t->nr_places; i++)
        if (2 * votes[i] > w.online) {
            w.place = i;
            w.there = votes[i];
        }
    free(votes);

    return w;
}

/* The pCPUs of @place which the domain may use.  To be freed. */
static void usable_cpus(const struct view *v, unsigned int place,
                        struct cpumap *cpus)
{
    cpumap_init_copy(cpus, &v->input->topology->places[place].cpus);
    cpumap_and(cpus, &v->domain->pool_cpus);
}

static void forget_wish(struct memory *memory)
{
    memory->wanted = TOPOLOGY_UNKNOWN;
    memory->agreed = 0;
}

/* Is this the domain's to decide about at all?  If not, says why. */
static bool eligible(const struct view *v)
{
    const struct domain *d = v->domain;
    uint64_t age = v->input->now_ns - d->since_ns;

    if (d->driver)
        decide(v->decision, LEAVE, "a driver domain is never moved");
    else if (d->affinity == AFFINITY_OPERATOR)
        decide(v->decision, LEAVE, "its affinity was set by an operator");
    else if (v->input->topology->nr_places < 2)
        decide(v->decision, LEAVE, "all pCPUs of this host are in one place");
    else if (cpumap_empty(&d->pool_cpus))
        decide(v->decision, LEAVE, "it is in no cpupool");
    else if (d->affinity == AFFINITY_DEFAULT && age < v->settings->settle_ns)
        decide(v->decision, LEAVE, "it is new: seen for %.1f s, has to be "
               "%.0f s", age / 1e9, v->settings->settle_ns / 1e9);
    else
        return true;

    return false;
}

static const char *name_of(const struct domain *d, char text[DOMAIN_NAME_TEXT])
{
    if (d->name[0])
        return d->name;
    snprintf(text, DOMAIN_NAME_TEXT, "domain %u", d->domid);

    return text;
}

/* "92 % of its 1840 interactions/s are with driver domain Domain-0" */
static void describe_talk(const struct view *v, char text[TALK_TEXT])
{
    char name[DOMAIN_NAME_TEXT];

    snprintf(text, TALK_TEXT, "%.0f %% of its %.0f interactions/s are with "
             "driver domain %s", 100 * share_of(v->talk), v->talk->total,
             name_of(v->talk->driver, name));
}

/*
 * The place where it should be; or TOPOLOGY_UNKNOWN, and the decision says why
 * it is to be left alone.
 */
static unsigned int wanted_place(const struct view *v,
                                 struct whereabouts *where)
{
    const struct topology *t = v->input->topology;
    char talk[TALK_TEXT], name[DOMAIN_NAME_TEXT];
    struct cpumap cpus;
    unsigned int cores;

    if (!v->talk->driver || v->talk->total < v->settings->min_rate) {
        decide(v->decision, LEAVE, "it talks little: %.0f interactions/s, "
               "%.0f are needed", v->talk->total, v->settings->min_rate);
        return TOPOLOGY_UNKNOWN;
    }
    describe_talk(v, talk);
    if (!talks_enough(v, 1)) {
        decide(v->decision, LEAVE, "%s; %.0f %% and %.0f/s are needed", talk,
               100 * v->settings->share, v->settings->min_rate);
        return TOPOLOGY_UNKNOWN;
    }
    *where = find_driver(t, v->talk->driver);
    if (where->place == TOPOLOGY_UNKNOWN) {
        decide(v->decision, LEAVE, "%s, but the vCPUs of %s are spread: no "
               "%s has most of them", talk, name_of(v->talk->driver, name),
               t->places[0].kind);
        return TOPOLOGY_UNKNOWN;
    }
    usable_cpus(v, where->place, &cpus);
    cores = topology_cores(t, &cpus);
    cpumap_free(&cpus);
    if (cores < domain_online_vcpus(v->domain)) {
        decide(v->decision, LEAVE, "%s, but of %s %u only %u cores are in its "
               "cpupool, and it has %u vCPUs", talk,
               t->places[where->place].kind, t->places[where->place].id,
               cores, domain_online_vcpus(v->domain));
        return TOPOLOGY_UNKNOWN;
    }

    return where->place;
}

/* Do several runs in a row want the same? */
static bool confirmed(const struct view *v, unsigned int place)
{
    struct memory *m = v->memory;

    if (m->wanted != place) {
        m->wanted = place;
        m->agreed = 0;
    }
    if (m->agreed < v->settings->confirm)
        m->agreed++;

    return m->agreed == v->settings->confirm;
}

/* Was it put there by whoever made it? */
static bool is_there(const struct view *v, const struct topology_place *place)
{
    const struct domain *d = v->domain;
    unsigned int i;

    for (i = 0; i < d->nr_vcpus; i++)
        if (!cpumap_subset(&d->vcpus[i].soft, &place->cpus))
            return false;

    return true;
}

/* The same, and where that is: "..., whose vCPUs are on pCPUs 0-1 (node 0)" */
static void describe_place(const struct view *v, const struct whereabouts *w,
                           char text[REASON_TEXT])
{
    const struct topology_place *place =
        &v->input->topology->places[w->place];
    char talk[TALK_TEXT], most[64] = "whose vCPUs";
    char cpus[CPUMAP_TEXT];

    describe_talk(v, talk);
    cpumap_format(&place->cpus, cpus, sizeof(cpus));
    if (w->there < w->online)
        snprintf(most, sizeof(most), "most of whose vCPUs (%u of %u)",
                 w->there, w->online);
    snprintf(text, REASON_TEXT, "%s, %s are on pCPUs %.100s (%s %u)", talk,
             most, cpus, place->kind, place->id);
}

static void move(const struct view *v, const struct whereabouts *where)
{
    const struct topology_place *place =
        &v->input->topology->places[where->place];
    char talk[TALK_TEXT], reason[REASON_TEXT];

    describe_talk(v, talk);
    if (is_there(v, place)) {
        forget_wish(v->memory);
        decide(v->decision, LEAVE, "%s, and it prefers %s %u already", talk,
               place->kind, place->id);
        return;
    }
    if (!confirmed(v, where->place)) {
        decide(v->decision, v->memory->moved ? KEEP : LEAVE,
               "%s; wait for a confirmation (%u of %u)", talk,
               v->memory->agreed, v->settings->confirm);
        return;
    }
    describe_place(v, where, reason);
    decide(v->decision, MOVE, "%s", reason);
    usable_cpus(v, where->place, &v->decision->soft);
}

/* A domain which is where Xen puts it. */
static void decide_default(const struct view *v)
{
    struct whereabouts where;

    if (wanted_place(v, &where) == TOPOLOGY_UNKNOWN)
        forget_wish(v->memory);
    else
        move(v, &where);
}

static bool has_still_reason(const struct view *v, unsigned int place,
                             struct whereabouts *where)
{
    if (!talks_enough(v, STAY_FRACTION))
        return false;
    *where = find_driver(v->input->topology, v->talk->driver);

    return where->place == place && place != TOPOLOGY_UNKNOWN;
}

/* A domain which is where it was moved. */
static void decide_ours(const struct view *v)
{
    struct memory *m = v->memory;
    uint64_t now = v->input->now_ns, stayed = now - m->moved_ns;
    unsigned int at = topology_place_of_all(v->input->topology,
                                            &v->domain->ours);
    struct whereabouts where;
    unsigned int wanted;
    char reason[REASON_TEXT];

    if (has_still_reason(v, at, &where)) {
        m->reason_ns = now;
        forget_wish(m);
        describe_place(v, &where, reason);
        decide(v->decision, KEEP, "%s", reason);
        return;
    }
    wanted = wanted_place(v, &where);
    if (wanted != TOPOLOGY_UNKNOWN && wanted != at) {
        if (stayed >= v->settings->stay_ns)
            move(v, &where);
        else
            decide(v->decision, KEEP, "it was moved %.1f s ago and stays for "
                   "%.0f s at least", stayed / 1e9,
                   v->settings->stay_ns / 1e9);
        return;
    }
    forget_wish(m);
    if (now - m->reason_ns >= v->settings->quiet_ns)
        decide(v->decision, GIVE_BACK, "for %.0f s there was no reason for it "
               "to be there", (now - m->reason_ns) / 1e9);
    else
        decide(v->decision, KEEP, "it was moved, and had a reason to be there "
               "%.1f s ago", (now - m->reason_ns) / 1e9);
}

/* Notice that somebody carried out what was decided. */
static void follow(struct memory *m, const struct domain *d, uint64_t now_ns)
{
    bool ours = d->affinity == AFFINITY_OURS;

    if (ours && m->moved && cpumap_equal(&m->moved_to, &d->ours))
        return;
    cpumap_free(&m->moved_to);
    m->moved = ours;
    if (!ours)
        return;
    cpumap_init_copy(&m->moved_to, &d->ours);
    m->moved_ns = m->reason_ns = now_ns;
    forget_wish(m);
}

static void decide_domain(const struct view *v)
{
    v->decision->partner = v->talk->driver;
    v->decision->rate = v->talk->rate;
    v->decision->share = share_of(v->talk);

    follow(v->memory, v->domain, v->input->now_ns);
    if (!eligible(v))
        forget_wish(v->memory);
    else if (v->domain->affinity == AFFINITY_OURS)
        decide_ours(v);
    else
        decide_default(v);
}

static bool same_domain(const struct memory *m, const struct domain *d)
{
    return m->domid == d->domid && m->since_ns == d->since_ns;
}

/* Take over what is known of domains that are still there. */
static void remember(struct driver_affinity *p, const struct domains *domains)
{
    struct memory *now = need_memory(domains->nr, sizeof(*now));
    unsigned int i, k = 0;

    for (i = 0; i < domains->nr; i++) {
        const struct domain *d = &domains->domain[i];

        while (k < p->nr && p->domains[k].domid < d->domid)
            cpumap_free(&p->domains[k++].moved_to);
        if (k < p->nr && same_domain(&p->domains[k], d)) {
            now[i] = p->domains[k++];
            continue;
        }
        now[i].domid = d->domid;
        now[i].since_ns = d->since_ns;
        forget_wish(&now[i]);
    }
    while (k < p->nr)
        cpumap_free(&p->domains[k++].moved_to);
    free(p->domains);
    p->domains = now;
    p->nr = domains->nr;
}

static void run(void *memory, const struct policy_input *input,
                struct plan *plan)
{
    struct driver_affinity *p = memory;
    struct talk *talk = talk_with_drivers(input);
    unsigned int i;

    remember(p, input->domains);
    for (i = 0; i < plan->nr; i++) {
        struct view v = {
            .settings = &p->settings,
            .input = input,
            .domain = &input->domains->domain[i],
            .talk = &talk[i],
            .memory = &p->domains[i],
            .decision = &plan->decisions[i],
        };

        decide_domain(&v);
    }
    free(talk);
}

static void *create(const struct policy_settings *settings)
{
    struct driver_affinity *p = need_memory(1, sizeof(*p));

    p->settings = *settings;

    return p;
}

static void destroy(void *memory)
{
    struct driver_affinity *p = memory;
    unsigned int i;

    for (i = 0; i < p->nr; i++)
        cpumap_free(&p->domains[i].moved_to);
    free(p->domains);
    free(p);
}

const struct policy policy_driver_affinity = {
    .name = "driver-affinity",
    .create = create,
    .run = run,
    .destroy = destroy,
};
