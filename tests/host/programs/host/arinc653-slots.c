/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gives domains their slots in the major frame of a cpupool with the scheduler arinc653, for which
 * xl has no command.
 *
 *   arinc653-slots POOL FRAME_US DOMID:SLOT_US...   POOL is the pool's number
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenctrl.h>

#define NS_PER_US 1000ULL

static void add_slot(xc_interface *xch, struct xen_sysctl_arinc653_schedule *schedule,
                     const char *slot)
{
    xc_domaininfo_t domain;
    unsigned int domid, us;

    if (sscanf(slot, "%u:%u", &domid, &us) != 2)
        errx(2, "%s: not DOMID:SLOT_US", slot);
    if (schedule->num_sched_entries == ARINC653_MAX_DOMAINS_PER_SCHEDULE)
        errx(2, "too many slots");
    if (xc_domain_getinfo_single(xch, domid, &domain))
        err(1, "domain %u", domid);
    memcpy(schedule->sched_entries[schedule->num_sched_entries].dom_handle, domain.handle,
           sizeof(domain.handle));
    schedule->sched_entries[schedule->num_sched_entries++].runtime = us * NS_PER_US;
}

int main(int argc, char **argv)
{
    static struct xen_sysctl_arinc653_schedule schedule;
    xc_interface *xch;
    int i;

    if (argc < 4)
        errx(2, "usage: arinc653-slots POOL FRAME_US DOMID:SLOT_US...");
    xch = xc_interface_open(NULL, NULL, 0);
    if (!xch)
        err(1, "cannot talk to Xen");
    schedule.major_frame = strtoul(argv[2], NULL, 10) * NS_PER_US;
    for (i = 3; i < argc; i++)
        add_slot(xch, &schedule, argv[i]);
    if (xc_sched_arinc653_schedule_set(xch, strtoul(argv[1], NULL, 10), &schedule))
        err(1, "cannot set the schedule");

    return 0;
}
