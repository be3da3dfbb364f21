/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pace.h - a bound on how often affinities are changed, whatever plans say: if
 * all else fails, a host is not worse off than that.
 */
#ifndef XENSCHED_DAEMON_PACE_H
#define XENSCHED_DAEMON_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* The bound is so many per minute, at most. */
#define PACE_MAX 1000U

#define PACE_MINUTE_NS 60000000000ULL

struct pace {
    unsigned int nr;          /* ever noted */
    uint64_t at_ns[PACE_MAX]; /* a ring of the latest */
};

/* May there be one more, of @bound in a minute?  0: there is no bound. */
bool pace_allows(const struct pace *pace, unsigned int bound,
                 uint64_t now_ns);

/* There was one. */
void pace_note(struct pace *pace, uint64_t now_ns);

#endif /* XENSCHED_DAEMON_PACE_H */
