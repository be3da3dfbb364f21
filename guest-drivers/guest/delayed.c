// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts the tasks that sleep, but are still counted on a run queue.
 *
 * Since 6.12, a task that sleeps after it has run for more than its share stays on
 * its run queue until its next turn.  A task has a flag for this state; modules
 * cannot read the number from a run queue.  So this file keeps, for each CPU, the
 * tasks that were in that state when they left the CPU, and checks whether they
 * still are.  Tasks that left before the first request are counted only after
 * they have run once.
 *
 * A kept task exists: it has to run before it can end.  It is dropped when it runs
 * on this CPU, or when it migrates to another one.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "delayed.h"

#ifdef XENSCHED_HAVE_SCHED_DELAYED

#include "point.h"

/* If there are more of them on a CPU, the others count as runnable. */
#define PLACES 16

struct delayed {
	struct task_struct *tasks[PLACES];
};

static DEFINE_PER_CPU(struct delayed, delayed);

/* Called by any CPU before the task leaves its own one. */
static void xensched_delayed_migrates(void *data, struct task_struct *task,
				      int cpu)
{
	struct delayed *d = per_cpu_ptr(&delayed, task_cpu(task));
	unsigned int i;

	for (i = 0; i < PLACES; i++)
		if (READ_ONCE(d->tasks[i]) == task)
			cmpxchg(&d->tasks[i], task, NULL);
}

XENSCHED_POINT(migrate_point, sched_migrate_task, xensched_delayed_migrates);

bool xensched_delayed_find(void)
{
	return xensched_point_find(&migrate_point);
}

/* Before the first switch that is observed, and after the last one. */
int xensched_delayed_turn(bool on)
{
	int cpu;

	/* A probe that was turned off may still run, and add a task. */
	tracepoint_synchronize_unregister();
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&delayed, cpu), 0, sizeof(struct delayed));

	return xensched_point_turn(&migrate_point, on);
}

/* In a probe of sched_switch: the run queue's lock is held. */
unsigned int xensched_delayed_count(struct task_struct *prev,
				    struct task_struct *next)
{
	bool place_it = READ_ONCE(prev->se.sched_delayed);
	struct delayed *d = this_cpu_ptr(&delayed);
	unsigned int i, nr = 0;

	for (i = 0; i < PLACES; i++) {
		struct task_struct *task = READ_ONCE(d->tasks[i]);

		if (task && (task == next || !READ_ONCE(task->se.sched_delayed))) {
			WRITE_ONCE(d->tasks[i], NULL);
			task = NULL;
		}
		if (!task && place_it) {
			WRITE_ONCE(d->tasks[i], prev);
			task = prev;
			place_it = false;
		}
		if (task)
			nr++;
	}

	return nr;
}

#endif /* XENSCHED_HAVE_SCHED_DELAYED */
