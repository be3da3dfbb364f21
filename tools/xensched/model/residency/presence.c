/* SPDX-License-Identifier: GPL-2.0-only */
/* Computes where a domain ran, and which crossings that caused, from the matrix. */
#include <math.h>
#include <stdlib.h>

#include <xensched/abi.h>

#include "base/alloc.h"
#include "presence.h"
#include "servers.h"

/* Below this, in pCPUs, the share comes from a few old rows only. */
#define LEAST_USE 1e-5

bool presence_known(const struct domain *d)
{
    return d->acct >= XEN_SCHEDLOG_ACCT_FIRST;
}

double presence_use(const struct matrix *m, const struct domain *d,
                    const struct cpumap *cpus, uint64_t now_ns)
{
    double use = 0;
    unsigned int cpu;

    if (!presence_known(d))
        return 0;
    for (cpu = 0; cpu < cpus->nr_cpus; cpu++)
        if (cpumap_test(cpus, cpu))
            use += matrix_service_on(m, d->acct, cpu, now_ns);

    return use;
}

static double use_of_all(const struct matrix *m, const struct domain *d,
                         uint64_t now_ns)
{
    return presence_known(d) ? matrix_service(m, d->acct, now_ns) : 0;
}

double presence_share(const struct matrix *m, const struct domain *d,
                      const struct cpumap *cpus, uint64_t now_ns)
{
    double all = use_of_all(m, d, now_ns), share;

    if (all < LEAST_USE)
        return -1;
    share = presence_use(m, d, cpus, now_ns) / all;

    return share < 1 ? share : 1;
}

uint64_t presence_total(const struct matrix *m, const struct domain *d,
                        const struct cpumap *cpus)
{
    uint64_t total = 0;
    unsigned int cpu;

    if (!presence_known(d))
        return 0;
    for (cpu = 0; cpu < cpus->nr_cpus; cpu++)
        if (cpumap_test(cpus, cpu))
            total += matrix_service_total(m, d->acct, cpu);

    return total;
}

struct running {
    const struct topology *topology;
    unsigned int nr_acct;
    unsigned int *of; /* domains_by_acct() */
    double *share;    /* [domain][cache]: pCPUs */
};

static void add_running(uint16_t current, uint32_t cpu, double pcpus, void *arg)
{
    const struct running *r = arg;
    unsigned int cache = topology_cache_of(r->topology, cpu);

    if (current < r->nr_acct && r->of[current] && cache != TOPOLOGY_UNKNOWN)
        r->share[(r->of[current] - 1) * r->topology->nr_caches + cache] += pcpus;
}

double *presence_by_cache(const struct matrix *m, const struct topology *t,
                          const struct domains *domains, uint64_t now_ns)
{
    struct running r = {
        .topology = t,
        .share = need_memory((size_t)domains->nr * t->nr_caches, sizeof(*r.share)),
    };
    unsigned int i, k;

    r.of = domains_by_acct(domains, &r.nr_acct);
    matrix_visit_running(m, now_ns, add_running, &r);
    for (i = 0; i < domains->nr; i++) {
        double all = use_of_all(m, &domains->domain[i], now_ns);
        double *share = &r.share[(size_t)i * t->nr_caches];

        for (k = 0; k < t->nr_caches; k++)
            share[k] = all < LEAST_USE ? -1 : fmin(share[k] / all, 1);
    }
    free(r.of);

    return r.share;
}

double *presence_by_place(const struct topology *t, const double *by_cache, unsigned int nr)
{
    double *by_place = need_memory((size_t)nr * t->nr_places, sizeof(*by_place));
    unsigned int i, k;

    for (i = 0; i < nr; i++)
        for (k = 0; k < t->nr_caches; k++) {
            double *place = &by_place[(size_t)i * t->nr_places + t->caches[k].within];
            double ran = by_cache[(size_t)i * t->nr_caches + k];

            *place = ran < 0 ? -1 : fmin(*place + ran, 1);
        }

    return by_place;
}

/*
 * The part of @d's communication with @other that it does on @cpus; -1: unknown.  @ran: see
 * presence_together().
 */
static double share_with(const struct matrix *m, const struct domain *d,
                         const struct domain *other, const struct cpumap *cpus,
                         const double *ran, uint64_t now_ns)
{
    double part = servers_part_on(d, other->domid, cpus);

    return part >= 0 ? part : ran ? *ran : presence_share(m, d, cpus, now_ns);
}

double presence_together(const struct matrix *m, const struct topology *t,
                         const struct domain *a, const struct domain *b,
                         const double *ran_a, const double *ran_b, uint64_t now_ns)
{
    double sum = 0;
    unsigned int i;

    for (i = 0; i < t->nr_places; i++) {
        const struct cpumap *cpus = &t->places[i].cpus;
        double at_a = share_with(m, a, b, cpus, ran_a ? &ran_a[i] : NULL, now_ns);
        double at_b = share_with(m, b, a, cpus, ran_b ? &ran_b[i] : NULL, now_ns);

        if (at_a < 0 || at_b < 0)
            return -1;
        sum += at_a * at_b;
    }

    return sum < 1 ? sum : 1;
}

static double notifications_between(const struct matrix *m, const struct domain *a,
                                    const struct domain *b, uint64_t now_ns)
{
    return matrix_rate(m, XEN_SCHEDLOG_EV_EVTCHN_SEND, a->acct, b->acct,
                       now_ns) +
           matrix_rate(m, XEN_SCHEDLOG_EV_EVTCHN_SEND, b->acct, a->acct,
                       now_ns);
}

double presence_crossings(const struct matrix *m, const struct topology *t,
                          const struct domain *a, const struct domain *b,
                          uint64_t now_ns)
{
    double rate, near;

    if (!presence_known(a) || !presence_known(b))
        return -1;
    rate = notifications_between(m, a, b, now_ns);
    if (rate == 0)
        return 0;
    near = presence_together(m, t, a, b, NULL, NULL, now_ns);

    return near < 0 ? -1 : rate * (1 - near);
}

struct exchanging {
    const struct matrix *matrix;
    const struct topology *topology;
    const struct domains *domains;
    uint64_t now_ns;
    unsigned int nr_acct;
    unsigned int *of; /* domains_by_acct() */
    double *ran;      /* [domain][place] */
    struct domain_exchange *of_domain;
};

static unsigned int number_of(const struct exchanging *s, uint16_t acct)
{
    return acct < s->nr_acct ? s->of[acct] : 0;
}

static void add_exchange(struct domain_exchange *sum, double rate, double near)
{
    sum->notifications += rate;
    if (near >= 0)
        sum->crossings += rate * (1 - near);
}

static void add_sent(const struct matrix_entry *entry, void *arg)
{
    const struct exchanging *s = arg;
    const unsigned int nr = s->topology->nr_places;
    unsigned int a = number_of(s, entry->current), b = number_of(s, entry->correspondent);
    double near;

    if (entry->event != XEN_SCHEDLOG_EV_EVTCHN_SEND || !a-- || !b--)
        return;
    near = presence_together(s->matrix, s->topology, &s->domains->domain[a],
                             &s->domains->domain[b], &s->ran[(size_t)a * nr],
                             &s->ran[(size_t)b * nr], s->now_ns);
    add_exchange(&s->of_domain[a], entry->rate, near);
    add_exchange(&s->of_domain[b], entry->rate, near);
}

struct domain_exchange *presence_exchanges(const struct matrix *m, const struct topology *t,
                                           const struct domains *domains, uint64_t now_ns)
{
    double *by_cache = presence_by_cache(m, t, domains, now_ns);
    struct exchanging s = {
        .matrix = m, .topology = t, .domains = domains, .now_ns = now_ns,
        .ran = presence_by_place(t, by_cache, domains->nr),
        .of_domain = need_memory(domains->nr, sizeof(*s.of_domain)),
    };
    unsigned int i;

    s.of = domains_by_acct(domains, &s.nr_acct);
    matrix_visit(m, now_ns, add_sent, &s);
    for (i = 0; i < domains->nr; i++)
        if (use_of_all(m, &domains->domain[i], now_ns) < LEAST_USE)
            s.of_domain[i].crossings = -1;
    free(s.of);
    free(s.ran);
    free(by_cache);

    return s.of_domain;
}

double presence_apart(const struct matrix *m, const struct topology *t,
                      const struct domains *domains, const struct domain *a,
                      uint64_t now_ns)
{
    double all = 0, apart = 0;
    unsigned int i;

    for (i = 0; i < domains->nr; i++) {
        const struct domain *b = &domains->domain[i];
        double crossings = b->driver && b != a
                           ? presence_crossings(m, t, a, b, now_ns) : -1;

        if (crossings < 0)
            continue;
        apart += crossings;
        all += notifications_between(m, a, b, now_ns);
    }

    return all > 0 ? apart / all : -1;
}
