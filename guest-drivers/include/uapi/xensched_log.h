/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * /dev/xensched-log: a scheduler sets up and maps the log of this Linux.
 *
 * The operations, their numbers, their payloads and their errors equal those of
 * Xen's XEN_SYSCTL_schedlog.  A pointer is a 64-bit number where Xen has a guest
 * handle, and mmap() replaces Xen's machine frames.  Xen's public header
 * schedlog.h describes the memory.
 */
#ifndef _UAPI_XENSCHED_LOG_H
#define _UAPI_XENSCHED_LOG_H

#include <linux/ioctl.h>
#include <linux/types.h>

struct xensched_log_info {
	__u32 abi_version;	/* XEN_SCHEDLOG_ABI_VERSION */
	__u32 nr_cpus;		/* One more than the highest CPU, or 0: not set up */
	__u32 nr_acct;
	__u32 nr_files;
	__u32 data_size;	/* Bytes of DATA, of each CPU */
	__u32 events_built;	/* Events for which a loaded module has sites */
	__u32 events_enabled;
	__u32 nr_sites;		/* Pairs of a loaded module and an event */
	__u64 tsc_khz;
	__u64 max_bytes;	/* The module parameter max_mib */
	__u64 used_bytes;	/* Also by former areas that are still mapped */
	__u32 lease_ms;		/* 0: no program holds the log */
	__u32 lease_left_ms;
	__u32 nr_pmcs;		/* 0 */
	__u32 doorbell;		/* 1: poll() is one, see below */
};

/* EINVAL, E2BIG, ENOMEM; EBUSY: there is an area with another layout. */
struct xensched_log_setup {
	__u32 nr_acct;		/* Powers of two, limits as in schedlog.h */
	__u32 nr_files;
	__u64 sizes;		/* const __u32 *, [nr_files], in bytes */
};

/* ENOENT: not set up. */
struct xensched_log_files {
	__u32 first;
	__u32 nr;		/* In: entries of the array; out: filled in */
	__u64 files;		/* struct xen_schedlog_file * */
};

/*
 * Turns these events on, all others off.  EOPNOTSUPP: no module that is loaded has a
 * site of one of them.  ENOENT: not set up.  EEXIST: another scheduler, with
 * another cookie, holds the log.  EINVAL: a lease without a cookie, or out of
 * range (100 ... 3600000 ms; 0: no lease).
 *
 * Before an event is turned on, the accounting domains are read from xenstore, so
 * the first row has the current numbers.  ETIMEDOUT: xenstore does not answer.
 */
struct xensched_log_events {
	__u32 events;
	__u32 lease_ms;
	__u64 cookie;
};

/* Turns all events off and releases the area.  EEXIST as above. */
struct xensched_log_release {
	__u64 cookie;
};

/*
 * Promotes rows that an agent has completed from the kernel's rows: they are
 * recorded like rows of a site, on the agent's CPU, with this domain as the
 * current one.  The file counts as a site of process-io from its first call until
 * it is closed; @nr may be 0.
 *
 * EINVAL: another event, or a correspondent that is no accounting domain.  ENOENT:
 * not set up.  ESTALE: the rows are from a former area.  After ENOENT and
 * ESTALE, @area and @events are filled in as well, and nothing is recorded.
 */
struct xensched_log_promoted {
	__u64 counter;
	__u16 event;		/* XEN_SCHEDLOG_EV_PROCESS_IO */
	__u16 correspondent;	/* Or XEN_SCHEDLOG_ACCT_NONE */
	__u32 pad;
};

#define XENSCHED_LOG_MAX_PROMOTED	1024

struct xensched_log_promote {
	__u64 area;		/* In: the area of the rows; out: the current one */
	__u64 rows;		/* const struct xensched_log_promoted *, [nr] */
	__u32 nr;		/* XENSCHED_LOG_MAX_PROMOTED at most */
	__u32 events;		/* Out: the events that are on */
};

#define XENSCHED_LOG_IOC_MAGIC	0xf9
#define XENSCHED_LOG_INFO \
	_IOR(XENSCHED_LOG_IOC_MAGIC, 0, struct xensched_log_info)
#define XENSCHED_LOG_SETUP \
	_IOW(XENSCHED_LOG_IOC_MAGIC, 1, struct xensched_log_setup)
#define XENSCHED_LOG_FILES \
	_IOWR(XENSCHED_LOG_IOC_MAGIC, 2, struct xensched_log_files)
#define XENSCHED_LOG_EVENTS \
	_IOW(XENSCHED_LOG_IOC_MAGIC, 4, struct xensched_log_events)
#define XENSCHED_LOG_RELEASE \
	_IOW(XENSCHED_LOG_IOC_MAGIC, 5, struct xensched_log_release)
#define XENSCHED_LOG_PROMOTE \
	_IOWR(XENSCHED_LOG_IOC_MAGIC, 6, struct xensched_log_promote)

/*
 * mmap() with MAP_SHARED, at this offset: the region (XEN_SCHEDLOG_REGION_*:
 * 0 GLOBAL, 1 CONTROL, 2 STATE, 3 DATA) of a CPU, or any whole pages of it.
 * EACCES: STATE and DATA can only be mapped read-only.  ENODEV: there is no
 * such region.  EINVAL: it ends before the mapping does.
 */
#define XENSCHED_LOG_OFFSET(region, cpu) \
	((__u64)(region) << 48 | (__u64)(cpu) << 32)

/*
 * poll(): POLLIN as long as a log buffer of any CPU has reached the mark that was
 * set for it in CONTROL.  A sleeper is woken within a tick of 10 ms of a CPU
 * that continues to log; if a CPU stops to log, its last rows may stay
 * unnoticed until it logs again.  A mark of 0 is none.
 */

#endif /* _UAPI_XENSCHED_LOG_H */
