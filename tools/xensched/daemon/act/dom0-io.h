/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dom0-io.h - the threads and interrupts by which the Linux of dom0 serves disks of
 * guests (xen-blkback), and on which of dom0's vCPUs these are.
 *
 * Only finds and sets; what should be where is steer.h's.  vCPUs are the CPUs of this
 * Linux, as bits of a mask.
 */
#ifndef XENSCHED_DAEMON_DOM0_IO_H
#define XENSCHED_DAEMON_DOM0_IO_H

#include "daemon/host/host.h"

#define DOM0_IO_NAME 32
#define DOM0_IO_VCPUS 64

struct dom0_io {
    uint32_t domid;      /* of the guest that is served */
    bool irq;            /* else it is a thread */
    unsigned int number; /* of the interrupt, or of the process */
    char name[DOM0_IO_NAME];
};

/*
 * All that there are, at *@list, to be freed; returns how many.  @proc: /proc.  Whose
 * an interrupt is Linux does not say: each is sent to vCPU @a and to vCPU @b for a
 * moment, and Xen is asked which channel followed it.  It is where it was then.
 */
unsigned int dom0_io_find(const char *proc, const struct host *host,
                          unsigned int a, unsigned int b,
                          struct dom0_io **list);

/* Is it still what it was found as?  Numbers are used again. */
bool dom0_io_is(const char *proc, const struct dom0_io *io);

/* False: it is gone, or cannot be set. */
bool dom0_io_get(const char *proc, const struct dom0_io *io, uint64_t *vcpus);
bool dom0_io_set(const char *proc, const struct dom0_io *io, uint64_t vcpus);

#endif /* XENSCHED_DAEMON_DOM0_IO_H */
