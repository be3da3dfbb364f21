/* SPDX-License-Identifier: GPL-2.0-only */
/* Estimates how many pCPUs a domain demands. */
#include <math.h>
#include <string.h>

#include <xensched/abi.h>

#include "runnable.h"

#define NS_PER_S 1e9

static double smooth_value(double before, double now, double part)
{
    return before + (now - before) * part;
}

static void update_vcpu(struct domain_vcpu *vcpu,
                        const struct domain_vcpu *before, double half_life)
{
    const struct vcpu_times *now = &vcpu->times, *then = &before->times;
    double ns, part, ran, waited;

    vcpu->use = before->use;
    if (!now->known || !then->known || now->all_ns <= then->all_ns) {
        vcpu->use.known = now->known && before->use.known;
        return;
    }
    ns = now->all_ns - then->all_ns;
    ran = fmin(1, (now->ran_ns - then->ran_ns) / ns);
    waited = fmin(1 - ran, (now->waited_ns - then->waited_ns) / ns);
    part = before->use.known ? 1 - exp2(-ns / half_life) : 1;
    vcpu->use = (struct vcpu_use){
        .known = true,
        .ran = smooth_value(before->use.ran, ran, part),
        .waited = smooth_value(before->use.waited, waited, part),
    };
}

void runnable_update(struct domains *domains, const struct domains *before,
                     uint64_t half_life_ns)
{
    unsigned int i, k;

    for (i = 0; i < domains->nr; i++) {
        struct domain *d = &domains->domain[i];
        const struct domain *then = domains_find(before, d->domid);

        if (!then || strcmp(then->uuid, d->uuid))
            continue;
        for (k = 0; k < d->nr_vcpus && k < then->nr_vcpus; k++)
            update_vcpu(&d->vcpus[k], &then->vcpus[k], half_life_ns);
    }
}

/* Uses Xen's counts, if it has them for each online vCPU. */
static bool as_counted(const struct domain *d, struct runnable *r)
{
    bool any = false;
    unsigned int i;

    for (i = 0; i < d->nr_vcpus; i++) {
        const struct domain_vcpu *vcpu = &d->vcpus[i];

        if (!vcpu->online)
            continue;
        if (!vcpu->use.known)
            return false;
        any = true;
        r->ran += vcpu->use.ran;
        r->waited += vcpu->use.waited;
    }

    return any;
}

/* All domains without a number of their own share REST, so it belongs to none of them. */
static struct runnable as_logged(const struct matrix *m, const struct domain *d, uint64_t now_ns)
{
    struct runnable r = { 0 };

    if (d->acct < XEN_SCHEDLOG_ACCT_FIRST)
        return r;
    r.ran = matrix_service(m, d->acct, now_ns);
    r.waited = (matrix_use(m, XEN_SCHEDLOG_EV_WAKE_DELAY, d->acct, now_ns) +
                matrix_use(m, XEN_SCHEDLOG_EV_PREEMPT_DELAY, d->acct, now_ns)) /
               NS_PER_S;

    return r;
}

struct runnable runnable_of(const struct matrix *m, const struct domain *d, uint64_t now_ns)
{
    struct runnable r = { .whole = true };

    if (!as_counted(d, &r))
        r = as_logged(m, d, now_ns);
    r.queued = r.waited * (1 - d->wakes.idled);

    return r;
}

double runnable_limit(const struct domain *d)
{
    double vcpus = domain_online_vcpus(d);

    return d->cap ? fmin(vcpus, d->cap / 100.0) : vcpus;
}

double runnable_demand(const struct matrix *m, const struct domain *d, uint64_t now_ns)
{
    struct runnable r = runnable_of(m, d, now_ns);

    return fmin(r.ran + r.waited, runnable_limit(d));
}
