/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes the state of the log facility, one change at a time: areas are set up
 * and given up, events are switched, leases end, pCPUs come and go.
 *
 * Switching events stops all pCPUs, so it takes place in an idle vCPU's context
 * on CPU0, which never goes offline.
 */

#include <xen/cpu.h>
#include <xen/domain.h>
#include <xen/init.h>
#include <xen/sched.h>
#include <xen/schedlog-pmc.h>
#include <xen/tasklet.h>

#include "area.h"
#include "events.h"
#include "lease.h"
#include "lifecycle.h"

/* Intervals while pages can be freed, and while domains still map them. */
#define FREE_MORE  MILLISECS(1)
#define FREE_LATER MILLISECS(100)

/*
 * 1: held.  No spinlock, as a hypercall that continues on CPU0 takes it on one
 * pCPU and drops it on CPU0.  A word: arm64 cannot cmpxchg() a static bool.
 */
static unsigned long control_lock;

/* What CPU0 is to do for the hypercall that holds control_lock. */
static struct xen_sysctl_schedlog_events request;

static struct timer lease_timer, free_timer;
static struct tasklet expire_tasklet;

static void drop_control_lock(void)
{
    smp_mb();
    write_atomic(&control_lock, 0);
}

long schedlog_call_locked(long (*fn)(void *arg), void *arg)
{
    long rc;

    if ( cmpxchg(&control_lock, 0, 1) )
        return -ERESTART;

    rc = fn(arg);
    if ( rc == SCHEDLOG_ON_CPU0 )
        return 0;

    drop_control_lock();

    return rc;
}

static long cf_check free_some(void *unused)
{
    return schedlog_free_dying() ? -ERESTART : 0;
}

/* Memory is freed without a request. */
static void cf_check free_timer_fn(void *unused)
{
    bool more = schedlog_call_locked(free_some, NULL);

    if ( more || schedlog_has_dying() )
        set_timer(&free_timer, NOW() + (more ? FREE_MORE : FREE_LATER));
}

static void free_soon(void)
{
    set_timer(&free_timer, NOW() + FREE_MORE);
}

int schedlog_set_up(const struct schedlog_geometry *g, uint64_t *need_bytes)
{
    int rc;

    if ( !get_cpu_maps() )
        return -EBUSY;
    rc = schedlog_make_area(g, need_bytes);
    put_cpu_maps();

    return rc;
}

void schedlog_abandon_set_up(void)
{
    schedlog_give_up_pending();
    free_soon();
}

int schedlog_add_counters(uint16_t acct)
{
    int rc;

    if ( !get_cpu_maps() )
        return -ERESTART;
    rc = schedlog_prepare_acct(acct);
    put_cpu_maps();

    return rc;
}

/*
 * The performance counters that the holder selected are released with the
 * lease.  If the holder ends the lease and leaves some events of these counters
 * on, they are released with the last of these events.
 */
static void end_lease(void)
{
    static bool release_pmcs;

    release_pmcs |= schedlog_end_lease();
    if ( release_pmcs && !(schedlog_events_on() & SCHEDLOG_PMC_EVENTS) )
    {
        schedlog_release_pmcs();
        release_pmcs = false;
    }
    stop_timer(&lease_timer);
}

static void begin_lease(uint64_t cookie, uint32_t length_ms)
{
    schedlog_begin_lease(cookie, length_ms);
    set_timer(&lease_timer,
              NOW() + MILLISECS(length_ms) / SCHEDLOG_LEASE_POLLS);
}

static int switch_events(void)
{
    int rc;

    if ( request.events && !schedlog_geometry()->nr_acct )
        return -ENOENT;

    rc = schedlog_switch_events(request.events);
    if ( rc )
        return rc;

    if ( request.events && request.lease_ms )
        begin_lease(request.cookie, request.lease_ms);
    else
        end_lease();

    return 0;
}

/* Once the sites are off, no pCPU uses the area any more. */
static int turn_off_and_give_up(void)
{
    int rc = schedlog_switch_events(0);

    if ( rc )
        return rc;

    end_lease();
    schedlog_release_pmcs();
    schedlog_give_up_area();
    free_soon();

    return 0;
}

/* Returns the result of @change, or -EBUSY if pCPUs come or go. */
static long call_with_cpu_maps(int (*change)(void))
{
    long rc;

    if ( !get_cpu_maps() )
        return -EBUSY;
    rc = change();
    put_cpu_maps();

    return rc;
}

static long cf_check set_events_on_cpu0(void *unused)
{
    long rc = call_with_cpu_maps(switch_events);

    drop_control_lock();

    return rc;
}

static long cf_check release_on_cpu0(void *unused)
{
    long rc = call_with_cpu_maps(turn_off_and_give_up);

    drop_control_lock();

    return rc;
}

long schedlog_set_events(const struct xen_sysctl_schedlog_events *op)
{
    request = *op;

    return continue_hypercall_on_cpu(0, set_events_on_cpu0, NULL) ?:
           SCHEDLOG_ON_CPU0;
}

long schedlog_release(void)
{
    return continue_hypercall_on_cpu(0, release_on_cpu0, NULL) ?:
           SCHEDLOG_ON_CPU0;
}

int schedlog_choose_pmcs(const struct xen_sysctl_schedlog_pmc *op)
{
    int rc;

    if ( (schedlog_events_on() & SCHEDLOG_PMC_EVENTS) || !get_cpu_maps() )
        return -EBUSY;

    rc = schedlog_select_pmcs(op);
    put_cpu_maps();

    return rc;
}

/* Polls the lease, and sets the timer for the next poll if there is a lease. */
static bool lease_is_over(void)
{
    s_time_t next;
    bool over = schedlog_poll_lease(&next);

    if ( next )
        set_timer(&lease_timer, NOW() + next);

    return over;
}

static void cf_check lease_timer_fn(void *unused)
{
    if ( lease_is_over() )
        tasklet_schedule_on_cpu(&expire_tasklet, 0);
}

static int turn_off_if_over(void)
{
    int rc = lease_is_over() ? schedlog_switch_events(0) : -EAGAIN;

    if ( !rc )
        end_lease();

    return rc;
}

static long cf_check expire_lease(void *unused)
{
    return call_with_cpu_maps(turn_off_if_over);
}

/*
 * If this fails, because pCPUs come or go or another caller holds control_lock,
 * the next poll of the lease tries again.
 */
static void cf_check expire_tasklet_fn(void *unused)
{
    if ( !schedlog_call_locked(expire_lease, NULL) )
        printk(XENLOG_WARNING
               "schedlog: not renewed by its scheduler, all events are off\n");
}

static int cf_check cpu_callback(
    struct notifier_block *nfb, unsigned long action, void *hcpu)
{
    unsigned int cpu = (unsigned long)hcpu;

    switch ( action )
    {
    case CPU_UP_PREPARE:
        /* A pCPU without a log is better than no pCPU. */
        if ( schedlog_prepare_cpu(cpu) )
            break;
        printk(XENLOG_WARNING "schedlog: no area for CPU%u\n", cpu);
        free_soon();
        break;

    case CPU_STARTING:
        if ( schedlog_selected_pmcs() )
            schedlog_program_pmcs();
        break;

    case CPU_ONLINE:
    case CPU_DOWN_FAILED:
        schedlog_start_tick(cpu);
        break;

    case CPU_DOWN_PREPARE:
        schedlog_stop_tick(cpu);
        break;

    default: /* Notifier pattern: all else changes nothing here. */
        break;
    }

    return NOTIFY_DONE;
}

static struct notifier_block cpu_nfb = {
    .notifier_call = cpu_callback,
};

static int __init cf_check init_lifecycle(void)
{
    init_timer(&lease_timer, lease_timer_fn, NULL, 0);
    init_timer(&free_timer, free_timer_fn, NULL, 0);
    tasklet_init(&expire_tasklet, expire_tasklet_fn, NULL);
    register_cpu_notifier(&cpu_nfb);

    return 0;
}
__initcall(init_lifecycle);

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
