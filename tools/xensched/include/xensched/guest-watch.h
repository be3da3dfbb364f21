/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * guest-watch.h - tells a guest's module xensched_guest which threads to watch.  The module makes a
 * mark whenever one of them gets or leaves a vCPU.
 */
#ifndef XENSCHED_GUEST_WATCH_H
#define XENSCHED_GUEST_WATCH_H

#include <stdint.h>

#include <xensched/error.h>

/*
 * @lines has the form of guest-drivers/guest/watch.c; NULL ends the watch.  Does not check that
 * the guest has the module.  Returns 0 or a negative errno value; -ESRCH: there is no such domain.
 */
int xensched_guest_watch(uint32_t domid, const char *lines,
                         struct xensched_error *err);

#endif /* XENSCHED_GUEST_WATCH_H */
