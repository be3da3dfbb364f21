/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The life of the log facility: areas come and go, events are switched, leases
 * end, pCPUs come and go, one of them at a time.  See lifecycle.h.
 *
 * Switching events stops all pCPUs, so it takes place in an idle vCPU's context
 * on CPU0, which never goes offline.
 */

#include <xen/cpu.h>
#include <xen/domain.h>
#include <xen/event.h>
#include <xen/init.h>
#include <xen/lib.h>
#include <xen/sched.h>
#include <xen/schedlog-pmc.h>
#include <xen/tasklet.h>
#include <xen/timer.h>

#include "area.h"
#include "events.h"
#include "lease.h"
#include "lifecycle.h"

/* While former areas are being freed, and while they are still mapped. */
#define FREE_MORE  MILLISECS(1)
#define FREE_LATER MILLISECS(100)

/* 0: open.  A word, since arm64 cannot compare and exchange a static bool. */
static unsigned long gate;

/* For CPU0, by whoever holds the gate. */
static struct xen_sysctl_schedlog_events request;

static struct timer look_timer, free_timer;
static struct tasklet expire_tasklet;

bool schedlog_enter_gate(void)
{
    return !cmpxchg(&gate, 0, 1);
}

void schedlog_leave_gate(void)
{
    smp_mb();
    write_atomic(&gate, 0);
}

int schedlog_free_former(void)
{
    while ( schedlog_reap() )
        if ( hypercall_preempt_check() )
            return -ERESTART;

    return 0;
}

/* Nobody has to ask for memory to be given back. */
static void cf_check free_some(void *unused)
{
    bool more = true;

    if ( schedlog_enter_gate() )
    {
        more = schedlog_reap();
        schedlog_leave_gate();
    }

    if ( more || schedlog_has_former() )
        set_timer(&free_timer, NOW() + (more ? FREE_MORE : FREE_LATER));
}

static void free_soon(void)
{
    if ( schedlog_has_former() )
        set_timer(&free_timer, NOW() + FREE_MORE);
}

int schedlog_set_up(const struct schedlog_geometry *g, uint64_t *need_bytes)
{
    int rc;

    if ( !get_cpu_maps() )
        return -EBUSY;
    rc = schedlog_make_area(g, need_bytes);
    put_cpu_maps();

    if ( rc && rc != -ERESTART )
        free_soon();

    return rc;
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
 * The counters that the holder has selected go with the lease.  If the holder
 * gives the lease up and leaves some of their events on, they go with the last
 * of these events.
 */
static void end_lease(void)
{
    static bool pmcs_go;

    pmcs_go |= schedlog_end_lease();
    if ( pmcs_go && !(schedlog_events_on() & SCHEDLOG_PMC_EVENTS) )
    {
        schedlog_release_pmcs();
        pmcs_go = false;
    }
    stop_timer(&look_timer);
}

static void begin_lease(uint64_t cookie, uint32_t length_ms)
{
    schedlog_begin_lease(cookie, length_ms);
    set_timer(&look_timer, NOW() + MILLISECS(length_ms) / SCHEDLOG_LOOKS);
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

/* With the sites stopped being taken, nobody uses the area any more. */
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

/* The CPU maps are held from before the first change until after the last. */
static long change_on_cpu0(int (*change)(void))
{
    long rc = -EBUSY;

    if ( get_cpu_maps() )
    {
        rc = change();
        put_cpu_maps();
    }

    schedlog_leave_gate();

    return rc;
}

static long cf_check set_events_on_cpu0(void *unused)
{
    return change_on_cpu0(switch_events);
}

static long cf_check release_on_cpu0(void *unused)
{
    return change_on_cpu0(turn_off_and_give_up);
}

long schedlog_set_events(const struct xen_sysctl_schedlog_events *op)
{
    request = *op;

    return continue_hypercall_on_cpu(0, set_events_on_cpu0, NULL);
}

long schedlog_release(void)
{
    return continue_hypercall_on_cpu(0, release_on_cpu0, NULL);
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

/* Sets the timer for the next look, if there is to be one. */
static bool lease_is_over(void)
{
    s_time_t next;
    bool over = schedlog_look_at_lease(&next);

    if ( next )
        set_timer(&look_timer, NOW() + next);

    return over;
}

static void cf_check look(void *unused)
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

/*
 * When it cannot be done now, which is that pCPUs come or go or that somebody
 * else holds the gate, then at the next look.
 */
static void cf_check expire(void *unused)
{
    if ( schedlog_enter_gate() && !change_on_cpu0(turn_off_if_over) )
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
        if ( !schedlog_prepare_cpu(cpu) )
            printk(XENLOG_WARNING "schedlog: no area for CPU%u\n", cpu);
        break;

    case CPU_STARTING:
        if ( schedlog_selected_pmcs() )
            schedlog_program_pmcs();
        break;

    case CPU_ONLINE:
    case CPU_DOWN_FAILED:
        schedlog_start_tick(cpu);
        free_soon();
        break;

    case CPU_DOWN_PREPARE:
        schedlog_stop_tick(cpu);
        break;

    default:
        /* Notifier pattern: all else changes nothing here. */
        break;
    }

    return NOTIFY_DONE;
}

static struct notifier_block cpu_nfb = {
    .notifier_call = cpu_callback,
};

static int __init cf_check init_lifecycle(void)
{
    init_timer(&look_timer, look, NULL, 0);
    init_timer(&free_timer, free_some, NULL, 0);
    tasklet_init(&expire_tasklet, expire, NULL);
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
