/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists the events that Xen can log, and switches them: private to
 * common/schedlog/.
 */
#ifndef SCHEDLOG_EVENTS_H
#define SCHEDLOG_EVENTS_H

#include <xen/types.h>

/* Returns the mask of events with a site; *@nr_sites: the number of sites. */
uint32_t schedlog_events_built(unsigned int *nr_sites);

/* Returns the mask of the events that are on. */
uint32_t schedlog_events_on(void);

/*
 * Turn @events on and all others off.  The caller runs in an idle vCPU's
 * context on CPU0, and holds the CPU maps.  Returns 0, -EBUSY, or the error of
 * jump_label_apply(); on failure nothing has changed.
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
