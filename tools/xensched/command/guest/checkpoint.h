/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * checkpoint.h - save a guest to a file, and let it go on.
 *
 * A process of its own does it, which goes on when this one is killed: so there is a
 * whole checkpoint, or none, and the guest runs.
 */
#ifndef XENSCHED_CHECKPOINT_H
#define XENSCHED_CHECKPOINT_H

#include <stdint.h>

#include <xensched/error.h>

struct checkpoint {
    uint32_t domid;
    /* Replaced when the checkpoint is complete; only its owner may read it. */
    const char *path;
    /*
     * A shell command, run when the guest is saved and has not gone on: for its
     * disks.  What it prints is in @path.disk then.  NULL: none.
     */
    const char *hook;
};

/*
 * As "xl save -c".  Returns -EPERM if every user may write to the folder.  A guest suspends
 * itself, so it has to run: a guest that is stopped (xensched/stop.h) continues once the
 * request to suspend has been made.
 */
int checkpoint_save(const struct checkpoint *c, struct xensched_error *err);

#endif /* XENSCHED_CHECKPOINT_H */
