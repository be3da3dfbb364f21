/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * target.h - the guest that is sampled: how far it is, and that it is never left
 * stopped.
 */
#ifndef XENSCHED_SAMPLE_TARGET_H
#define XENSCHED_SAMPLE_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <xenctrl.h>

#include <xensched/error.h>

struct target {
    uint32_t domid;
    unsigned int vcpus;
    xc_interface *xch;
    pid_t guard; /* lets it go on when this process has died */
    int alive;   /* whose end the guard sees */
};

/* -ESRCH: it is gone, or about to be. */
int target_open(struct target *t, uint32_t domid, struct xensched_error *err);
void target_close(struct target *t);

/* What it has used of pCPUs since it was made, in ns. -ESRCH: it has ended. */
int target_service(struct target *t, uint64_t *ns, struct xensched_error *err);

#endif /* XENSCHED_SAMPLE_TARGET_H */
