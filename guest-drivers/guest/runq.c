// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs the length of the guest's run queues, at its own scheduling points.
 *
 * Linux counts the runnable tasks of each CPU in struct rq, which is not visible
 * to modules.  But a tracepoint reports each change of that number, with the
 * address of the struct.  So this module makes the number change and reads the two
 * possible places of it.  The event guest-runq is provided only if one place always
 * equals the tracepoint's number; all other events work without it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include <xen/interface/xen.h>

#include "delayed.h"
#include "guest.h"
#include "point.h"
#include "xensched_log.h"

#define RUNQ_EVENTS	(1U << XEN_SCHEDLOG_EV_GUEST_RUNQ)

/* Changes to observe, and the time limit for them in ms. */
#define CHANGES		32
#define PATIENCE	2000

/* Where in struct rq: next to its lock, which is first (6.12), or first (7.3). */
static const size_t places[] = { sizeof(raw_spinlock_t), 0 };

/* The state of that search.  Changed with the run queue's lock held. */
static struct {
	struct task_struct *sleeper;	/* Its own run queue is read. */
	struct rq *rq;
	unsigned long base;		/* A CPU's offset is added to it. */
	unsigned int seen;
	struct {
		unsigned int expected, wrong;
	} at[ARRAY_SIZE(places)];
} probe;

static unsigned int number_at(unsigned long address)
{
	return READ_ONCE(*(unsigned int *)address);
}

/*
 * The first task that the sleeper dequeues is itself, when it sleeps with
 * interrupts off: the queue belongs to this CPU.  (An interrupt may balance
 * queues while the sleeper is current.)
 */
static void xensched_runq_changed(void *data, struct rq *rq, int change)
{
	unsigned long start = (unsigned long)rq;
	unsigned int i;

	if (!probe.rq) {
		if (current != READ_ONCE(probe.sleeper) || !in_task() ||
		    change >= 0)
			return;
		probe.base = start - per_cpu_offset(raw_smp_processor_id());
		for (i = 0; i < ARRAY_SIZE(places); i++)
			probe.at[i].expected = number_at(start + places[i]);
		probe.rq = rq;
		return;
	}
	if (rq != probe.rq)
		return;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		probe.at[i].expected += change;
		if (number_at(start + places[i]) != probe.at[i].expected)
			probe.at[i].wrong++;
	}
	probe.seen++;
}

/* Sleeping is what makes the number change. */
static bool find_nr_running(void)
{
	unsigned int i;

	WRITE_ONCE(probe.sleeper, current);
	if (register_trace_sched_update_nr_running_tp(xensched_runq_changed, NULL))
		return false;
	for (i = 0; i < PATIENCE && READ_ONCE(probe.seen) < CHANGES; i++)
		usleep_range(1000, 1100);
	unregister_trace_sched_update_nr_running_tp(xensched_runq_changed, NULL);
	tracepoint_synchronize_unregister();

	for (i = 0; probe.seen >= CHANGES && i < ARRAY_SIZE(places); i++) {
		if (!probe.at[i].wrong) {
			probe.base += places[i];
			return true;
		}
	}

	return false;
}

/* The run queue's lock is held, and interrupts are off. */
static void xensched_runq_switched(void *data, bool preempt,
				   struct task_struct *prev,
				   struct task_struct *next,
				   unsigned int prev_state)
{
	unsigned int queued = number_at(probe.base +
					per_cpu_offset(raw_smp_processor_id()));
	unsigned int asleep = xensched_delayed_count(prev, next);

	xensched_log(XEN_SCHEDLOG_EV_GUEST_RUNQ, xensched_log_acct(DOMID_SELF),
		     XEN_SCHEDLOG_ACCT_NONE,
		     queued > asleep ? queued - asleep : 0);
}

XENSCHED_POINT(switch_point, sched_switch, xensched_runq_switched);

static void xensched_runq_turned(u32 on)
{
	/* If this fails, nothing is logged: the number would be too high. */
	if (on && xensched_delayed_turn(true))
		return;
	xensched_point_turn(&switch_point, on);
	if (!on)
		xensched_delayed_turn(false);
}

static struct xensched_provider provider = {
	.events = RUNQ_EVENTS,
	.turned = xensched_runq_turned,
};
static bool provided;

void xensched_runq_init(void)
{
	if (!xensched_point_find(&switch_point) || !xensched_delayed_find() ||
	    !find_nr_running()) {
		pr_info("this Linux keeps its run queues in another way\n");
		return;
	}

	provided = true;
	xensched_log_provide(&provider);
}

void xensched_runq_exit(void)
{
	if (provided)
		xensched_log_withdraw(&provider);
}
