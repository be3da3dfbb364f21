/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * machine-distances.h - measures the distances of a machine from dom0.  Two of its vCPUs
 * are bound to pCPUs of each two nodes, and latency-probes.h measures there.
 */
#ifndef XENSCHED_CALIBRATE_MACHINE_DISTANCES_H
#define XENSCHED_CALIBRATE_MACHINE_DISTANCES_H

#include "host/host.h"
#include "model/topology/distance.h"
#include "node-memory.h"

/* Two of dom0's vCPUs, bound to two pCPUs for a while. */
struct own_vcpus {
    const struct host *host;
    struct domains domains;
    const struct domain *dom0;
    unsigned int nr;     /* number of vCPUs, up to two */
    unsigned int vcpu[2];
};

/* Finds the vCPUs and changes nothing.  If it returns 0, call own_vcpus_end(). */
int own_vcpus_begin(struct own_vcpus *own, const struct host *host,
                    struct xensched_error *err);

/* Restores both affinities. */
int own_vcpus_restore(const struct own_vcpus *own, struct xensched_error *err);

void own_vcpus_end(struct own_vcpus *own);

/*
 * Measures into @d, which is initialised, and marks the measured values.  With one vCPU of dom0 it
 * measures memory only.
 */
int machine_distances_measure(struct distances *d, const struct topology *t,
                              const struct own_vcpus *own,
                              const struct node_memory *memory,
                              struct xensched_error *err);

#endif /* XENSCHED_CALIBRATE_MACHINE_DISTANCES_H */
