/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Writes the scheduler's words into an area (registers, watermarks, routes, lease), and turns
 * events on and off.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include <xensched/barrier.h>
#include <xensched/event.h>

#include "area-parts.h"

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

void xensched_area_set_mark(struct xensched_area *area, uint32_t cpu,
                            uint32_t file, uint64_t pos)
{
    uint8_t *base = cpu < area->info.nr_cpus ? area->cpus[cpu].control.base
                                             : NULL;
    uint64_t *marks;

    if (!area->writable || !base || file >= area->info.nr_files)
        return;
    marks = (uint64_t *)(base +
                         XEN_SCHEDLOG_MARKS_OFFSET(area->info.nr_files));
    shared_store64(&marks[file], pos);
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

    return xensched_fail(err, EOPNOTSUPP, "there are no sites of the "
                         "events:%s", names);
}

struct switching {
    uint32_t mask;
    uint32_t lease_ms;
};

static int call_events(struct xensched_area *area, const void *arg)
{
    const struct switching *to = arg;

    return area->ops->events(area, to->mask, to->lease_ms);
}

int xensched_area_events(struct xensched_area *area, uint32_t mask,
                         uint32_t lease_ms, struct xensched_error *err)
{
    const struct switching to = { mask, lease_ms };
    int code;

    if (mask & ~area->info.events_built)
        return not_built(area, mask, err);

    code = area_while_busy(area, call_events, &to);
    switch (code) {
    case 0:
        return 0;
    case EEXIST:
        return area_held(area, err);
    case ENOENT:
        return xensched_fail(err, code, "the schedlog area is gone: another "
                             "program has given it up");
    case EINVAL:
        return xensched_fail(err, code, "refused: a lease of %u ms (100 to "
                             "3600000 and a cookie), or performance counters "
                             "which count nothing yet", lease_ms);
    default:
        return area->ops->failed(err, code, "switching events");
    }
}
