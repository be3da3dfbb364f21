/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which events there are and which are on: private to common/schedlog/.
 */
#ifndef SCHEDLOG_EVENTS_H
#define SCHEDLOG_EVENTS_H

#include <xen/types.h>

/* Mask of the events which have a site; *@nr_sites: the number of sites. */
uint32_t schedlog_events_built(unsigned int *nr_sites);

/* Mask of the events which are on. */
uint32_t schedlog_events_on(void);

/*
 * Make @events the ones which are on.  In an idle vCPU's context on CPU0, with
 * pCPUs neither coming nor going.  -EBUSY or what jump_label_apply() says; on
 * failure nothing has changed.
 */
int schedlog_switch_events(uint32_t events);

#endif /* SCHEDLOG_EVENTS_H */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
