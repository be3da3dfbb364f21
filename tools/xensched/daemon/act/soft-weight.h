/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * soft-weight.h - makes Xen's credit2 respect soft affinities while the daemon acts.
 *
 * credit2's balancer considers only loads: it moves a guest away from its soft affinity as
 * soon as another run queue is emptier.  The patched Xen has a parameter, credit2_soft_weight
 * (docs of Xen's command line).  The daemon raises it while a guest is moved or may be, and
 * restores it afterwards.  The original value is in the state file before the change; a value
 * that an operator sets later stays.
 */
#ifndef XENSCHED_DAEMON_SOFT_WEIGHT_H
#define XENSCHED_DAEMON_SOFT_WEIGHT_H

#include "actuator.h"

struct soft_weight {
    struct actuator *actuator;
    uint32_t percent; /* the operator's choice; 0: leave Xen's value */
    bool missing;     /* this Xen has no such parameter; logged already */
    bool failed;      /* it cannot be changed; logged already */
};

/* Raises it, unless that is done already or impossible. */
void soft_weight_raise(struct soft_weight *w);

/* Restores it, unless another program has changed it. */
void soft_weight_restore(struct soft_weight *w);

#endif /* XENSCHED_DAEMON_SOFT_WEIGHT_H */
