/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps the shared memory of the log.
 */

#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Before all headers of Xen, so that they declare what tools need. */
#include "log-memory.h"

#include <xenforeignmemory.h>

/* The number of frames that one hypercall returns. */
#define FRAMES_PER_CALL 1024

static xc_interface *xch;
static xenforeignmemory_handle *fmem;

xc_interface *log_open(void)
{
    xch = xc_interface_open(NULL, NULL, 0);
    fmem = xenforeignmemory_open(NULL, 0);
    if (!xch || !fmem)
        err(1, "cannot talk to Xen");

    return xch;
}

/* Returns all frames of a region; 0: the pCPU has no area.  The caller frees them. */
static size_t get_frames(uint32_t region, uint32_t cpu, xen_pfn_t **pfns)
{
    uint64_t frames[FRAMES_PER_CALL];
    size_t total = 0;
    int nr;

    *pfns = NULL;
    do {
        nr = xc_schedlog_frames(xch, region, cpu, total, FRAMES_PER_CALL,
                                frames);
        if (nr < 0 && errno == ENODEV)
            return 0;
        if (nr < 0)
            err(1, "cannot get the frames of region %u", region);
        *pfns = realloc(*pfns, (total + nr) * sizeof(**pfns));
        for (int i = 0; i < nr; i++)
            (*pfns)[total + i] = frames[i];
        total += nr;
    } while (nr == FRAMES_PER_CALL);

    return total;
}

void *log_map(uint32_t region, uint32_t cpu, int prot)
{
    xen_pfn_t *pfns;
    size_t nr = get_frames(region, cpu, &pfns);
    void *va;

    if (!nr)
        return NULL;

    va = xenforeignmemory_map(fmem, DOMID_XEN, prot, nr, pfns, NULL);
    if (!va)
        err(1, "cannot map region %u of pCPU %u", region, cpu);
    free(pfns);

    return va;
}

uint32_t log_nr_cpus(void)
{
    xc_schedlog_info_t info;

    if (xc_schedlog_info(xch, &info))
        err(1, "cannot ask about the area");

    return info.nr_cpus;
}

xen_schedlog_file_t log_file(uint32_t nr)
{
    xen_schedlog_file_t file;

    if (xc_schedlog_files(xch, nr, 1, &file) != 1)
        err(1, "no log buffer %u", nr);

    return file;
}

volatile uint64_t *log_routes(uint32_t acct)
{
    static uint8_t *global;

    if (!global)
        global = log_map(XEN_SCHEDLOG_REGION_GLOBAL, 0,
                         PROT_READ | PROT_WRITE);
    if (!global)
        errx(1, "there is no area");

    return (uint64_t *)(global + XEN_SCHEDLOG_ROUTES_OFFSET) +
           acct * XEN_SCHEDLOG_NR_EVENTS;
}

int log_event(const char *event)
{
#define IF_NAMED(NAME, name, kind) \
    if (!strcmp(event, name))      \
        return XEN_SCHEDLOG_EV_##NAME;
    XENSCHED_EVENTS(IF_NAMED)

    errx(2, "%s: no such event", event);
}

const char *log_event_name(int event)
{
    switch (event) {
#define CASE(NAME, name, kind)   \
    case XEN_SCHEDLOG_EV_##NAME: \
        return name;
    XENSCHED_EVENTS(CASE)
    }

    return "unknown";
}
