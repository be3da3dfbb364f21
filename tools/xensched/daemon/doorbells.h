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
    uint64_t interval_ms; /* between two reads, if no doorbell rings */
    uint32_t lease_ms;    /* 0: the daemon does not hold the log */
    bool rings;           /* the hypervisor has a doorbell */
    bool linux_rings;     /* dom0's Linux has a doorbell */
    uint64_t due;         /* argument of the last read_schedule_done() */
    unsigned int silent;  /* reads since the last ring that a ring should have preceded */
    bool rung;            /* since the last read */
};

/* Call this when the hypervisor has rung.  Returns true if its doorbell counted as broken. */
bool read_schedule_rung(struct read_schedule *read_schedule);

/*
 * The daemon has read the hypervisor's log.  @due: how often a log buffer has been found past
 * its watermark so far.  Returns true if the doorbell counts as broken from now on: a doorbell
 * can be bound and never ring, and then each read would come too late.
 */
bool read_schedule_done(struct read_schedule *read_schedule, uint64_t due);

/*
 * The time until the next read, if no doorbell rings before.  While the daemon reads the log
 * of a driver domain, which has no doorbell, that time is the interval.
 */
uint64_t read_schedule_next_ms(const struct read_schedule *read_schedule,
                               const struct log_sources *sources);

/* The longest time that read_schedule_next_ms() can return. */
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
    struct bell hypervisor, dom0; /* dom0: its Linux */
    ev_timer linux_again;
};

/* When a log has to be read, the event loop calls @rung or @linux_rung with @arg. */
void bells_init(struct bells *bells, struct ev_loop *loop, struct read_schedule *read_schedule,
                void (*rung)(void *arg), void (*linux_rung)(void *arg),
                void *arg);

/* Listens to the hypervisor's doorbell; @area is its log.  Logs a message if there is none. */
void bells_listen(struct bells *bells, struct xensched_area *area);

/* Call this when the log of dom0's Linux may have appeared or disappeared. */
void bells_follow_linux(struct bells *bells, const struct log_sources *sources);

void bells_free(struct bells *bells);

#endif /* XENSCHED_DAEMON_DOORBELLS_H */
