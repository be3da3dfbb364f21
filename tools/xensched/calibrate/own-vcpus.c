/* SPDX-License-Identifier: GPL-2.0-only */
/* Binds two vCPUs of dom0 to two pCPUs, and restores them. */
#include <errno.h>
#include <string.h>

#include "own-vcpus.h"

#define DOM0 0

int own_vcpus_begin(struct own_vcpus *own, const struct host *host,
                    struct xensched_error *err)
{
    unsigned int i;
    int rc;

    memset(own, 0, sizeof(*own));
    own->host = host;
    rc = host->domains(host->data, &own->domains, err);
    if (rc)
        return rc;
    own->dom0 = domains_find(&own->domains, DOM0);
    for (i = 0; own->dom0 && i < own->dom0->nr_vcpus && own->nr < 2; i++)
        if (own->dom0->vcpus[i].online)
            own->vcpu[own->nr++] = i;
    if (own->nr)
        return 0;
    own_vcpus_end(own);

    return xensched_fail(err, ENOENT, "Xen does not say where dom0 runs");
}

int own_vcpus_hold(const struct own_vcpus *own, unsigned int which,
                   unsigned int cpu, struct xensched_error *err)
{
    unsigned int vcpu = own->vcpu[which];
    struct cpumap one;
    int rc;

    cpumap_init(&one, own->dom0->vcpus[vcpu].hard.nr_cpus);
    cpumap_set(&one, cpu);
    rc = own->host->set_affinity(own->host->data, DOM0, vcpu, &one, NULL, err);
    cpumap_free(&one);

    return rc;
}

int own_vcpus_restore(const struct own_vcpus *own, struct xensched_error *err)
{
    unsigned int i;
    int rc = 0;

    for (i = 0; i < own->nr; i++) {
        struct xensched_error failed;
        int one = own->host->set_affinity(own->host->data, DOM0, own->vcpu[i],
                                          &own->dom0->vcpus[own->vcpu[i]].hard,
                                          NULL, &failed);

        if (one && !rc) {
            rc = one;
            *err = failed;
        }
    }

    return rc;
}

void own_vcpus_end(struct own_vcpus *own)
{
    domains_free(&own->domains);
}
