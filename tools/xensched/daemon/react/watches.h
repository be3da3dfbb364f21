/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * watches.h - which threads guests have to look out for.
 */
#ifndef XENSCHED_DAEMON_WATCHES_H
#define XENSCHED_DAEMON_WATCHES_H

#include "reaction/reaction.h"
#include "uapi/xensched_mark.h"

/*
 * Give @r, if it waits for a thread, a slot which no other reaction has.  NULL:
 * only see whether there is one.  False: there is none.
 */
bool watches_free_slot(struct reactions *list, struct reaction *r);

/* Tell domain @domid of all that wait for threads of it. */
int watches_write(const struct reactions *list, uint32_t domid,
                  struct xensched_error *err);

#endif /* XENSCHED_DAEMON_WATCHES_H */
