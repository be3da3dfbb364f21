/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * machine.h - the distances of a machine, measured from dom0: two of its vCPUs are
 * held on pCPUs of each two nodes, and what is measured there (line.h,
 * notification.h, chase.h) goes into distances.
 */
#ifndef XENSCHED_CALIBRATE_MACHINE_H
#define XENSCHED_CALIBRATE_MACHINE_H

#include "model/distance.h"
#include "node-memory.h"
#include "own-vcpus.h"

/*
 * @d is initialised; what was measured is marked in it.  With one vCPU only
 * memory is.
 */
int machine_measure(struct distances *d, const struct topology *t,
                    const struct own_vcpus *own,
                    const struct node_memory *memory,
                    struct xensched_error *err);

#endif /* XENSCHED_CALIBRATE_MACHINE_H */
