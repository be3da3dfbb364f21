/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Serialises changes of the log facility: private to common/schedlog/.
 *
 * Each function that allocates an area, gives one up, switches events or frees
 * memory holds one lock, control_lock; a set-up holds it for each of its steps.
 * CPU hotplug does not take it: functions that depend on which pCPUs are online
 * hold the CPU maps as well, which excludes hotplug.
 */
#ifndef SCHEDLOG_LIFECYCLE_H
#define SCHEDLOG_LIFECYCLE_H

#include <xen/types.h>

#include <public/sysctl.h>

struct schedlog_geometry;

/*
 * Call @fn with control_lock held.  Returns the result of @fn, or -ERESTART if
 * another caller holds the lock, which is for a short time.
 */
long schedlog_call_locked(long (*fn)(void *arg), void *arg);

/*
 * @fn returns this if it has passed control_lock on to CPU0, where the
 * hypercall continues.  schedlog_call_locked() returns 0 then.
 */
#define SCHEDLOG_ON_CPU0 1

/* The callers of the following hold control_lock. */

/* As schedlog_make_area(); also -EBUSY if pCPUs come or go. */
int schedlog_set_up(const struct schedlog_geometry *g, uint64_t *need_bytes);

/* A set-up has failed at any of its steps: keep nothing of it. */
void schedlog_abandon_set_up(void);

/* Both return SCHEDLOG_ON_CPU0, or -errno if they cannot continue there. */
long schedlog_set_events(const struct xen_sysctl_schedlog_events *op);
long schedlog_release(void);

/* As schedlog_prepare_acct(); also -ERESTART if pCPUs come or go. */
int schedlog_add_counters(uint16_t acct);

/* As schedlog_select_pmcs(); also -EBUSY if pCPUs come or go. */
int schedlog_choose_pmcs(const struct xen_sysctl_schedlog_pmc *op);

#endif /* SCHEDLOG_LIFECYCLE_H */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
