/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * /dev/xensched-mark: a workload says where it is in what it does.
 *
 *	int fd = open(XENSCHED_MARK_DEVICE, O_WRONLY | O_CLOEXEC);
 *
 *	xensched_mark(fd, 1);
 *	region_of_interest();
 *	xensched_mark(fd, 2);
 *
 * Each mark is one hypercall, and a row of Xen's event "mark" whose counter is
 * the code, if a scheduler logs that of this domain.  What codes mean is up to
 * the workload.
 */
#ifndef _UAPI_XENSCHED_MARK_H
#define _UAPI_XENSCHED_MARK_H

#include <linux/types.h>

#define XENSCHED_MARK_DEVICE "/dev/xensched-mark"

#ifndef __KERNEL__
#include <errno.h>
#include <unistd.h>

/*
 * Returns 0 or an errno value.  EPERM: the administrator of the host has not
 * allowed this domain to log marks.  ENOSYS: Xen has no log.
 */
static inline int xensched_mark(int fd, __u32 code)
{
	return write(fd, &code, sizeof(code)) == sizeof(code) ? 0 : errno;
}
#endif

#endif /* _UAPI_XENSCHED_MARK_H */
