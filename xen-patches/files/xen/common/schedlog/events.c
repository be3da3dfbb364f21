/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Turns events on and off by patching their sites, all of them at once.
 */

#include <xen/lib.h>
#include <xen/schedlog.h>
#include <xen/schedlog-pmc.h>

#include "area.h"
#include "events.h"

struct jump_label __read_mostly schedlog_label[XEN_SCHEDLOG_NR_EVENTS];

static uint32_t events_on;

/* Some events share a site. */
static uint32_t with_shared_sites(uint32_t events)
{
    if ( events & SCHEDLOG_STAY_EVENTS )
        events |= 1U << XEN_SCHEDLOG_EV_SERVICE_NS;
    if ( events & SCHEDLOG_WAIT_EVENTS )
        events |= (1U << XEN_SCHEDLOG_EV_WAKE_DELAY) |
                  (1U << XEN_SCHEDLOG_EV_OFF_CPU);

    return events;
}

uint32_t schedlog_events_built(unsigned int *nr_sites)
{
    uint32_t events = 0;
    unsigned int i;

    *nr_sites = 0;

    for ( i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++ )
    {
        unsigned int nr = jump_label_sites(&schedlog_label[i]);

        if ( nr )
            events |= 1U << i;
        *nr_sites += nr;
    }

    if ( events & (1U << XEN_SCHEDLOG_EV_SERVICE_NS) )
        events |= (1U << XEN_SCHEDLOG_EV_SERVICE_TSC) |
                  schedlog_pmc_events(schedlog_nr_pmcs());
    if ( events & (1U << XEN_SCHEDLOG_EV_WAKE_DELAY) )
        events |= SCHEDLOG_WAIT_EVENTS;

    return events;
}

uint32_t schedlog_events_on(void)
{
    return read_atomic(&events_on);
}

static int patch_sites(uint32_t events)
{
    unsigned int i;
    int rc;

    for ( i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++ )
        schedlog_label[i].request = with_shared_sites(events) & (1U << i);

    schedlog_stay_start(events);
    schedlog_wait_start(events);

    rc = jump_label_apply();
    if ( rc )
        for ( i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++ )
            schedlog_label[i].request = schedlog_label[i].on;

    return rc;
}

int schedlog_switch_events(uint32_t events)
{
    int rc;

    /* Rows can contain the time of the last tick, so ticks begin first. */
    if ( events )
        schedlog_set_ticking(true);

    rc = patch_sites(events);
    if ( rc )
    {
        schedlog_stay_start(events_on);
        schedlog_wait_start(events_on);
    }
    else
        write_atomic(&events_on, events);

    if ( !events_on )
        schedlog_set_ticking(false);

    return rc;
}

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
