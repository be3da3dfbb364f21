/* SPDX-License-Identifier: GPL-2.0-only */
/* Computes at which node, socket and cache domains spend their time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>

#include "home.h"
#include "base/alloc.h"

/* In nanoseconds.  A domain that ran less than that was hardly there. */
#define LEAST_NS 1e6

/* What is remembered of a domain; parts are places, and then caches. */
struct dweller {
    uint32_t domid;
    uint64_t since_ns; /* of the domain; another one: another domain */
    uint64_t first_ns, at_ns;
    double *ran;       /* [part]: decayed, as of at_ns */
    uint64_t *total;   /* [part]: what the matrix had then */
};

struct homes {
    unsigned int nr_places, nr_parts;
    unsigned int nr;
    struct dweller *dwellers; /* in the order of the domains */
};

struct homes *homes_new(void)
{
    return need_memory(1, sizeof(struct homes));
}

static void free_dweller(struct dweller *dweller)
{
    free(dweller->ran);
    free(dweller->total);
}

static void forget_all(struct homes *h)
{
    unsigned int i;

    for (i = 0; i < h->nr; i++)
        free_dweller(&h->dwellers[i]);
    free(h->dwellers);
    h->dwellers = NULL;
    h->nr = 0;
}

void homes_free(struct homes *h)
{
    forget_all(h);
    free(h);
}

/* pCPUs may have come or gone, and places with them. */
static void set_parts(struct homes *h, const struct topology *t)
{
    unsigned int nr_parts = t->nr_places + t->nr_caches;

    if (h->nr_places == t->nr_places && h->nr_parts == nr_parts)
        return;
    forget_all(h);
    h->nr_places = t->nr_places;
    h->nr_parts = nr_parts;
}

static void begin_dweller(const struct homes *h, struct dweller *dweller,
                          const struct domain *d, uint64_t now_ns)
{
    dweller->domid = d->domid;
    dweller->since_ns = d->since_ns;
    dweller->first_ns = dweller->at_ns = now_ns;
    dweller->ran = need_memory(h->nr_parts, sizeof(*dweller->ran));
    dweller->total = need_memory(h->nr_parts, sizeof(*dweller->total));
}

/* Take over those that are still there. */
static void follow_domains(struct homes *h, const struct domains *domains,
                           uint64_t now_ns)
{
    struct dweller *now = need_memory(domains->nr, sizeof(*now));
    unsigned int i, k = 0;

    for (i = 0; i < domains->nr; i++) {
        const struct domain *d = &domains->domain[i];

        while (k < h->nr && h->dwellers[k].domid < d->domid)
            free_dweller(&h->dwellers[k++]);
        if (k < h->nr && h->dwellers[k].domid == d->domid &&
            h->dwellers[k].since_ns == d->since_ns)
            now[i] = h->dwellers[k++];
        else
            begin_dweller(h, &now[i], d, now_ns);
    }
    while (k < h->nr)
        free_dweller(&h->dwellers[k++]);
    free(h->dwellers);
    h->dwellers = now;
    h->nr = domains->nr;
}

/* What each accounting domain ever ran, by part. */
struct totals {
    const struct homes *homes;
    const struct topology *topology;
    unsigned int nr_acct;
    uint64_t *ns; /* [acct * parts + part] */
};

static void add_total(uint16_t acct, uint32_t cpu, uint64_t ns, void *arg)
{
    struct totals *all = arg;
    unsigned int place, cache;
    uint64_t *of;

    if (acct >= all->nr_acct)
        return;
    of = &all->ns[(size_t)acct * all->homes->nr_parts];
    place = topology_place_of(all->topology, cpu);
    cache = topology_cache_of(all->topology, cpu);
    if (place != TOPOLOGY_UNKNOWN)
        of[place] += ns;
    if (cache != TOPOLOGY_UNKNOWN)
        of[all->homes->nr_places + cache] += ns;
}

static void take_totals(struct totals *all, const struct homes *h,
                        const struct matrix *m, const struct topology *t,
                        const struct domains *domains)
{
    unsigned int i;

    *all = (struct totals){ .homes = h, .topology = t };
    for (i = 0; i < domains->nr; i++)
        if (domains->domain[i].acct >= all->nr_acct)
            all->nr_acct = domains->domain[i].acct + 1U;
    all->ns = need_memory((size_t)all->nr_acct * h->nr_parts,
                          sizeof(*all->ns));
    matrix_visit_service(m, add_total, all);
}

/* A total that became less was reset. */
static void run_on(const struct homes *h, struct dweller *dweller,
                   const uint64_t *total, uint64_t now_ns)
{
    double left = exp2(-(double)(now_ns - dweller->at_ns) /
                       HOMES_HALF_LIFE_NS);
    unsigned int part;

    for (part = 0; part < h->nr_parts; part++) {
        uint64_t before = dweller->total[part];

        if (total[part] < before)
            before = 0;
        if (now_ns > dweller->first_ns)
            dweller->ran[part] = dweller->ran[part] * left +
                                 (total[part] - before);
        dweller->total[part] = total[part];
    }
    dweller->at_ns = now_ns;
}

void homes_update(struct homes *h, const struct matrix *m,
                  const struct topology *t, const struct domains *domains,
                  uint64_t now_ns)
{
    struct totals all;
    unsigned int i;

    set_parts(h, t);
    follow_domains(h, domains, now_ns);
    take_totals(&all, h, m, t, domains);
    for (i = 0; i < domains->nr; i++)
        if (domains->domain[i].acct >= XEN_SCHEDLOG_ACCT_FIRST)
            run_on(h, &h->dwellers[i],
                   &all.ns[(size_t)domains->domain[i].acct * h->nr_parts],
                   now_ns);
    free(all.ns);
}

/* Of the parts from @first on. */
static struct home most(const struct dweller *dweller, unsigned int first,
                        unsigned int nr)
{
    struct home home = { TOPOLOGY_UNKNOWN, -1 };
    unsigned int i, at = 0;
    double sum = 0;

    for (i = 0; i < nr; i++) {
        sum += dweller->ran[first + i];
        if (dweller->ran[first + i] > dweller->ran[first + at])
            at = i;
    }
    if (dweller->at_ns - dweller->first_ns < HOMES_SEEN_NS || sum < LEAST_NS)
        return home;

    return (struct home){ at, dweller->ran[first + at] / sum };
}

struct home homes_place(const struct homes *h, unsigned int i)
{
    return most(&h->dwellers[i], 0, h->nr_places);
}

struct home homes_cache(const struct homes *h, unsigned int i)
{
    return most(&h->dwellers[i], h->nr_places, h->nr_parts - h->nr_places);
}

double homes_share(const struct homes *h, unsigned int i, unsigned int place)
{
    const struct dweller *dweller = &h->dwellers[i];
    struct home home = homes_place(h, i);

    if (home.share <= 0)
        return -1;

    return dweller->ran[place] * home.share / dweller->ran[home.at];
}
