// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ends the lease of a scheduler that is dead or stuck, so that its events stop.
 *
 * As in Xen (common/schedlog/lease.c): a program that turns events on can take a
 * lease, and increments a counter in shared memory.  If the counter does not change
 * for the length of the lease, all events are turned off, and the log is free for
 * the next scheduler.  Each poll reads the counter once, and only compares it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ktime.h>
#include <linux/printk.h>
#include <linux/workqueue.h>

#include "area.h"
#include "control.h"

/* How often the counter is read during a lease. */
#define LOOKS 8

static struct {
	u64 cookie;		/* 0: no program holds the log. */
	u32 length_ms;
	ktime_t renewed;	/* When the counter was seen to have changed. */
	u64 counter;
} lease;

static void xensched_lease_look(struct work_struct *work);
static DECLARE_DELAYED_WORK(xensched_lease_work, xensched_lease_look);

static u64 read_counter(void)
{
	const struct xensched_region *global =
		xensched_find_region(XENSCHED_REGION_GLOBAL, 0);
	const struct xen_schedlog_header *header = global->va;

	return READ_ONCE(header->lease);
}

static void xensched_lease_look_later(void)
{
	schedule_delayed_work(&xensched_lease_work,
			      msecs_to_jiffies(lease.length_ms / LOOKS));
}

static s64 left_ms(void)
{
	return lease.length_ms - ktime_ms_delta(ktime_get(), lease.renewed);
}

/* Returns whether a caller with this @cookie may change the log. */
bool xensched_may_control(u64 cookie)
{
	return !lease.cookie || lease.cookie == cookie;
}

void xensched_lease_info(u32 *length_ms, u32 *left)
{
	*length_ms = lease.cookie ? lease.length_ms : 0;
	*left = lease.cookie ? max_t(s64, left_ms(), 0) : 0;
}

/* @length_ms is 0: no program holds the log any more. */
void xensched_set_lease(u64 cookie, u32 length_ms)
{
	lease.cookie = length_ms ? cookie : 0;
	lease.length_ms = length_ms;
	if (!length_ms)
		return;

	lease.renewed = ktime_get();
	lease.counter = read_counter();
	cancel_delayed_work(&xensched_lease_work);
	xensched_lease_look_later();
}

static void xensched_lease_look(struct work_struct *work)
{
	u64 counter;

	mutex_lock(&xensched_log_mutex);
	if (!lease.cookie)
		goto out;

	counter = read_counter();
	if (counter != lease.counter) {
		lease.counter = counter;
		lease.renewed = ktime_get();
	}
	if (left_ms() > 0) {
		xensched_lease_look_later();
		goto out;
	}
	xensched_apply_events(0);
	xensched_set_lease(0, 0);
	pr_warn("not renewed by its scheduler, all events are off\n");
out:
	mutex_unlock(&xensched_log_mutex);
}

void xensched_lease_exit(void)
{
	cancel_delayed_work_sync(&xensched_lease_work);
}
