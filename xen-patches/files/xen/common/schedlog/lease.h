/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Remembers the lease of the log: private to common/schedlog/.
 */
#ifndef SCHEDLOG_LEASE_H
#define SCHEDLOG_LEASE_H

#include <xen/time.h>

/* How often the counter is read during a lease. */
#define SCHEDLOG_LEASE_POLLS 8

/* May a caller with this @cookie change anything? */
bool schedlog_may_control(uint64_t cookie);

void schedlog_lease_info(uint32_t *length_ms, uint32_t *left_ms);

/* The caller has set up an area. */
void schedlog_begin_lease(uint64_t cookie, uint32_t length_ms);

/* The log has no holder after this.  Returns whether it had one. */
bool schedlog_end_lease(void);

/*
 * Read the holder's counter.  Returns whether the lease is over; *@next is the
 * time in ns until the next poll, 0 without a lease.
 */
bool schedlog_poll_lease(s_time_t *next);

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
