/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the rows that Xen logs while a command runs.
 *
 * An oracle for host tests: it uses libxenctrl only, none of xensched's own library, and reads the
 * log buffers after the events have been turned off again, which is simple.
 *
 * Usage: schedlog-count EVENT CURRENT CORRESPONDENT COMMAND [ARGUMENT...]
 *
 * EVENT is a name from xen/schedlog.h, or "off": then everything is set up for
 * all events, but none is turned on.  CURRENT and CORRESPONDENT are domids;
 * CORRESPONDENT can be "any".  Prints one line:
 *
 *   rows ROWS sum SUM-OF-COUNTERS others ROWS-THAT-DO-NOT-MATCH
 *
 * Exit code: 0, or that of COMMAND, or 99 if a log buffer was too small.
 */
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "log-memory.h"
#include "run-command.h"

#define NR_ACCT 16
#define FILE_SIZE (4U << 20)

#define ACCT_CURRENT XEN_SCHEDLOG_ACCT_FIRST
#define ACCT_CORRESPONDENT (XEN_SCHEDLOG_ACCT_FIRST + 1)

/* The entries that the register below selects. */
struct row {
    uint16_t event;
    uint16_t current;
    uint16_t correspondent;
    uint64_t counter;
};

#define LCR (XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT | \
             XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER | \
             XEN_SCHEDLOG_LCR_COUNTER64)

static xc_interface *xch;

static uint32_t set_up(void)
{
    uint32_t size = FILE_SIZE;
    xc_schedlog_info_t info;

    if (xc_schedlog_release(xch, 0) ||
        xc_schedlog_setup(xch, NR_ACCT, 1, &size, NULL) ||
        xc_schedlog_info(xch, &info))
        err(1, "cannot set the area up");

    for (uint32_t cpu = 0; cpu < info.nr_cpus; cpu++) {
        volatile uint32_t *lcr = log_map(XEN_SCHEDLOG_REGION_CONTROL, cpu,
                                         PROT_READ | PROT_WRITE);

        if (lcr)
            *lcr = LCR;
    }

    return info.nr_cpus;
}

/* All events of the current domain; the sites decide which happen. */
static void route_current(void)
{
    volatile uint64_t *route = log_routes(ACCT_CURRENT);

    for (int event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
        route[event] = XEN_SCHEDLOG_ROUTE_VALID;
}

/* A domain that has ended meanwhile needs no binding. */
static void unbind_domain(const char *domid)
{
    if (strcmp(domid, "any") &&
        xc_schedlog_bind(xch, atoi(domid), XEN_DOMCTL_SCHEDLOG_ALL_VCPUS,
                         XEN_SCHEDLOG_ACCT_REST, 0) && errno != ESRCH)
        err(1, "cannot unbind domain %s", domid);
}

static void bind_domain(const char *domid, uint16_t acct)
{
    if (strcmp(domid, "any") &&
        xc_schedlog_bind(xch, atoi(domid), XEN_DOMCTL_SCHEDLOG_ALL_VCPUS,
                         acct, 0))
        err(1, "cannot bind domain %s", domid);
}

static void turn_on(uint32_t events)
{
    while (xc_schedlog_events(xch, events, 0, 0))
        if (errno != EBUSY)
            err(1, "cannot turn events %#x on", events);
}

static bool matches(const struct row *row, int event, bool any)
{
    return row->event == event && row->current == ACCT_CURRENT &&
           (any || row->correspondent == ACCT_CORRESPONDENT);
}

/* Returns false if rows were overwritten. */
static bool count(uint32_t nr_cpus, int event, bool any)
{
    uint64_t rows = 0, sum = 0, others = 0;

    for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
        struct xen_schedlog_state *state =
            log_map(XEN_SCHEDLOG_REGION_STATE, cpu, PROT_READ);
        const struct row *row = log_map(XEN_SCHEDLOG_REGION_DATA, cpu,
                                        PROT_READ);

        if (!state)
            continue;
        if (state->pos > FILE_SIZE)
            return false;
        for (uint64_t i = 0; i < state->pos / sizeof(*row); i++)
            if (matches(&row[i], event, any)) {
                rows++;
                sum += row[i].counter;
            } else
                others++;
    }
    printf("rows %llu sum %llu others %llu\n", (unsigned long long)rows,
           (unsigned long long)sum, (unsigned long long)others);

    return true;
}

int main(int argc, char **argv)
{
    bool off, any, fits;
    uint32_t nr_cpus;
    int event, code;

    if (argc < 5)
        errx(2, "usage: schedlog-count EVENT CURRENT CORRESPONDENT COMMAND...");
    off = !strcmp(argv[1], "off");
    any = !strcmp(argv[3], "any");
    event = off ? -1 : log_event(argv[1]);

    xch = log_open();
    nr_cpus = set_up();
    route_current();
    bind_domain(argv[2], ACCT_CURRENT);
    bind_domain(argv[3], ACCT_CORRESPONDENT);

    if (!off)
        turn_on(1U << event);
    code = run_command(argv + 4);
    turn_on(0);

    fits = count(nr_cpus, event, any);
    if (!fits)
        warnx("a log buffer of %u bytes was too small", FILE_SIZE);

    unbind_domain(argv[2]);
    unbind_domain(argv[3]);
    if (xc_schedlog_release(xch, 0))
        err(1, "cannot give the area up");

    return code ? code : fits ? 0 : 99;
}
