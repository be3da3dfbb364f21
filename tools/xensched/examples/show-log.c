/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Shows the hypervisor's log of this host: its events, its lease, and the size of
 * each log buffer.  Needs root in dom0; changes nothing.
 *
 *   ./show-log
 */
#include <inttypes.h>
#include <stdio.h>

#include <xensched/area.h>
#include <xensched/event.h>

static void print_events(uint32_t events)
{
    unsigned int i;

    for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++)
        if (events & 1U << i)
            printf(" %s", xensched_event_name(i));
    printf("\n");
}

static void print_buffers(const struct xensched_area *area)
{
    uint32_t cpu, file, size;

    for (cpu = 0; cpu < xensched_area_cpus(area); cpu++)
        for (file = 0; file < xensched_area_files(area); file++)
            if (xensched_area_data(area, cpu, file, &size))
                printf("pCPU %u, buffer %u: %u KiB\n", cpu, file, size / 1024);
}

int main(void)
{
    struct xensched_area_info info;
    struct xensched_area *area;
    struct xensched_error err;
    int rc = xensched_area_attach(&area, &err);

    if (!rc) {
        rc = xensched_area_info(area, &info, &err);
        if (!rc) {
            printf("%u log sites; events on:", info.nr_sites);
            print_events(info.events_enabled);
            printf("lease: %u of %u ms left\n", info.lease_left_ms,
                   info.lease_ms);
            print_buffers(area);
        }
        xensched_area_close(area);
    }
    if (rc)
        fprintf(stderr, "show-log: %s\n", err.text);

    return rc != 0;
}
