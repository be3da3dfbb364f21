/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * doorbell.h - notifies the reader when a log has to be read, so that it need not poll.
 *
 * The producer rings for log buffers that have reached their watermark (xensched_area_set_mark()):
 * the hypervisor by an event channel, the caller's Linux by its device.  A producer may log rows
 * without ringing, so read the log now and then, too.
 */
#ifndef XENSCHED_DOORBELL_H
#define XENSCHED_DOORBELL_H

#include <stdint.h>

#include <xensched/error.h>

struct xensched_doorbell;

/*
 * @virq is the doorbell of struct xensched_area_info.  Needs no area, and stays valid when another
 * area is set up.  Returns 0 or a negative errno value:
 *   -EOPNOTSUPP  @virq is 0: this log has no doorbell
 *   -ENOENT      /dev/xen/evtchn is missing
 *   -EEXIST      another program of this domain has it
 */
int xensched_doorbell_open(uint32_t virq, struct xensched_doorbell **bell,
                           struct xensched_error *err);

/*
 * Opens the doorbell of the caller's Linux; struct xensched_area_info states whether it has one.
 * It rings as long as a log buffer is past its watermark, whichever program set that, and keeps
 * the module from being removed.  -ENOENT: there is no such log.
 */
int xensched_doorbell_open_linux(struct xensched_doorbell **bell,
                                 struct xensched_error *err);

/* A file descriptor that is readable once the doorbell has rung. */
int xensched_doorbell_fd(const struct xensched_doorbell *bell);

/* Call this before you read the log; the doorbell can ring again from then on. */
void xensched_doorbell_answer(struct xensched_doorbell *bell);

/* NULL is allowed. */
void xensched_doorbell_close(struct xensched_doorbell *bell);

#endif /* XENSCHED_DOORBELL_H */
