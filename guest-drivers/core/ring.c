// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs the requests that xen-blkback serves, in the module xensched_ring, if
 * xen-blkback has the tracepoint xen_blkback_response.
 *
 * The rows equal those of a xen-blkback with log sites, which this Linux does not
 * need.  While an event is on, the probe is registered and xen-blkback is held.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <xen/interface/io/blkif.h>
#include <xen/interface/xen.h>
#include <xen/xen.h>

#include "xensched_log.h"

#define RING_EVENTS \
	(BIT(XEN_SCHEDLOG_EV_RING_PAGES) | BIT(XEN_SCHEDLOG_EV_RING_SECTORS))

/* Kernels' headers have it only if their xen-blkback has the tracepoint. */
#ifdef XENSCHED_HAVE_BLKBACK_POINT
#include <trace/events/xen_blkback.h>
#else
/* Since Linux 6.16 DECLARE_TRACE() appends _tp to the tracepoint's name. */
#ifndef DECLARE_TRACE_EVENT
#define DECLARE_TRACE_EVENT DECLARE_TRACE
#endif
DECLARE_TRACE_EVENT(xen_blkback_response,
		    TP_PROTO(domid_t domid, blkif_vdev_t handle, u64 id,
			     unsigned short operation, int status,
			     unsigned int pages, u64 sects),
		    TP_ARGS(domid, handle, id, operation, status, pages,
			    sects));
#endif

static struct tracepoint *point;	/* While the probe is there. */
static bool provided;
static DEFINE_MUTEX(ring_mutex);	/* For provided. */

static void xensched_ring_response(void *data, domid_t domid,
				   blkif_vdev_t handle, u64 id,
				   unsigned short operation, int status,
				   unsigned int pages, u64 sects)
{
	xensched_log(XEN_SCHEDLOG_EV_RING_PAGES, xensched_log_acct(DOMID_SELF),
		     xensched_log_acct(domid), pages);
	xensched_log(XEN_SCHEDLOG_EV_RING_SECTORS,
		     xensched_log_acct(DOMID_SELF), xensched_log_acct(domid),
		     XEN_SCHEDLOG_RING_SECTORS(operation, sects));
}

/* As in guest/point.h: Linux calls a probe through an untyped pointer. */
static_assert(__same_type(check_trace_callback_type_xen_blkback_response,
			  void (typeof(xensched_ring_response) *)),
	      "the probe does not have the prototype of xen_blkback_response");

static void xensched_ring_attach(void)
{
	int err = -ENOENT;

	point = symbol_get(__tracepoint_xen_blkback_response);
	if (point)
		err = tracepoint_probe_register(point, xensched_ring_response,
						NULL);
	if (err)
		pr_warn("the tracepoint cannot be used: error %d\n", err);
	if (err && point) {
		symbol_put(__tracepoint_xen_blkback_response);
		point = NULL;
	}
}

static void xensched_ring_detach(void)
{
	tracepoint_probe_unregister(point, xensched_ring_response, NULL);
	tracepoint_synchronize_unregister();
	symbol_put(__tracepoint_xen_blkback_response);
	point = NULL;
}

static void xensched_ring_turned(u32 on)
{
	if ((on & RING_EVENTS) && !point)
		xensched_ring_attach();
	else if (!(on & RING_EVENTS) && point)
		xensched_ring_detach();
}

static struct xensched_provider ring_provider = {
	.events = RING_EVENTS,
	.turned = xensched_ring_turned,
};

/* Provides the events only while the tracepoint exists. */
static void xensched_ring_look(void)
{
	mutex_lock(&ring_mutex);
	if (!provided && symbol_get(__tracepoint_xen_blkback_response)) {
		symbol_put(__tracepoint_xen_blkback_response);
		xensched_log_provide(&ring_provider);
		provided = true;
	}
	mutex_unlock(&ring_mutex);
}

static void xensched_ring_forget(void)
{
	mutex_lock(&ring_mutex);
	if (provided)
		xensched_log_withdraw(&ring_provider);
	provided = false;
	mutex_unlock(&ring_mutex);
}

static int xensched_ring_module(struct notifier_block *block,
				unsigned long action, void *data)
{
	const struct module *module = data;

	if (strcmp(module->name, "xen_blkback"))
		return NOTIFY_DONE;

	if (action == MODULE_STATE_LIVE)
		xensched_ring_look();
	else if (action == MODULE_STATE_GOING)
		xensched_ring_forget();

	return NOTIFY_DONE;
}

static struct notifier_block ring_notifier = {
	.notifier_call = xensched_ring_module,
};

static int __init xensched_ring_init(void)
{
	int err;

	if (!xen_domain())
		return -ENODEV;

	err = register_module_notifier(&ring_notifier);
	if (!err)
		xensched_ring_look();

	return err;
}
module_init(xensched_ring_init);

static void __exit xensched_ring_exit(void)
{
	unregister_module_notifier(&ring_notifier);
	xensched_ring_forget();
}
module_exit(xensched_ring_exit);

MODULE_DESCRIPTION("Requests of xen-blkback's tracepoint, for a scheduler");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(XENSCHED_LOG);
