/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * logged.h - the requests that the block back end serves, each of them, by the eBPF
 * program (ebpf/).
 */
#ifndef XENSCHED_DISKS_LOGGED_H
#define XENSCHED_DISKS_LOGGED_H

#include <stdint.h>

#include <xensched/error.h>

struct logged;

/* @own is our domid.  -ENOENT: it cannot be here, or not now. */
int logged_open(uint32_t own, struct logged **logged,
                struct xensched_error *err);

/*
 * Have @take told of the requests since the last call, or since it was opened.  Returns
 * how many rows were lost.
 */
uint64_t logged_read(struct logged *logged,
                     void (*take)(void *arg, uint32_t domid, uint64_t pages),
                     void *arg);

/* Nothing of it is left in the kernel.  NULL is allowed. */
void logged_close(struct logged *logged);

#endif /* XENSCHED_DISKS_LOGGED_H */
