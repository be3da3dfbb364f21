// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs the requests of this Linux's threads to back ends.
 *
 * The row is written when a thread submits I/O to a disk, because the PID is
 * known there.  When the request is put on the ring, or complete, another thread
 * may run.  An agent finds the thread's process, and the sums
 * (docs/internals/linux-log.md).
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <trace/events/block.h>

#include <xen/interface/xen.h>
#include <xen/xenbus.h>

#include "guest.h"
#include "point.h"
#include "xensched_log.h"

#define REQUEST	(1U << XEN_SCHEDLOG_EV_GUEST_REQUEST)

/* Returns the front end of a disk, or NULL if Xen does not provide it. */
static const struct xenbus_device *xensched_front_end(struct gendisk *disk)
{
	struct device *parent = disk_to_dev(disk)->parent;

	/* Linux exports only the name of this bus. */
	if (!parent || !parent->bus || strcmp(parent->bus->name, "xen"))
		return NULL;

	return to_xenbus_device(parent);
}

/* Sleeps for memory may follow, so nothing is held here. */
static void xensched_request_queued(void *data, struct bio *bio)
{
	const struct xenbus_device *front;
	u64 pid = in_task() ? current->pid : 0;

	/* A discard has sectors, but moves nothing; a flush has none. */
	if (!bio_has_data(bio))
		return;
	front = xensched_front_end(bio->bi_bdev->bd_disk);
	if (!front)
		return;

	xensched_log(XEN_SCHEDLOG_EV_GUEST_REQUEST,
		     xensched_log_acct(DOMID_SELF),
		     xensched_log_acct(front->otherend_id),
		     pid | (u64)bio_sectors(bio) << XEN_SCHEDLOG_SECTORS_SHIFT);
}

XENSCHED_POINT(queue_point, block_bio_queue, xensched_request_queued);

static void xensched_request_turned(u32 on)
{
	xensched_point_turn(&queue_point, on & REQUEST);
}

static struct xensched_provider provider = {
	.events = REQUEST,
	.turned = xensched_request_turned,
};

void xensched_request_init(void)
{
	if (!xensched_point_find(&queue_point)) {
		provider.events = 0;
		pr_info("this Linux does not report its requests\n");
		return;
	}

	xensched_log_provide(&provider);
}

void xensched_request_exit(void)
{
	if (provider.events)
		xensched_log_withdraw(&provider);
}
