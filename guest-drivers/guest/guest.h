/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declares the parts of the guest module.
 */
#ifndef XENSCHED_GUEST_H
#define XENSCHED_GUEST_H

int xensched_mark_init(void);
void xensched_mark_exit(void);

void xensched_runq_init(void);
void xensched_runq_exit(void);

void xensched_thread_init(void);
void xensched_thread_exit(void);

void xensched_request_init(void);
void xensched_request_exit(void);

void xensched_watch_init(void);
void xensched_watch_exit(void);

#endif /* XENSCHED_GUEST_H */
