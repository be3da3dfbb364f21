/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bells.h - the doorbells of the logs in the event loop: the hypervisor's, which
 * is there or not, and that of dom0's Linux, which comes and goes with its log.
 * When they ring another part looks; struct read_schedule learns what they can.
 */
#ifndef XENSCHED_DAEMON_BELLS_H
#define XENSCHED_DAEMON_BELLS_H

#include <ev.h>

#include <xensched/area.h>
#include <xensched/doorbell.h>

#include "daemon/sources/log-sources.h"
#include "daemon/read-schedule.h"

struct bell {
    struct xensched_doorbell *doorbell; /* NULL: there is none */
    ev_io io;
    void (*rung)(void *arg);
    void *arg;
};

struct bells {
    struct ev_loop *loop;
    struct read_schedule *read_schedule;
    struct bell hypervisor, dom0; /* dom0: of its Linux */
    ev_timer linux_again;
};

/* @rung and @linux_rung are called, with @arg, when a log has to be read. */
void bells_init(struct bells *bells, struct ev_loop *loop, struct read_schedule *read_schedule,
                void (*rung)(void *arg), void (*linux_rung)(void *arg),
                void *arg);

/* That of the hypervisor, whose log @area is.  Says it if there is none. */
void bells_listen(struct bells *bells, struct xensched_area *area);

/* The log of dom0's Linux may have come or gone. */
void bells_follow_linux(struct bells *bells, const struct log_sources *sources);

void bells_free(struct bells *bells);

#endif /* XENSCHED_DAEMON_BELLS_H */
