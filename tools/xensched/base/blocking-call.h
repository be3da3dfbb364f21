/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * blocking-call.h - a call that may hang does not hold up what cannot wait.
 *
 * Who asks xenstored, libxl or a disk waits for somebody else, maybe for ever.  Such
 * a call is made by a second thread, and the first one, which has to wait for it,
 * does meanwhile what the daemon is alive by.  Nothing else of the daemon runs
 * beside such a call, so it may use what that does not touch.
 */
#ifndef XENSCHED_BASE_BLOCKING_CALL_H
#define XENSCHED_BASE_BLOCKING_CALL_H

#include <stdbool.h>

/* What cannot wait; it is called often, and may not come here.  NULL: nothing. */
void blocking_call_init(void (*meanwhile)(void *arg), void *arg);

/* Returns what @call returned, when it has.  Within such a call it is just made. */
int blocking_call(int (*call)(void *arg), void *arg);

/*
 * May this thread wait for somebody else: is it within a call of blocking_call(), or is there
 * nothing that cannot wait?  Functions that ask xenstored expect it.
 */
bool blocking_call_allowed(void);

/* Reports @what, which waits, once if it is called where it may not. */
void blocking_call_expect(const char *what);

#endif /* XENSCHED_BASE_BLOCKING_CALL_H */
