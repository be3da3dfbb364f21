/* SPDX-License-Identifier: GPL-2.0-only */
/* Uses the log device without xensched's library. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <xenctrl.h>
#include <xensched/abi.h>

#include "linux-log.h"
#include "uapi/xensched_log.h"

#define FILE_SIZE (4U << 20)
#define ROUTES_SIZE \
    (LINUX_LOG_NR_ACCT * XEN_SCHEDLOG_NR_EVENTS * sizeof(uint64_t))

#define LCR (XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT | \
             XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER | \
             XEN_SCHEDLOG_LCR_COUNTER64 | XEN_SCHEDLOG_LCR_TIME_TSC | \
             XEN_SCHEDLOG_LCR_TIME64)

static int dev;
static uint32_t nr_cpus;
static volatile uint64_t *routes;

/* NULL: no such CPU. */
static void *map(uint32_t region, uint32_t cpu, size_t size, int prot)
{
    void *va = mmap(NULL, size, prot, MAP_SHARED, dev,
                    XENSCHED_LOG_OFFSET(region, cpu));

    return va == MAP_FAILED ? NULL : va;
}

static void set_routes(uint16_t acct, uint64_t route)
{
    for (int event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
        routes[acct * XEN_SCHEDLOG_NR_EVENTS + event] = route;
}

void linux_log_route(uint16_t acct, uint32_t threshold)
{
    set_routes(acct, XEN_SCHEDLOG_ROUTE_VALID | threshold);
}

void linux_log_unroute(uint16_t acct)
{
    set_routes(acct, 0);
}

void linux_log_set_up(void)
{
    uint32_t size = FILE_SIZE;
    uint8_t *global;
    struct xensched_log_info info;
    struct xensched_log_release release = { 0 };
    struct xensched_log_setup setup = {
        LINUX_LOG_NR_ACCT, 1, (uintptr_t)&size
    };

    dev = open("/dev/xensched-log", O_RDWR | O_CLOEXEC);
    if (dev < 0)
        err(1, "/dev/xensched-log");
    if (ioctl(dev, XENSCHED_LOG_INFO, &info))
        err(1, "cannot ask for the version");
    if (info.abi_version != XEN_SCHEDLOG_ABI_VERSION)
        errx(1, "the log has version %u, this program has %u: %s",
             info.abi_version, XEN_SCHEDLOG_ABI_VERSION, strerror(EPROTO));
    if (ioctl(dev, XENSCHED_LOG_RELEASE, &release) ||
        ioctl(dev, XENSCHED_LOG_SETUP, &setup) ||
        ioctl(dev, XENSCHED_LOG_INFO, &info))
        err(1, "cannot set the area up");
    nr_cpus = info.nr_cpus;

    for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
        volatile uint32_t *lcr = map(XEN_SCHEDLOG_REGION_CONTROL, cpu, 4096,
                                     PROT_READ | PROT_WRITE);

        if (lcr)
            *lcr = LCR;
    }

    global = map(XEN_SCHEDLOG_REGION_GLOBAL, 0,
                 XEN_SCHEDLOG_ROUTES_OFFSET + ROUTES_SIZE,
                 PROT_READ | PROT_WRITE);
    if (!global)
        err(1, "cannot map the routes");
    routes = (void *)(global + XEN_SCHEDLOG_ROUTES_OFFSET);
}

void linux_log_turn_on(uint32_t events)
{
    struct xensched_log_events op = { .events = events };

    if (ioctl(dev, XENSCHED_LOG_EVENTS, &op))
        err(1, "cannot turn events %#x on", events);
}

bool linux_log_rows(void (*take)(uint32_t cpu, const struct linux_log_row *row,
                                 void *arg), void *arg)
{
    for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
        const struct xen_schedlog_state *state =
            map(XEN_SCHEDLOG_REGION_STATE, cpu, 4096, PROT_READ);
        const struct linux_log_row *row = map(XEN_SCHEDLOG_REGION_DATA, cpu,
                                              FILE_SIZE, PROT_READ);

        if (!state || !row)
            continue;
        if (state->pos > FILE_SIZE)
            return false;
        for (uint64_t i = 0; i < state->pos / sizeof(*row); i++)
            take(cpu, &row[i], arg);
    }

    return true;
}

void linux_log_release(void)
{
    struct xensched_log_release release = { 0 };

    if (ioctl(dev, XENSCHED_LOG_RELEASE, &release))
        err(1, "cannot give the area up");
}
