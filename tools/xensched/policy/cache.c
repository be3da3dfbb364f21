/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Guests whose working sets do not fit into a cache take it away
 * from each other, and from all guests beside them, when they share one.  So
 * they are spread over the last-level caches, which are the places unless a
 * socket has several: where there are two more of them than elsewhere, the one
 * with least to lose goes; see spread.h.
 *
 * A guest is hungry by its cache misses per second, which the event pmc0
 * counts.  Without a PMU the event is not logged, and this policy is off.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>

#include "base/alloc.h"
#include "policy.h"
#include "spread.h"

/*
 * Misses per second from which on a guest is hungry: 64 bytes each, that is
 * 320 MB/s, and half of it to remain so.
 */
#define HUNGRY 5e6

/* So many more of them than elsewhere are too many. */
#define TOO_MANY 2

/* A guest that was hungry in the latest run. */
struct hungry_domain {
    uint32_t domid;
    uint64_t since_ns; /* of the domain */
};

struct cache {
    struct policy_settings settings;
    unsigned int nr;
    struct hungry_domain *hungry;
    struct spread spread;
};

/* One run. */
struct cache_run {
    struct cache *cache;
    const struct policy_input *input;
    struct spread_run run;
    double *misses;   /* [domain]: per second */
    bool *hungry;     /* [domain] */
    unsigned int *nr; /* [cache]: hungry ones */
};

static bool was_hungry(const struct cache *c, const struct domain *d)
{
    unsigned int i;

    for (i = 0; i < c->nr; i++)
        if (c->hungry[i].domid == d->domid &&
            c->hungry[i].since_ns == d->since_ns)
            return true;

    return false;
}

static void look(struct cache_run *v)
{
    const struct domains *domains = v->input->domains;
    struct hungry_domain *hungry = need_memory(domains->nr, sizeof(*hungry));
    struct cache *c = v->cache;
    unsigned int i, nr = 0;

    for (i = 0; i < domains->nr; i++) {
        const struct domain *d = &domains->domain[i];

        if (d->acct >= XEN_SCHEDLOG_ACCT_FIRST)
            v->misses[i] = matrix_use(v->input->matrix, XEN_SCHEDLOG_EV_PMC0,
                                      d->acct, v->input->now_ns) *
                           domains_part(domains, d);
        v->hungry[i] = v->misses[i] >= HUNGRY * (was_hungry(c, d)
                                                 ? POLICY_STAY_FRACTION : 1);
        if (!v->hungry[i])
            continue;
        hungry[nr++] = (struct hungry_domain){ d->domid, d->since_ns };
        if (v->run.at[i] != TOPOLOGY_UNKNOWN)
            v->nr[v->run.at[i]]++;
    }
    free(c->hungry);
    c->hungry = hungry;
    c->nr = nr;
}

/* Which guest is to go, and to where. */

static bool may_go(const void *policy, unsigned int i)
{
    const struct cache_run *v = policy;

    return v->hungry[i];
}

static bool fits(const void *policy, unsigned int i, unsigned int cache)
{
    const struct cache_run *v = policy;

    return v->nr[cache] + TOO_MANY <= v->nr[v->run.at[i]];
}

static double spare(const void *policy, unsigned int i, unsigned int cache)
{
    const struct cache_run *v = policy;

    (void)i;
    return -(double)v->nr[cache];
}

static double weight(const void *policy, unsigned int i)
{
    const struct cache_run *v = policy;

    return v->misses[i];
}

static const struct spread_rules rules = { may_go, fits, spare, weight };

/* Opinions. */

static const struct topology_place *cache(const struct cache_run *v, unsigned int i)
{
    return &v->input->topology->caches[i];
}

static void want(const struct cache_run *v, enum want want, unsigned int to,
                 struct opinion *o)
{
    o->want = want;
    o->place = cache(v, to)->within;
    o->cache = cache(v, to);
}

static void send(const struct cache_run *v, unsigned int i, unsigned int to,
                 struct opinion *o)
{
    unsigned int from = v->run.at[i];
    char cpus[CPUMAP_TEXT];

    cpumap_format(&cache(v, to)->cpus, cpus, sizeof(cpus));
    want(v, WANT_GO, to, o);
    policy_say(o->fact, "%u guests take the cache of %s %u away from each "
               "other; it has %.1f million misses/s, and least to lose there "
               "(%.0f interactions/s)", v->nr[from], cache(v, from)->kind,
               cache(v, from)->id, v->misses[i] / 1e6, v->run.near[i]);
    policy_say(o->where, "while there are %u such on pCPUs %.60s (%s %u)",
               v->nr[to], cpus, cache(v, to)->kind, cache(v, to)->id);
}

/* One that was moved stays while it would be one too many where it was. */
static void keep(const struct cache_run *v, unsigned int i,
                 const struct spread_moved *m, struct opinion *o)
{
    unsigned int there = v->nr[m->from], here = v->nr[m->to];

    if (!v->hungry[i] || here >= there + TOO_MANY) {
        policy_say(o->lacks, "it has %.1f million cache misses/s, and would "
                   "be one of %u such on %s %u, where it was",
                   v->misses[i] / 1e6, there + v->hungry[i],
                   cache(v, m->from)->kind, cache(v, m->from)->id);
        return;
    }
    want(v, WANT_STAY, m->to, o);
    policy_say(o->fact, "it has %.1f million cache misses/s, and on %s %u, "
               "where it was, there are %u such", v->misses[i] / 1e6,
               cache(v, m->from)->kind, cache(v, m->from)->id, there);
    policy_say(o->where, "while here there are %u", here);
}

static void think(const struct cache_run *v, unsigned int i, unsigned int to,
                  struct opinion *o)
{
    const struct spread_moved *m = spread_how(&v->run, i);

    if (m)
        keep(v, i, m, o);
    else if (to != TOPOLOGY_UNKNOWN)
        send(v, i, to, o);
    else if (!v->hungry[i])
        policy_say(o->lacks, "it has %.1f million cache misses/s, %.0f are "
                   "many", v->misses[i] / 1e6, HUNGRY / 1e6);
    else if (v->run.at[i] == TOPOLOGY_UNKNOWN)
        policy_say(o->lacks, "its vCPUs are spread");
    else
        policy_say(o->lacks, "it has %.1f million cache misses/s and is one "
                   "of %u such on %s %u, and has more to lose than others "
                   "(%.0f interactions/s), or there are hardly fewer elsewhere",
                   v->misses[i] / 1e6, v->nr[v->run.at[i]],
                   cache(v, v->run.at[i])->kind, cache(v, v->run.at[i])->id,
                   v->run.near[i]);
}

static void run(void *memory, const struct policy_input *input,
                struct opinion *opinions)
{
    unsigned int nr = input->domains->nr, i, chosen, to = 0;
    struct cache *c = memory;
    struct cache_run v = {
        .cache = c,
        .input = input,
        .misses = need_memory(nr, sizeof(double)),
        .hungry = need_memory(nr, sizeof(bool)),
        .nr = need_memory(input->topology->nr_caches, sizeof(unsigned int)),
    };

    spread_begin(&v.run, &c->spread, input, true, c->settings.min_rate);
    look(&v);
    chosen = spread_choose(&v.run, &rules, &v, &to);
    for (i = 0; i < nr; i++)
        if (input->standing[i].open)
            think(&v, i, i == chosen ? to : TOPOLOGY_UNKNOWN, &opinions[i]);
    spread_end(&v.run);
    free(v.misses);
    free(v.hungry);
    free(v.nr);
}

static void *create(const struct policy_settings *settings)
{
    struct cache *c = need_memory(1, sizeof(*c));

    c->settings = *settings;

    return c;
}

static void destroy(void *memory)
{
    struct cache *c = memory;

    spread_free(&c->spread);
    free(c->hungry);
    free(c);
}

const struct policy policy_cache = {
    .name = "cache",
    .events = 1U << XEN_SCHEDLOG_EV_PMC0,
    .create = create,
    .run = run,
    .destroy = destroy,
};
