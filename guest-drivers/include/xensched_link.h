/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declares log sites for a module that has to work with and without a log.
 *
 * Such a module uses no symbol of xensched_log, which therefore need not be
 * loaded, or loadable.  It has its own static keys, and link.c next to its
 * sources.  The log is attached as soon as there is one, and is held from then
 * on.  Sites equal those of xensched_log.h under other names:
 *
 *	xensched_link_log(XEN_SCHEDLOG_EV_RING_PAGES,
 *			  xensched_link_acct(DOMID_SELF),
 *			  xensched_link_acct(blkif->domid), pages);
 */
#ifndef XENSCHED_LINK_H
#define XENSCHED_LINK_H

#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/types.h>

#include "xensched_events.h"

struct xensched_link {
	u32 events;			/* Mask: events with sites. */
	struct static_key_false *keys;	/* [XEN_SCHEDLOG_NR_EVENTS] */

	/* Functions of the log, valid while a key is on. */
	void (*event)(unsigned int event, u16 acct,
		      u16 correspondent, u64 count);
	u16 (*acct)(u16 domid);
	struct list_head entry;
};

/* For the log: the keys begin or cease to follow the events. */
void xensched_log_attach(struct xensched_link *link);
void xensched_log_detach(struct xensched_link *link);

/* link.c */
extern struct static_key_false xensched_link_keys[XEN_SCHEDLOG_NR_EVENTS];
extern struct xensched_link xensched_link;

/**
 * xensched_link_init() - the calling module has sites of these events
 * @events: mask of 1 << XEN_SCHEDLOG_EV_*
 *
 * Context: Process context; from the module's init function.
 */
void xensched_link_init(u32 events);

/**
 * xensched_link_exit() - undo xensched_link_init()
 *
 * Context: Process context.  No site may run any more.
 */
void xensched_link_exit(void);

/* Like xensched_log(). */
#define xensched_link_log(event_, acct, correspondent, count)		\
do {									\
	if (static_branch_unlikely(&xensched_link_keys[event_]))	\
		xensched_link.event(event_, acct, correspondent, count); \
} while (0)

/* Like xensched_log_acct(); only for arguments of a site. */
#define xensched_link_acct(domid) xensched_link.acct(domid)

#endif /* XENSCHED_LINK_H */
