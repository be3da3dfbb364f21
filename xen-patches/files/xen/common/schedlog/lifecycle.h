/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who may change the log facility, and when: private to common/schedlog/.
 *
 * There is one gate.  Whoever makes an area, gives one up, switches events or
 * frees memory holds it; a set-up holds it for each of its steps.  pCPUs which
 * come and go need not: whoever changes anything that has to do with pCPUs
 * holds the CPU maps, too, which excludes them.
 */
#ifndef SCHEDLOG_LIFECYCLE_H
#define SCHEDLOG_LIFECYCLE_H

#include <xen/types.h>

#include <public/sysctl.h>

struct schedlog_geometry;

/* False: somebody else holds it, for a short time. */
bool schedlog_enter_gate(void);
void schedlog_leave_gate(void);

/*
 * Free what can be freed of former areas.  For whoever holds the gate.
 * -ERESTART: call again.
 */
int schedlog_free_former(void);

/* As schedlog_make_area(); also -EBUSY if pCPUs come or go. */
int schedlog_set_up(const struct schedlog_geometry *geometry,
                    uint64_t *need_bytes);

/*
 * Both continue on CPU0, and the gate goes with them: on success the caller
 * doesn't hold it any more, and the result is the hypercall's.
 */
long schedlog_set_events(const struct xen_sysctl_schedlog_events *op);
long schedlog_release(void);

/* As schedlog_prepare_acct(); also -ERESTART if pCPUs come or go. */
int schedlog_add_counters(uint16_t acct);

/* -EBUSY: pCPUs come or go, or what schedlog_select_pmcs() says. */
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
