/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * look.h - when the logs are looked at: when the hypervisor rings, and from time
 * to time all the same.
 */
#ifndef XENSCHED_DAEMON_LOOK_H
#define XENSCHED_DAEMON_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/doorbell.h>

#include "daemon/feeds/feeds.h"

struct look {
    uint64_t interval_ms; /* between two looks, if nobody rings */
    uint32_t lease_ms;    /* 0: the log isn't held */
    struct xensched_doorbell *doorbell; /* NULL: there is none */
};

/*
 * The time until the next look, unless it rings before.  As long as a log is
 * read that has no doorbell, which is that of a Linux, it is the interval.
 */
uint64_t look_again_ms(const struct look *look, const struct feeds *feeds);

/* The longest that this can be. */
uint64_t look_longest_ms(const struct look *look);

#endif /* XENSCHED_DAEMON_LOOK_H */
