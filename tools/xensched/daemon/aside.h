/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * aside.h - a call that may hang does not hold up what cannot wait.
 *
 * Who asks xenstored, libxl or a disk waits for somebody else, maybe for ever.  Such
 * a call is made by a second thread, and the first one, which has to wait for it,
 * does meanwhile what the daemon is alive by.  Nothing else of the daemon runs
 * beside such a call, so it may use what that does not touch.
 */
#ifndef XENSCHED_DAEMON_ASIDE_H
#define XENSCHED_DAEMON_ASIDE_H

#include <stdbool.h>

/* What cannot wait; it is called often, and may not come here.  NULL: nothing. */
void aside_init(void (*meanwhile)(void *arg), void *arg);

/* Returns what @call returned, when it has.  Within such a call it is just made. */
int aside(int (*call)(void *arg), void *arg);

/*
 * May this thread wait for somebody else: is it within a call of aside(), or is there
 * nothing that cannot wait?  Functions that ask xenstored expect it.
 */
bool aside_may_wait(void);

/* Reports @what, which waits, once if it is called where it may not. */
void aside_expect(const char *what);

#endif /* XENSCHED_DAEMON_ASIDE_H */
