/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * doorbell.h - be told when a log has to be read, instead of looking.
 *
 * The producer rings for log files which have reached their mark
 * (xensched_area_set_mark()): the hypervisor by an event channel, the Linux below
 * us by its device.  Rows can come without that: look from time to time.
 */
#ifndef XENSCHED_DOORBELL_H
#define XENSCHED_DOORBELL_H

#include <stdint.h>

#include <xensched/error.h>

struct xensched_doorbell;

/*
 * @virq is what struct xensched_area_info says.  Needs no area, and stays valid
 * when there is another one.  Returns 0 or a negative errno value:
 *   -EOPNOTSUPP  @virq is 0: this log has no doorbell
 *   -ENOENT      /dev/xen/evtchn is missing
 *   -EEXIST      another program of this domain has it
 */
int xensched_doorbell_open(uint32_t virq, struct xensched_doorbell **bell,
                           struct xensched_error *err);

/*
 * That of the Linux below us, whose log has one if struct xensched_area_info says
 * so.  It rings as long as a log file is past its mark, whichever program set it, and
 * keeps the module from being removed.  -ENOENT: there is no such log.
 */
int xensched_doorbell_open_linux(struct xensched_doorbell **bell,
                                 struct xensched_error *err);

/* Readable when it has rung. */
int xensched_doorbell_fd(const struct xensched_doorbell *bell);

/* Call this before the log is read: from then on it can ring again. */
void xensched_doorbell_answer(struct xensched_doorbell *bell);

/* NULL is allowed. */
void xensched_doorbell_close(struct xensched_doorbell *bell);

#endif /* XENSCHED_DOORBELL_H */
