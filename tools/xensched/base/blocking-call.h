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

/* @meanwhile: the urgent work.  It is called often and makes no blocking call. */
void blocking_call_init(void (*meanwhile)(void *arg), void *arg);

/* Returns the result of @call.  Within such a call, @call is called directly. */
int blocking_call(int (*call)(void *arg), void *arg);

/*
 * Returns whether this thread may block: it is within blocking_call(), or no work is urgent.
 * Functions that ask xenstored expect that.
 */
bool blocking_call_allowed(void);

/* Reports, once, that @what was called where this thread may not block. */
void blocking_call_expect(const char *what);

#endif /* XENSCHED_BASE_BLOCKING_CALL_H */
