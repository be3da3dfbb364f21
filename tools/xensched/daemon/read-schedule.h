/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * read-schedule.h - when to read the logs: when the hypervisor's doorbell rings, and at
 * the latest after an interval.
 */
#ifndef XENSCHED_DAEMON_READ_SCHEDULE_H
#define XENSCHED_DAEMON_READ_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

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

/* The hypervisor has rung.  Returns true if it was believed to be broken. */
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

#endif /* XENSCHED_DAEMON_READ_SCHEDULE_H */
