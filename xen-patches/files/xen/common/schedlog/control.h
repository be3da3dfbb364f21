/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who may change what: private to common/schedlog/.
 */
#ifndef SCHEDLOG_CONTROL_H
#define SCHEDLOG_CONTROL_H

#include <xen/types.h>

/*
 * Make @events the ones which are on.  In an idle vCPU's context on CPU0 only.
 * 0, -EBUSY, -ENOENT or -ENOMEM; on failure nothing has changed.
 */
int schedlog_apply_events(uint32_t events);

bool schedlog_may_control(uint64_t cookie);
void schedlog_set_lease(uint64_t cookie, uint32_t length_ms);
void schedlog_lease_info(uint32_t *length_ms, uint32_t *left_ms);

#endif /* SCHEDLOG_CONTROL_H */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
