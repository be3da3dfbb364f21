/* SPDX-License-Identifier: GPL-2.0-only */
/* Computes at which node or socket domains spend their time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>

#include "home.h"
#include "base/alloc.h"

/* A domain that ran for less time, in ns, has no home. */
#define LEAST_NS 1e6

/* The running times of a domain so far. */
struct dweller {
    uint32_t domid;
    uint64_t since_ns; /* of the domain; if it differs, it is another domain */
    uint64_t first_ns, at_ns;
    double *ran;       /* [place]: decayed to at_ns */
    uint64_t *total;   /* [place]: the matrix's total at at_ns */
};

struct homes {
    unsigned int nr_places;
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

/* Updates the places, because pCPUs may have come or gone. */
static void set_places(struct homes *h, const struct topology *t)
{
    if (h->nr_places == t->nr_places)
        return;
    forget_all(h);
    h->nr_places = t->nr_places;
}

static void begin_dweller(const struct homes *h, struct dweller *dweller,
                          const struct domain *d, uint64_t now_ns)
{
    dweller->domid = d->domid;
    dweller->since_ns = d->since_ns;
    dweller->first_ns = dweller->at_ns = now_ns;
    dweller->ran = need_memory(h->nr_places, sizeof(*dweller->ran));
    dweller->total = need_memory(h->nr_places, sizeof(*dweller->total));
}

/* Keeps the running times of domains that still exist. */
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

/* The total time that each accounting domain has run, by place. */
struct totals {
    const struct homes *homes;
    const struct topology *topology;
    unsigned int nr_acct;
    uint64_t *ns; /* [acct * places + place] */
};

static void add_total(uint16_t acct, uint32_t cpu, uint64_t ns, void *arg)
{
    struct totals *all = arg;
    unsigned int place;

    if (acct >= all->nr_acct)
        return;
    place = topology_place_of(all->topology, cpu);
    if (place != TOPOLOGY_UNKNOWN)
        all->ns[(size_t)acct * all->homes->nr_places + place] += ns;
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
    all->ns = need_memory((size_t)all->nr_acct * h->nr_places,
                          sizeof(*all->ns));
    matrix_visit_service(m, add_total, all);
}

/* A total that is less than before was reset. */
static void run_on(const struct homes *h, struct dweller *dweller,
                   const uint64_t *total, uint64_t now_ns)
{
    double left = exp2(-(double)(now_ns - dweller->at_ns) /
                       HOMES_HALF_LIFE_NS);
    unsigned int place;

    for (place = 0; place < h->nr_places; place++) {
        uint64_t before = dweller->total[place];

        if (total[place] < before)
            before = 0;
        if (now_ns > dweller->first_ns)
            dweller->ran[place] = dweller->ran[place] * left +
                                  (total[place] - before);
        dweller->total[place] = total[place];
    }
    dweller->at_ns = now_ns;
}

void homes_update(struct homes *h, const struct matrix *m,
                  const struct topology *t, const struct domains *domains,
                  uint64_t now_ns)
{
    struct totals all;
    unsigned int i;

    set_places(h, t);
    follow_domains(h, domains, now_ns);
    take_totals(&all, h, m, t, domains);
    for (i = 0; i < domains->nr; i++)
        if (domains->domain[i].acct >= XEN_SCHEDLOG_ACCT_FIRST)
            run_on(h, &h->dwellers[i],
                   &all.ns[(size_t)domains->domain[i].acct * h->nr_places],
                   now_ns);
    free(all.ns);
}

struct home homes_place(const struct homes *h, unsigned int i)
{
    const struct dweller *dweller = &h->dwellers[i];
    struct home home = { TOPOLOGY_UNKNOWN, -1 };
    unsigned int place, at = 0;
    double sum = 0;

    for (place = 0; place < h->nr_places; place++) {
        sum += dweller->ran[place];
        if (dweller->ran[place] > dweller->ran[at])
            at = place;
    }
    if (dweller->at_ns - dweller->first_ns < HOMES_SEEN_NS || sum < LEAST_NS)
        return home;

    return (struct home){ at, dweller->ran[at] / sum };
}
