/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * stop.h - pauses a domain inside the hypercall by which it logs a mark, and resumes it.
 *
 * Xen remembers these stops, so that after a crash of the program a domain that it stopped can be
 * distinguished from one that an operator has paused.  All functions return 0 or a negative errno
 * value; -ESRCH: there is no such domain; -EOPNOTSUPP: this Xen has no stops; -EEXIST: another
 * scheduler holds the log (xensched_show_cookie()).
 *
 * A stop is independent of a toolstack's pause: a domain that is paused as well stays paused.
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
 * Stops the domain once, at its next mark whose code equals @code in the bits of @mask.  -EBUSY:
 * another program has armed a stop, or the domain is stopped.
 */
int xensched_stop_arm(uint32_t domid, uint32_t code, uint32_t mask,
                      struct xensched_error *err);

/* Stops the domain now.  -EBUSY: it is stopped already. */
int xensched_stop_pause(uint32_t domid, struct xensched_error *err);

/* Resumes the domain if it is stopped, and disarms the stop if one is armed. */
int xensched_stop_resume(uint32_t domid, struct xensched_error *err);

/* Ends the stop but leaves the domain paused; "xl unpause" resumes it. */
int xensched_stop_forget(uint32_t domid, struct xensched_error *err);

#endif /* XENSCHED_STOP_H */
