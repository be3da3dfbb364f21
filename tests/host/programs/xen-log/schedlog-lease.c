/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shows the lease of the log, takes one, or watches one end.
 *
 * For tests of schedulers that die: a witness, and another scheduler, which use libxenctrl only and
 * none of xensched's own library.
 *
 *   schedlog-lease show             prints EVENTS-ON LEASE-MS, both numbers
 *   schedlog-lease kill PID         kills the process (SIGKILL) and prints the
 *                                   time in ms until all events are off and
 *                                   the log has no holder; gives up after 60 s
 *   schedlog-lease hold MS SECONDS  sets up an area of its own if there is none, holds it for this
 *                                   time with a lease of MS, and ends without releasing it
 */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <xenctrl.h>
#include <xenforeignmemory.h>
#include <xensched/abi.h>

#define COOKIE 0x6f74686572ULL /* unlikely to be another program's */
#define GIVE_UP_MS 60000
#define LOOK_US 10000

static xc_interface *xch;

static uint64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);

    return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}

static xc_schedlog_info_t ask(void)
{
    xc_schedlog_info_t info;

    if (xc_schedlog_info(xch, &info))
        err(1, "cannot ask Xen");

    return info;
}

static int show(void)
{
    xc_schedlog_info_t info = ask();

    printf("%u %u\n", info.events_enabled, info.lease_ms);

    return 0;
}

static int kill_and_watch(pid_t pid)
{
    uint64_t begin = now_ms();
    xc_schedlog_info_t info;

    if (kill(pid, SIGKILL))
        err(1, "cannot kill %d", (int)pid);
    do {
        usleep(LOOK_US);
        info = ask();
        if (now_ms() - begin > GIVE_UP_MS)
            errx(1, "still on: events %#x, a lease of %u ms",
                 info.events_enabled, info.lease_ms);
    } while (info.events_enabled || info.lease_ms);
    printf("%llu\n", (unsigned long long)(now_ms() - begin));

    return 0;
}

static volatile struct xen_schedlog_header *map_header(void)
{
    xenforeignmemory_handle *fmem = xenforeignmemory_open(NULL, 0);
    uint64_t frame;
    xen_pfn_t pfn;
    void *va;

    if (!fmem || xc_schedlog_frames(xch, XEN_SCHEDLOG_REGION_GLOBAL, 0, 0, 1,
                                    &frame) != 1)
        err(1, "cannot get the header's frame");
    pfn = frame;
    va = xenforeignmemory_map(fmem, DOMID_XEN, PROT_READ | PROT_WRITE, 1, &pfn,
                              NULL);
    if (!va)
        err(1, "cannot map the header");

    return va;
}

static int hold(uint32_t lease_ms, unsigned int seconds)
{
    uint32_t events = 1U << XEN_SCHEDLOG_EV_EVTCHN_SEND;
    uint64_t end = now_ms() + seconds * 1000ULL;
    volatile struct xen_schedlog_header *header;
    uint32_t size = 4096;

    if (!ask().nr_cpus && xc_schedlog_setup(xch, 2, 1, &size, NULL))
        err(1, "cannot set an area up");
    header = map_header();
    while (xc_schedlog_events(xch, events, lease_ms, COOKIE))
        if (errno != EBUSY)
            err(1, "cannot hold the log");
    while (now_ms() < end) {
        header->lease++;
        usleep(lease_ms * 1000 / 10);
    }

    return 0;
}

int main(int argc, char **argv)
{
    xch = xc_interface_open(NULL, NULL, 0);
    if (!xch)
        err(1, "cannot talk to Xen");
    if (argc == 2 && !strcmp(argv[1], "show"))
        return show();
    if (argc == 3 && !strcmp(argv[1], "kill"))
        return kill_and_watch(atoi(argv[2]));
    if (argc == 4 && !strcmp(argv[1], "hold"))
        return hold(atoi(argv[2]), atoi(argv[3]));
    errx(2, "usage: schedlog-lease show | kill PID | hold MS SECONDS");
}
