/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Turn all events that this Xen has, but for performance counters, on and off
 * again, many times.
 *
 * Usage: schedlog-toggle ROUNDS
 *
 * "Busy" (pCPUs come or go) is the one answer that is tried again.  Prints how
 * often that was, and the longest time that one change took.
 */
#include <err.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <xenctrl.h>

#define FILE_SIZE 4096

/* These need counters to be chosen first, which not each machine has. */
#define PMC_EVENTS (0xfU << XEN_SCHEDLOG_EV_PMC0)

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);

    return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    int rounds = argc == 2 ? atoi(argv[1]) : 0, busy = 0;
    uint32_t size = FILE_SIZE;
    xc_schedlog_info_t info;
    double longest = 0;
    xc_interface *xch;

    if (rounds < 1)
        errx(2, "usage: schedlog-toggle ROUNDS");

    xch = xc_interface_open(NULL, NULL, 0);
    if (!xch || xc_schedlog_release(xch, 0) ||
        xc_schedlog_setup(xch, 2, 1, &size) || xc_schedlog_info(xch, &info))
        err(1, "cannot set the area up");

    for (int i = 0; i < 2 * rounds; i++) {
        uint32_t events = i % 2 ? 0 : info.events_built & ~PMC_EVENTS;
        double begin = now(), took;

        while (xc_schedlog_events(xch, events, 0, 0)) {
            if (errno != EBUSY)
                err(1, "change %d failed", i + 1);
            busy++;
        }
        took = now() - begin;
        if (took > longest)
            longest = took;

        if (xc_schedlog_info(xch, &info) || info.events_enabled != events)
            errx(1, "after change %d the events that are on are %#x, not %#x",
                 i + 1, info.events_enabled, events);
    }

    if (xc_schedlog_release(xch, 0))
        err(1, "cannot give the area up");
    printf("%d times on and off, busy %d times, longest change %.1f ms\n",
           rounds, busy, longest * 1000);

    return 0;
}
