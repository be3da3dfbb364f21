/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds out whether the holder of the log is still alive: it increments a
 * counter in shared memory.  If the counter has not changed for the length of
 * the lease, the lease is over.
 *
 * Each poll reads the counter once and compares it, nothing else.  lifecycle.c
 * polls, and turns events off.  The counter is read, and the area given up, on
 * CPU0 only.
 */

#include <xen/lib.h>
#include <xen/spinlock.h>
#include <xen/time.h>

#include "area.h"
#include "lease.h"

static struct {
    spinlock_t lock;
    uint64_t cookie;    /* The holder's.  0: the log has no holder. */
    s_time_t length;
    s_time_t renewed;   /* Time of the last poll that saw a change. */
    uint64_t counter;
} lease = {
    .lock = SPIN_LOCK_UNLOCKED,
};

static uint64_t read_counter(void)
{
    const struct schedlog_region *global =
        schedlog_find_region(XEN_SCHEDLOG_REGION_GLOBAL, 0);
    const struct xen_schedlog_header *header = global->va;

    return ACCESS_ONCE(header->lease);
}

bool schedlog_may_control(uint64_t cookie)
{
    uint64_t holder;

    spin_lock(&lease.lock);
    holder = lease.cookie;
    spin_unlock(&lease.lock);

    return !holder || holder == cookie;
}

void schedlog_lease_info(uint32_t *length_ms, uint32_t *left_ms)
{
    s_time_t left = 0;

    spin_lock(&lease.lock);
    if ( lease.cookie )
        left = max(lease.renewed + lease.length - NOW(), (s_time_t)0);
    *length_ms = lease.cookie ? lease.length / MILLISECS(1) : 0;
    *left_ms = left / MILLISECS(1);
    spin_unlock(&lease.lock);
}

void schedlog_begin_lease(uint64_t cookie, uint32_t length_ms)
{
    spin_lock(&lease.lock);
    lease.cookie = cookie;
    lease.length = MILLISECS(length_ms);
    lease.renewed = NOW();
    lease.counter = read_counter();
    spin_unlock(&lease.lock);
}

bool schedlog_end_lease(void)
{
    bool held;

    spin_lock(&lease.lock);
    held = lease.cookie;
    lease.cookie = 0;
    spin_unlock(&lease.lock);

    return held;
}

bool schedlog_poll_lease(s_time_t *next)
{
    bool over = false;

    *next = 0;

    spin_lock(&lease.lock);

    if ( lease.cookie )
    {
        s_time_t now = NOW();
        uint64_t counter = read_counter();

        if ( counter != lease.counter )
        {
            lease.counter = counter;
            lease.renewed = now;
        }
        over = now - lease.renewed >= lease.length;
        *next = lease.length / SCHEDLOG_LEASE_POLLS;
    }

    spin_unlock(&lease.lock);

    return over;
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
