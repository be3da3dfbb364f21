// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module xensched_guest: what only a guest knows of itself.
 *
 * The length of its run queues, in the log of xensched_log, and marks of its
 * workloads, in the log of Xen.
 */
#include <linux/module.h>
#include <xen/xen.h>

#include "guest.h"

static int __init guest_init(void)
{
	int err;

	if (!xen_domain())
		return -ENODEV;

	err = xensched_mark_init();
	if (err)
		return err;

	err = xensched_runq_init();
	if (err)
		xensched_mark_exit();

	return err;
}
module_init(guest_init);

static void __exit guest_exit(void)
{
	xensched_runq_exit();
	xensched_mark_exit();
}
module_exit(guest_exit);

MODULE_DESCRIPTION("Run queue lengths and marks of a guest, for a scheduler");
MODULE_LICENSE("GPL");
