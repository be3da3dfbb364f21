/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dom0-io.h - finds and sets the threads by which the Linux of dom0 serves disks of
 * guests (xen-blkback), and the vCPUs of dom0's on which they may run.
 *
 * steer.h decides what should be where.  vCPUs are the CPUs of this Linux.  Interrupts
 * are left alone: Linux does not say whose channel an interrupt is, and to find it out
 * by moving interrupts would leave one moved if the daemon were killed meanwhile.
 */
#ifndef XENSCHED_DAEMON_DOM0_IO_H
#define XENSCHED_DAEMON_DOM0_IO_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#define DOM0_IO_NAME 32

struct dom0_io {
    uint32_t domid;      /* of the guest that is served */
    unsigned int number; /* of the process */
    char name[DOM0_IO_NAME];
};

/* All that there are, at *@list, to be freed; returns how many.  @proc: /proc. */
unsigned int dom0_io_find(const char *proc, struct dom0_io **list);

/* Is it still what it was found as?  Numbers are used again. */
bool dom0_io_is(const char *proc, const struct dom0_io *io);

/* False: it is gone, or cannot be set. */
bool dom0_io_get(const struct dom0_io *io, cpu_set_t *vcpus);
bool dom0_io_set(const struct dom0_io *io, const cpu_set_t *vcpus);

#endif /* XENSCHED_DAEMON_DOM0_IO_H */
