/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the counters of all pCPUs, not only of targets: in a pair that begins without placement the
 * targets are unknown before its second block.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "model/residency/presence.h"
#include "residence.h"

struct ran {
    uint32_t domid;
    uint64_t since_ns;
    unsigned int nr_cpus; /* 0: it is unknown where it ran */
    uint64_t *ns;         /* [nr_cpus] */
};

struct residence {
    unsigned int nr;
    struct ran *ran; /* sorted by domid */
};

static void take_one(struct ran *ran, const struct matrix *m,
                     const struct domain *d)
{
    unsigned int cpu;

    *ran = (struct ran){ .domid = d->domid, .since_ns = d->since_ns };
    if (!presence_known(d))
        return;
    ran->nr_cpus = d->pool_cpus.nr_cpus;
    ran->ns = need_memory(ran->nr_cpus, sizeof(*ran->ns));
    for (cpu = 0; cpu < ran->nr_cpus; cpu++)
        ran->ns[cpu] = matrix_service_total(m, d->acct, cpu);
}

struct residence *residence_take(const struct matrix *m,
                                 const struct domains *domains)
{
    struct residence *r = need_memory(1, sizeof(*r));
    unsigned int i;

    r->nr = domains->nr;
    r->ran = need_memory(r->nr, sizeof(*r->ran));
    for (i = 0; i < r->nr; i++)
        take_one(&r->ran[i], m, &domains->domain[i]);

    return r;
}

void residence_free(struct residence *r)
{
    unsigned int i;

    if (!r)
        return;
    for (i = 0; i < r->nr; i++)
        free(r->ran[i].ns);
    free(r->ran);
    free(r);
}

static int by_domid(const void *domid, const void *ran)
{
    uint32_t a = *(const uint32_t *)domid, b = ((const struct ran *)ran)->domid;

    return a < b ? -1 : a > b;
}

/* Returns NULL if it did not exist, or another domain had its domid. */
static const struct ran *find_ran(const struct residence *r,
                                  const struct domain *d)
{
    const struct ran *ran = r && r->nr ? bsearch(&d->domid, r->ran, r->nr,
                                                 sizeof(*ran), by_domid) : NULL;

    return ran && ran->since_ns == d->since_ns ? ran : NULL;
}

struct residence_time residence_between(const struct residence *before,
                                        const struct residence *after,
                                        const struct domain *d,
                                        const struct cpumap *target)
{
    const struct ran *then = find_ran(before, d), *now = find_ran(after, d);
    struct residence_time time = { 0 };
    unsigned int cpu;

    if (!then || !now || then->nr_cpus != now->nr_cpus)
        return time;
    for (cpu = 0; cpu < now->nr_cpus; cpu++) {
        double ns = now->ns[cpu] > then->ns[cpu] ? now->ns[cpu] - then->ns[cpu]
                                                 : 0;

        time.ran += ns;
        if (cpu < target->nr_cpus && cpumap_test(target, cpu))
            time.there += ns;
    }

    return time;
}

double residence_share(const struct residence_time *time)
{
    return time->ran > 0 ? time->there / time->ran : -1;
}
