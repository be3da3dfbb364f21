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

/* What cannot wait; it is called often, and may not come here.  NULL: nothing. */
void aside_init(void (*meanwhile)(void *arg), void *arg);

/* Returns what @call returned, when it has. */
int aside(int (*call)(void *arg), void *arg);

#endif /* XENSCHED_DAEMON_ASIDE_H */
