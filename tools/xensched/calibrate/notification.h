/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * notification.h - how long it takes from a notification through an event channel
 * until a process that waits for it on another vCPU goes on.
 */
#ifndef XENSCHED_CALIBRATE_NOTIFICATION_H
#define XENSCHED_CALIBRATE_NOTIFICATION_H

/* ns, between two CPUs of this Linux, dom0's; -1: it could not be measured. */
double notification_ns(unsigned int a, unsigned int b);

#endif /* XENSCHED_CALIBRATE_NOTIFICATION_H */
