/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * soft-weight.h - has Xen's credit2 heed soft affinities while the daemon acts.
 *
 * By itself credit2's balancer looks at loads only, and takes a guest away from
 * where its soft affinity wants it as soon as another run queue is emptier.
 * With our patch it has a parameter, credit2_soft_weight (docs of Xen's command
 * line), which is raised while something is moved or may be, and put back after
 * that.  Its former value is in the state file before it is changed; what an
 * operator has set since stays.
 */
#ifndef XENSCHED_DAEMON_SOFT_WEIGHT_H
#define XENSCHED_DAEMON_SOFT_WEIGHT_H

#include "actuator.h"

struct soft_weight {
    struct actuator *actuator;
    uint32_t percent; /* what an operator has chosen; 0: leave Xen's alone */
    bool missing;     /* there is none that can be changed: was said */
    bool failed;      /* likewise, that it cannot be changed */
};

/* Raise it, unless it is or cannot be. */
void soft_weight_raise(struct soft_weight *w);

/* Restore it, unless another program has changed it. */
void soft_weight_restore(struct soft_weight *w);

#endif /* XENSCHED_DAEMON_SOFT_WEIGHT_H */
