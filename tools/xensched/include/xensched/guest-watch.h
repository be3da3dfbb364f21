/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * guest-watch.h - tell a guest's module xensched_guest which threads are waited
 * for: it makes a mark when one gets a vCPU, or leaves one.
 */
#ifndef XENSCHED_GUEST_WATCH_H
#define XENSCHED_GUEST_WATCH_H

#include <stdint.h>

#include <xensched/error.h>

/*
 * @lines is what guest-drivers/guest/watch.c says; NULL: none any more.  Whether
 * the module is there is not known.  0, or a negative errno value; -ESRCH: the
 * domain is gone.
 */
int xensched_guest_watch(uint32_t domid, const char *lines,
                         struct xensched_error *err);

#endif /* XENSCHED_GUEST_WATCH_H */
