// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers the module xensched_guest: events that only the guest itself observes.
 *
 * The log of xensched_log has the length of its run queues, the switches of its
 * threads and their requests to back ends.  The log of Xen has the marks of its
 * workloads.
 */
#include <linux/module.h>
#include <linux/tracepoint.h>
#include <xen/xen.h>

#include "guest.h"

static int __init xensched_guest_init(void)
{
	int err;

	if (!xen_domain())
		return -ENODEV;

	err = xensched_mark_init();
	if (err)
		return err;

	xensched_runq_init();
	xensched_thread_init();
	xensched_request_init();
	xensched_watch_init();

	return 0;
}
module_init(xensched_guest_init);

static void __exit xensched_guest_exit(void)
{
	xensched_watch_exit();
	xensched_request_exit();
	xensched_thread_exit();
	xensched_runq_exit();
	tracepoint_synchronize_unregister();
	xensched_mark_exit();
}
module_exit(xensched_guest_exit);

MODULE_DESCRIPTION("Run queues, threads and marks of a guest, for a scheduler");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(XENSCHED_LOG);
