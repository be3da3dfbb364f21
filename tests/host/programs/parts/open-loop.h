/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * open-loop.h - work that is due at drawn times, whatever happened to the work before it, and
 * how long it takes from then on.
 */
#ifndef OPEN_LOOP_H
#define OPEN_LOOP_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define MS_NS 1000000LL

/* The first period of each program is not counted. */
#define WARM_NS (5 * MS_NS)

struct arrivals {
    uint64_t random;
    int64_t gap;     /* mean time between two of them in ns; 0: a closed loop */
    int64_t next;    /* when the next one is due, by CLOCK_MONOTONIC, if gap is not 0 */
};

struct times {
    int64_t *ns;
    size_t nr, room;
};

int64_t clock_ns(clockid_t clock);

/* @rate: per second; gaps are uniform between 0 and twice the mean. */
void arrivals_init(struct arrivals *arrivals, long rate, uint64_t seed);
uint64_t arrivals_draw(struct arrivals *arrivals);
/* Sleeps until up to 1 ms, which is drawn, after @seconds of CLOCK_REALTIME; 0: not at all. */
void arrivals_sleep_until(struct arrivals *arrivals, long seconds);
/* Returns when the next work was due; @now in a closed loop. */
int64_t arrivals_take(struct arrivals *arrivals, int64_t now);

void times_add(struct times *times, int64_t ns);
/* Prints: NUMBER MEAN MEDIAN P99, the last three in ns. */
void times_print(struct times *times);

#endif /* OPEN_LOOP_H */
