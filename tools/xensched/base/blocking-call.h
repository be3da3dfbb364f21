/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * blocking-call.h - calls that may hang, made by a second thread.
 *
 * A call of xenstored, of libxl or of a disk may never return.  While the second thread
 * makes it, the first one waits for it and does the work that cannot wait: it reads logs
 * and renews the lease.  Nothing else of the daemon runs beside such a call, so the call
 * may use all that this work does not touch.
 */
#ifndef XENSCHED_BASE_BLOCKING_CALL_H
#define XENSCHED_BASE_BLOCKING_CALL_H

#include <stdbool.h>

/* @meanwhile: the work that cannot wait.  It is called often and makes no such call. */
void blocking_call_init(void (*meanwhile)(void *arg), void *arg);

/* Returns what @call returned.  Within such a call, @call is simply made. */
int blocking_call(int (*call)(void *arg), void *arg);

/*
 * May this thread block: is it within blocking_call(), or is there no work that cannot
 * wait?  Functions that ask xenstored expect it.
 */
bool blocking_call_allowed(void);

/* Report, once, that @what was called where this thread may not block. */
void blocking_call_expect(const char *what);

#endif /* XENSCHED_BASE_BLOCKING_CALL_H */
