/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who holds the log: private to common/schedlog/.
 */
#ifndef SCHEDLOG_LEASE_H
#define SCHEDLOG_LEASE_H

#include <xen/time.h>

/* How often the counter is looked at during a lease. */
#define SCHEDLOG_LOOKS 8

/* May the caller who shows @cookie change anything? */
bool schedlog_may_control(uint64_t cookie);

void schedlog_lease_info(uint32_t *length_ms, uint32_t *left_ms);

/* There has to be an area. */
void schedlog_begin_lease(uint64_t cookie, uint32_t length_ms);

/* Nobody holds the log any more.  Returns whether somebody did. */
bool schedlog_end_lease(void);

/*
 * Look at the counter of whoever holds the log.  Returns whether the lease is
 * over; *@next is how long it takes until the next look, 0 without a lease.
 */
bool schedlog_look_at_lease(s_time_t *next);

#endif /* SCHEDLOG_LEASE_H */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
