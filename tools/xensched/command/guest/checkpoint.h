/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * checkpoint.h - saves a guest to a file, and lets it continue.
 *
 * A process of its own saves it, and continues if this one is killed: so there is a complete
 * checkpoint or none, and the guest runs.
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
     * A shell command that runs while the guest is saved and stopped, for its disks; its output
     * goes to @path.disk.  NULL: none.
     */
    const char *hook;
};

/*
 * Saves like "xl save -c".  Returns -EPERM if every user may write to the folder.  A guest suspends
 * itself, so it has to run: a stopped guest (xensched/stop.h) continues once the request to suspend
 * has been made.
 */
int checkpoint_save(const struct checkpoint *c, struct xensched_error *err);

#endif /* XENSCHED_CHECKPOINT_H */
