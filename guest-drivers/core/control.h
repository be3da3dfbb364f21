/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declares the control of the log and its locking; private to the module.
 */
#ifndef XENSCHED_CONTROL_H
#define XENSCHED_CONTROL_H

#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/types.h>

/*
 * Guards all state that is not shared with sites or the scheduler.
 *
 * Static keys take cpu_hotplug_lock within it, and code that attaches a process to a
 * cpuset takes mmap_lock within cpu_hotplug_lock.  Callers hold neither.
 */
extern struct mutex xensched_log_mutex;

/* control.c: the request of a program; takes the mutex itself. */
long xensched_control(unsigned int cmd, void __user *argument);

/* The same operations, with the mutex held. */
int xensched_set_up(u32 nr_acct, u32 nr_files, const u32 *sizes);
int xensched_set_events(u32 events, u32 lease_ms, u64 cookie);
int xensched_release(u64 cookie);
void xensched_keep_area(bool keep);	/* -EBUSY for a release. */
void xensched_control_exit(void);

/* events.c: the events that are on, and those that exist. */
/* Calls @changed, with the mutex or without, when either changes. */
void xensched_watch_events(void (*changed)(void));
u32 xensched_events_on(void);
u32 xensched_events_built(u32 *nr_sites);
void xensched_apply_events(u32 events);

/* lease.c */
bool xensched_may_control(u64 cookie);
void xensched_set_lease(u64 cookie, u32 length_ms);
void xensched_lease_info(u32 *length_ms, u32 *left_ms);
void xensched_lease_exit(void);

/* doorbell.c */
struct schedlog_cpu;
void xensched_doorbell_tick(const struct schedlog_cpu *cpu); /* irqs are off */
__poll_t xensched_doorbell_poll(struct file *file, poll_table *wait);
void xensched_doorbell_exit(void);

/* acct.c */
int xensched_acct_init(void);
int xensched_acct_refresh(void);	/* Sleeps; -ETIMEDOUT, -EINTR. */
void xensched_acct_exit(void);

/* advertise.c */
int xensched_advertise_init(void);
void xensched_advertise_exit(void);

/* promote.c: for an agent.  @promoter belongs to the file, NULL at first. */
struct xensched_promoter;
long xensched_promote(struct xensched_promoter **promoter,
		      void __user *argument);
void xensched_promote_end(struct xensched_promoter *promoter);

/* device.c */
int xensched_device_init(void);
void xensched_device_exit(void);

#endif /* XENSCHED_CONTROL_H */
