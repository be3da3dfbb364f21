// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers the module xensched_log: Xen's record handler and log area, in Linux.
 *
 * Back ends and guests log events that Xen cannot observe, with the handler and
 * the layout of the hypervisor, so a scheduler reads both logs alike.  This
 * module has no sites; xensched_log.h is the API for modules with sites.
 */
#include <linux/module.h>
#include <xen/xen.h>

#include "control.h"

static int __init xensched_log_init(void)
{
	int err;

	if (!xen_domain())
		return -ENODEV;

	err = xensched_acct_init();
	if (err)
		return err;
	err = xensched_device_init();
	if (err)
		goto no_device;
	err = xensched_advertise_init();
	if (err)
		goto no_xenstore;

	return 0;

no_xenstore:
	xensched_device_exit();
no_device:
	xensched_acct_exit();
	return err;
}
module_init(xensched_log_init);

static void __exit xensched_log_exit(void)
{
	xensched_device_exit();
	xensched_control_exit();
	xensched_doorbell_exit();
	xensched_advertise_exit();
	xensched_acct_exit();	/* Last: the work of a request reads numbers. */
}
module_exit(xensched_log_exit);

MODULE_DESCRIPTION("Log of scheduling facts, shared with a scheduler");
MODULE_LICENSE("GPL");
