/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measures distances between nodes, each pair of pCPUs in turn.
 *
 * Two vCPUs of dom0 are bound to two pCPUs in the meantime; then their affinities are restored.
 */
#include <errno.h>
#include <string.h>

#include "latency-probes.h"
#include "machine-distances.h"

/* Two vCPUs of dom0. */

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

    return xensched_fail(err, ENOENT, "Xen does not report where dom0 runs");
}

/* Binds vCPU @which, 0 or 1, to @cpu. */
static int hold_vcpu(const struct own_vcpus *own, unsigned int which, unsigned int cpu,
                     struct xensched_error *err)
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

/* Distances. */

struct measuring {
    struct distances *d;
    const struct topology *t;
    const struct own_vcpus *own;
    const struct node_memory *memory;
};

/* Returns whether dom0 may run on the pCPU. */
static bool is_usable(const struct measuring *m, unsigned int cpu)
{
    return m->t->cpus[cpu].online && cpumap_test(&m->own->dom0->pool_cpus, cpu);
}

/* Returns the first usable pCPU of a node; nr_cpus: none. */
static unsigned int find_first_cpu(const struct measuring *m, unsigned int node)
{
    unsigned int cpu;

    for (cpu = 0; cpu < m->t->nr_cpus; cpu++)
        if (is_usable(m, cpu) && m->t->cpus[cpu].node == node)
            break;

    return cpu;
}

static int hold_both(const struct measuring *m, unsigned int a, unsigned int b,
                     struct xensched_error *err)
{
    int rc = hold_vcpu(m->own, 0, a, err);

    return rc ? rc : hold_vcpu(m->own, 1, b, err);
}

/* Measures both kinds between two pCPUs; -1: not measured. */
static int measure_between(const struct measuring *m, unsigned int a, unsigned int b,
                           double ns[NR_DISTANCES], struct xensched_error *err)
{
    int rc = hold_both(m, a, b, err);

    if (rc)
        return rc;
    ns[DISTANCE_LINE] = changed_line_ns(m->own->vcpu[0], m->own->vcpu[1]);
    ns[DISTANCE_NOTIFICATION] = notification_ns(m->own->vcpu[0],
                                                m->own->vcpu[1]);

    return 0;
}

/* Measures the first two pCPUs in this relation, which stand for all. */
static int measure_relation(const struct measuring *m, enum relation relation,
                            struct xensched_error *err)
{
    unsigned int a, b, kind;
    double ns[NR_DISTANCES];
    int rc;

    for (a = 0; a < m->t->nr_cpus; a++)
        for (b = a + 1; b < m->t->nr_cpus; b++) {
            if (!is_usable(m, a) || !is_usable(m, b) ||
                distance_relation(m->t, a, b) != relation)
                continue;
            rc = measure_between(m, a, b, ns, err);
            for (kind = 0; !rc && kind < DISTANCE_MEMORY; kind++)
                if (ns[kind] > 0) {
                    m->d->ns[kind][relation] = ns[kind];
                    m->d->measured[kind][relation] = true;
                }
            return rc;
        }

    return 0;
}

static int measure_nodes(const struct measuring *m, unsigned int x,
                         unsigned int y, struct xensched_error *err)
{
    unsigned int a = find_first_cpu(m, x), b = find_first_cpu(m, y), kind;
    double ns[NR_DISTANCES];
    int rc;

    if (a == m->t->nr_cpus || b == m->t->nr_cpus)
        return 0;
    rc = measure_between(m, a, b, ns, err);
    for (kind = 0; !rc && kind < DISTANCE_MEMORY; kind++)
        if (ns[kind] > 0)
            m->d->between[kind][x * m->d->nr_nodes + y] =
                m->d->between[kind][y * m->d->nr_nodes + x] = ns[kind];

    return rc;
}

static int measure_memory(const struct measuring *m, unsigned int from,
                          unsigned int to, struct xensched_error *err)
{
    unsigned int cpu = find_first_cpu(m, from);
    void *there = node_memory_map(m->memory, to);
    double ns;
    int rc;

    if (cpu == m->t->nr_cpus || !there)
        return 0;
    rc = hold_vcpu(m->own, 0, cpu, err);
    if (rc)
        return rc;
    ns = uncached_load_ns(m->own->vcpu[0], there, NODE_MEMORY_BYTES);
    if (ns > 0)
        m->d->between[DISTANCE_MEMORY][from * m->d->nr_nodes + to] = ns;

    return 0;
}

int machine_distances_measure(struct distances *d, const struct topology *t,
                              const struct own_vcpus *own,
                              const struct node_memory *memory,
                              struct xensched_error *err)
{
    const struct measuring m = { d, t, own, memory };
    unsigned int x, y, relation;
    int rc = 0;

    for (relation = RELATION_CORE; !rc && own->nr > 1 &&
                                   relation <= RELATION_NODE; relation++)
        rc = measure_relation(&m, relation, err);
    for (x = 0; x < d->nr_nodes; x++)
        for (y = 0; !rc && y < d->nr_nodes; y++) {
            if (x < y && own->nr > 1)
                rc = measure_nodes(&m, x, y, err);
            if (!rc)
                rc = measure_memory(&m, x, y, err);
        }

    return rc;
}
