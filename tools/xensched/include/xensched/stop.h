/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * stop.h - pause a domain inside of the hypercall by which it logs a mark, and
 * let it go again.
 *
 * Xen remembers which domains were paused so: after a crash of the program that
 * did it, domains that an operator has paused can be told from those.  All of these return 0 or
 * a negative errno value; -ESRCH: there is no such domain; -EOPNOTSUPP: this
 * Xen cannot do it; -EEXIST: another one holds the log (xensched_show_cookie()).
 *
 * A stop is a pause of its own: whatever a toolstack pauses meanwhile stays paused.
 */
#ifndef XENSCHED_STOP_H
#define XENSCHED_STOP_H

#include <stdint.h>

#include <xensched/error.h>

enum xensched_stop {
    XENSCHED_STOP_OFF,
    XENSCHED_STOP_ARMED,
    XENSCHED_STOP_STOPPED,
};

int xensched_stop_state(uint32_t domid, enum xensched_stop *state,
                        struct xensched_error *err);

/*
 * At its next mark whose code is @code in the bits of @mask, once.  -EBUSY:
 * another program has armed it, or it is stopped.
 */
int xensched_stop_arm(uint32_t domid, uint32_t code, uint32_t mask,
                      struct xensched_error *err);

/* Now.  -EBUSY: it is stopped. */
int xensched_stop_pause(uint32_t domid, struct xensched_error *err);

/* Let it go on if it is stopped, disarm it if it is armed. */
int xensched_stop_resume(uint32_t domid, struct xensched_error *err);

/* The same, but a domain that is stopped stays paused: "xl unpause" lets it go on. */
int xensched_stop_forget(uint32_t domid, struct xensched_error *err);

#endif /* XENSCHED_STOP_H */
