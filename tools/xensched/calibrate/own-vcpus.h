/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * own-vcpus.h - two of dom0's vCPUs, held on two pCPUs of choice for a while, and
 * put back.
 */
#ifndef XENSCHED_CALIBRATE_OWN_VCPUS_H
#define XENSCHED_CALIBRATE_OWN_VCPUS_H

#include "host/host.h"

struct own_vcpus {
    const struct host *host;
    struct domains domains;
    const struct domain *dom0;
    unsigned int nr;     /* how many of the two there are */
    unsigned int vcpu[2];
};

/* To be given to own_vcpus_end() if 0 is returned; nothing has changed yet. */
int own_vcpus_begin(struct own_vcpus *own, const struct host *host,
                    struct xensched_error *err);

/* The first of them, or the second one, runs on @cpu only. */
int own_vcpus_hold(const struct own_vcpus *own, unsigned int which,
                   unsigned int cpu, struct xensched_error *err);

/* Both have the affinity again that they had. */
int own_vcpus_restore(const struct own_vcpus *own, struct xensched_error *err);

void own_vcpus_end(struct own_vcpus *own);

#endif /* XENSCHED_CALIBRATE_OWN_VCPUS_H */
