/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Computes, and measures each unit of work by the clock of the domain in which this program runs.
 *
 * Usage: timed-work KIB LOADS RATE SEED START MS
 *
 * A unit is LOADS loads from KIB of memory, in no order; each needs the one before.  RATE units per
 * second are due, at times that SEED draws (open-loop.h).  A unit that is due during the one before
 * begins after it.
 *
 * The program starts at START, in seconds of CLOCK_REALTIME (0: at once), and discards
 * the first 5 ms; then it counts for MS ms.
 *
 * Prints: UNITS MEAN MEDIAN P99, the last three in ns from when a unit is due to its end.
 */
#include <err.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "line-ring.h"
#include "open-loop.h"

static void **make_ring(size_t bytes)
{
    void *memory;

    if (posix_memalign(&memory, LINE, bytes))
        errx(1, "no memory for %zu bytes", bytes);

    return line_ring_make(memory, bytes / LINE);
}

static void sleep_to(int64_t due)
{
    struct timespec time = {
        .tv_sec = due / (1000 * MS_NS),
        .tv_nsec = due % (1000 * MS_NS),
    };

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

int main(int argc, char **argv)
{
    struct times times = { 0 };
    struct arrivals arrivals;
    int64_t begin, end;
    void **at;

    if (argc != 7 || atol(argv[1]) < 1 || atol(argv[3]) < 1)
        errx(2, "usage: timed-work KIB LOADS RATE SEED START MS");
    arrivals_init(&arrivals, atol(argv[3]), strtoull(argv[4], NULL, 10));
    at = make_ring(atol(argv[1]) * 1024);
    arrivals_sleep_until(&arrivals, atol(argv[5]));
    arrivals.next = clock_ns(CLOCK_MONOTONIC);
    begin = arrivals.next + WARM_NS;
    end = begin + atol(argv[6]) * MS_NS;
    while (arrivals.next < end) {
        int64_t due = arrivals_take(&arrivals, 0);

        sleep_to(due);
        at = line_ring_follow(at, atol(argv[2]));
        if (due >= begin)
            times_add(&times, clock_ns(CLOCK_MONOTONIC) - due);
    }
    times_print(&times);

    return 0;
}
