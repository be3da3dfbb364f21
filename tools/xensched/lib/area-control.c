/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * area-control.c - what the scheduler writes into an area (registers, routes,
 * lease), and the hypercalls which go with it; see xensched/area.h.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <xensched/event.h>

#include "area.h"
#include "barrier.h"

/* As in area.c: while pCPUs come or go events cannot be switched. */
#define BUSY_TRIES 50
#define BUSY_PAUSE_US 10000

int xensched_area_set_lcr(struct xensched_area *area, uint32_t file,
                          uint32_t lcr)
{
    uint32_t cpu;

    if (!area->writable || file >= area->info.nr_files)
        return -EINVAL;
    area->lcr[file] = lcr;
    for (cpu = 0; cpu < area->info.nr_cpus; cpu++) {
        uint32_t *registers = area->cpus[cpu].control.base;

        if (registers)
            shared_store32(&registers[file], lcr);
    }

    return 0;
}

static int store_route(struct xensched_area *area, uint16_t acct,
                       unsigned int event, uint64_t route)
{
    uint8_t *base = area->global.base;
    uint64_t *routes = (uint64_t *)(base + XEN_SCHEDLOG_ROUTES_OFFSET);

    if (!area->writable || acct >= area->info.nr_acct ||
        event >= XEN_SCHEDLOG_NR_EVENTS)
        return -EINVAL;
    shared_store64(&routes[(size_t)acct * XEN_SCHEDLOG_NR_EVENTS + event],
                   route);

    return 0;
}

int xensched_area_set_route(struct xensched_area *area, uint16_t acct,
                            unsigned int event, uint32_t file,
                            uint32_t threshold)
{
    if (file >= area->info.nr_files)
        return -EINVAL;

    return store_route(area, acct, event, XEN_SCHEDLOG_ROUTE_VALID |
                       (uint64_t)file << XEN_SCHEDLOG_ROUTE_FILE_SHIFT |
                       threshold);
}

int xensched_area_clear_route(struct xensched_area *area, uint16_t acct,
                              unsigned int event)
{
    return store_route(area, acct, event, 0);
}

void xensched_area_renew_lease(struct xensched_area *area)
{
    struct xen_schedlog_header *header = area->global.base;

    if (area->writable)
        shared_store64(&header->lease, shared_load64(&header->lease) + 1);
}

static int not_built(struct xensched_area *area, uint32_t mask,
                     struct xensched_error *err)
{
    char names[200] = "";
    size_t end = 0;
    unsigned int i;

    mask &= ~area->info.events_built;
    for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++) {
        const char *name = xensched_event_name(i);

        if ((mask & (1U << i)) && end < sizeof(names))
            end += snprintf(names + end, sizeof(names) - end, " %s",
                            name ? name : "?");
    }

    return xensched_fail(err, EOPNOTSUPP, "this hypervisor has no sites for "
                         "the events:%s", names);
}

int xensched_area_events(struct xensched_area *area, uint32_t mask,
                         struct xensched_error *err)
{
    unsigned int try;

    if (mask & ~area->info.events_built)
        return not_built(area, mask, err);

    for (try = 0; try < BUSY_TRIES; try++) {
        if (!xc_schedlog_events(area->xch, mask))
            return 0;
        if (errno != EBUSY)
            break;
        usleep(BUSY_PAUSE_US);
    }

    return xensched_xen_failed(err, errno, "switching events");
}

int xensched_area_bind(struct xensched_area *area, uint32_t domid,
                       uint16_t acct, struct xensched_error *err)
{
    if (xc_schedlog_bind(area->xch, domid, XEN_DOMCTL_SCHEDLOG_ALL_VCPUS, acct))
        return xensched_fail(err, errno, "cannot bind domain %u to accounting "
                             "domain %u: %s", domid, acct, strerror(errno));

    return 0;
}
