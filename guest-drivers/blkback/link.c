// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connects a module with log sites to the log, if there is one: see
 * xensched_link.h.
 *
 * modprobe loads xensched_log first, if it can.  Otherwise this module works
 * without a log, and attaches to one that is loaded later.
 *
 * The log's symbols have their own namespace.  symbol_get() does not require the
 * import of the namespace; the import documents the origin of the symbols.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/string.h>

#include "xensched_link.h"

struct static_key_false xensched_link_keys[XEN_SCHEDLOG_NR_EVENTS] = {
	[0 ... XEN_SCHEDLOG_NR_EVENTS - 1] = STATIC_KEY_FALSE_INIT,
};
struct xensched_link xensched_link = {
	.keys = xensched_link_keys,
};

static DEFINE_MUTEX(link_mutex);
static bool attached;

static void xensched_link_attach(void)
{
	void (*attach)(struct xensched_link *link);

	mutex_lock(&link_mutex);
	if (!attached) {
		attach = symbol_get(xensched_log_attach);
		attached = attach;
		if (attach)
			attach(&xensched_link);
	}
	mutex_unlock(&link_mutex);
}

static int xensched_link_module_came(struct notifier_block *block,
				     unsigned long action, void *data)
{
	const struct module *module = data;

	if (action == MODULE_STATE_LIVE &&
	    !strcmp(module->name, "xensched_log"))
		xensched_link_attach();

	return NOTIFY_DONE;
}

static struct notifier_block link_notifier = {
	.notifier_call = xensched_link_module_came,
};
static bool watching;

void xensched_link_init(u32 events)
{
	xensched_link.events = events;
	watching = !register_module_notifier(&link_notifier);
	xensched_link_attach();
	if (!attached)
		pr_info("nothing is logged without xensched_log\n");
}

void xensched_link_exit(void)
{
	void (*detach)(struct xensched_link *link);

	if (watching)
		unregister_module_notifier(&link_notifier);
	if (!attached)
		return;

	detach = symbol_get(xensched_log_detach);
	if (detach) {
		detach(&xensched_link);
		symbol_put(xensched_log_detach);
	}
	symbol_put(xensched_log_attach);
}

MODULE_IMPORT_NS(XENSCHED_LOG);
MODULE_SOFTDEP("pre: xensched_log");
