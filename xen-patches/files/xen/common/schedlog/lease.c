/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lease: a scheduler which is dead costs nothing.
 *
 * Who holds the log increments a counter in shared memory.  CPU0 looks at it
 * from time to time.  When it has been the same for the length of the lease
 * all events are turned off, and the log is free for the next scheduler.
 *
 * The counter is read once per look and compared, nothing else.  Looking, and
 * what comes of it, take place on CPU0, which never goes offline.
 */

#include <xen/schedlog.h>
#include <xen/spinlock.h>
#include <xen/tasklet.h>
#include <xen/timer.h>

#include "area.h"
#include "control.h"

/* How often the counter is looked at during a lease. */
#define LOOKS 8

static struct {
    spinlock_t lock;
    uint64_t cookie;    /* 0: nobody holds the log. */
    s_time_t length;
    s_time_t renewed;   /* When the counter was seen to have changed. */
    uint64_t counter;
} lease = {
    .lock = SPIN_LOCK_UNLOCKED,
};

static struct timer look_timer;
static struct tasklet expire_tasklet;

static uint64_t read_counter(void)
{
    const struct schedlog_region *global =
        schedlog_find_region(XEN_SCHEDLOG_REGION_GLOBAL, 0);
    const struct xen_schedlog_header *header = global->va;

    return ACCESS_ONCE(header->lease);
}

/* May the caller who shows @cookie change anything? */
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

/* @cookie and @length_ms are 0: nobody holds the log any more. */
void schedlog_set_lease(uint64_t cookie, uint32_t length_ms)
{
    uint64_t counter = length_ms ? read_counter() : 0;

    spin_lock(&lease.lock);
    lease.cookie = length_ms ? cookie : 0;
    lease.length = MILLISECS(length_ms);
    lease.renewed = NOW();
    lease.counter = counter;
    spin_unlock(&lease.lock);

    if ( length_ms )
        set_timer(&look_timer, NOW() + MILLISECS(length_ms) / LOOKS);
    else
        stop_timer(&look_timer);
}

/* Sets the timer for the next look, if there is to be one. */
static bool has_expired(void)
{
    uint64_t counter;
    bool expired = false;
    s_time_t now = NOW();

    spin_lock(&lease.lock);

    if ( lease.cookie )
    {
        counter = read_counter();
        if ( counter != lease.counter )
        {
            lease.counter = counter;
            lease.renewed = now;
        }
        expired = now - lease.renewed >= lease.length;
        set_timer(&look_timer, now + lease.length / LOOKS);
    }

    spin_unlock(&lease.lock);

    return expired;
}

static void cf_check look(void *unused)
{
    if ( has_expired() )
        tasklet_schedule_on_cpu(&expire_tasklet, 0);
}

/* In an idle vCPU's context, because all pCPUs have to be stopped. */
static void cf_check expire(void *unused)
{
    /* On failure, which is that pCPUs come or go: the next look. */
    if ( !has_expired() || schedlog_apply_events(0) )
        return;

    schedlog_set_lease(0, 0);
    printk(XENLOG_WARNING
           "schedlog: not renewed by its scheduler, all events are off\n");
}

static int __init cf_check init_lease(void)
{
    init_timer(&look_timer, look, NULL, 0);
    tasklet_init(&expire_tasklet, expire, NULL);

    return 0;
}
__initcall(init_lease);

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
