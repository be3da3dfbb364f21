/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Log sites in Linux: the API of the module xensched_log.
 *
 * A site is one line where the event happens.  While the event is off it is
 * one NOP, and its arguments are not evaluated:
 *
 *	xensched_log(XEN_SCHEDLOG_EV_RING_PAGES, xensched_log_acct(DOMID_SELF),
 *		     xensched_log_acct(blkif->domid), pages);
 *
 * A module with sites registers with xensched_log_provide(), has a line
 * MODULE_IMPORT_NS(XENSCHED_LOG), and holds, by its use of these symbols, a
 * reference to xensched_log.  The events are those of linux-events.h;
 * Xen's public header schedlog.h defines rows.
 */
#ifndef XENSCHED_LOG_H
#define XENSCHED_LOG_H

#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/types.h>

#include "xensched_events.h"

extern struct static_key_false xensched_log_key[XEN_SCHEDLOG_NR_EVENTS];

void xensched_log_event(unsigned int event, u16 acct,
			u16 correspondent, u64 count);

/**
 * xensched_log() - log an event
 * @event: XEN_SCHEDLOG_EV_*, a constant
 * @acct: the accounting domain that is charged; its route is looked up
 * @correspondent: the accounting domain at the other end, or
 *	XEN_SCHEDLOG_ACCT_NONE; the same one as @acct: nothing is logged
 * @count: the counter of the row; what it means depends on the event
 *
 * Context: Any but NMI.  Takes no lock, allocates nothing, cannot fail.
 */
#define xensched_log(event, acct, correspondent, count)			\
do {									\
	if (static_branch_unlikely(&xensched_log_key[event]))		\
		xensched_log_event(event, acct, correspondent, count);	\
} while (0)

/**
 * xensched_log_on() - is an event on?
 * @event: XEN_SCHEDLOG_EV_*, a constant
 *
 * For work that only a site needs; costs as little as the site itself.
 */
#define xensched_log_on(event) \
	static_branch_unlikely(&xensched_log_key[event])

/**
 * xensched_log_acct() - the accounting domain of a domain
 * @domid: the domain, or DOMID_SELF
 *
 * The number that the scheduler assigned through xenstore, or @domid itself if no
 * domain has a number.  If only other domains have numbers, the number of this
 * domain, so that nothing is logged.
 *
 * Context: Any.  One load.
 * Return: the accounting domain.
 */
u16 xensched_log_acct(u16 domid);

/**
 * struct xensched_provider - the sites of a module
 * @events: mask of 1 << XEN_SCHEDLOG_EV_*
 * @turned: called when one of them is turned on or off, with those that are
 *	on from now on; NULL if the module needs no call.
 *	Process context; must not call xensched_log_*() of this struct.
 * @entry: the log's
 */
struct xensched_provider {
	u32 events;
	void (*turned)(u32 on);
	struct list_head entry;
};

/**
 * xensched_log_provide() - the calling module has sites of these events
 * @provider: stays valid until it is withdrawn
 *
 * Only such events can be turned on.  Call it from the module's init function.
 *
 * Context: Process context.
 */
void xensched_log_provide(struct xensched_provider *provider);

/**
 * xensched_log_withdraw() - undo xensched_log_provide()
 * @provider: the same one; if events of it are on, it is notified that they are off
 *
 * Context: Process context.
 */
void xensched_log_withdraw(struct xensched_provider *provider);

#endif /* XENSCHED_LOG_H */
