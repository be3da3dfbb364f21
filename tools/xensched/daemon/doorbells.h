/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * doorbells.h - when the daemon reads the logs: if a doorbell rings, and at the latest after an
 * interval.
 *
 * The hypervisor's doorbell exists or not; that of dom0's Linux comes and goes with its log.
 */
#ifndef XENSCHED_DAEMON_DOORBELLS_H
#define XENSCHED_DAEMON_DOORBELLS_H

#include <stdbool.h>
#include <stdint.h>

#include <ev.h>
#include <xensched/area.h>
#include <xensched/doorbell.h>

#include "daemon/sources/log-sources.h"

struct read_schedule {
    uint64_t interval_ms; /* between two looks, if no bell rings */
    uint32_t lease_ms;    /* 0: the log isn't held */
    bool rings;           /* the hypervisor can */
    bool linux_rings;     /* dom0's Linux can */
    uint64_t due;         /* as it was told last */
    unsigned int silent;  /* looks since it rang which it should have rung for */
    bool rung;            /* since the last look */
};

/* The hypervisor has rung.  Returns true if its doorbell counted as broken. */
bool read_schedule_rung(struct read_schedule *read_schedule);

/*
 * Its log was looked at, of which @due log files were past their mark so far.
 * Returns true if from now on the doorbell is believed to be broken: it can be
 * bound and never ring, and logs would be looked at too late for good.
 */
bool read_schedule_done(struct read_schedule *read_schedule, uint64_t due);

/*
 * The time until the next look, unless it rings before.  As long as a log is
 * read that has no doorbell, which is that of a driver domain, it is the interval.
 */
uint64_t read_schedule_next_ms(const struct read_schedule *read_schedule,
                               const struct log_sources *sources);

/* The longest that this can be. */
uint64_t read_schedule_longest_ms(const struct read_schedule *read_schedule);

/*
 * Doorbells in the event loop.  If one rings, the caller reads; struct read_schedule records what
 * the doorbells can do.
 */

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

#endif /* XENSCHED_DAEMON_DOORBELLS_H */
