/* SPDX-License-Identifier: GPL-2.0-only */
/* requests-area.c - see requests-area.h. */
#include "ebpf/area-ebpf.h"
#include "ebpf/rings.h"
#include "feed.h"
#include "requests-area.h"

void requests_write_numbers(struct feed *feed, const struct domains *domains)
{
    uint16_t number[RINGS_NR_DOMIDS] = { 0 };
    uint32_t i;

    if (!feed->area)
        return;
    for (i = 0; i < domains->nr; i++) {
        const struct domain *d = &domains->domain[i];

        if (d->domid < RINGS_NR_DOMIDS && d->acct >= XEN_SCHEDLOG_ACCT_FIRST)
            number[d->domid] = d->acct;
    }
    for (i = 0; i < RINGS_NR_DOMIDS; i++)
        area_ebpf_set_number(feed->area, i, number[i]);
}

int requests_setup(struct feeds *feeds, struct feed *feed,
                   struct xensched_error *err)
{
    return area_ebpf_setup(&feed_logs(feeds, feed)->geometry, 0, &feed->area,
                           err);
}
