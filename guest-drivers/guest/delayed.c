// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks which sleep, but are still on a run queue, and counted there.
 *
 * As of 6.12 Linux lets a task that goes to sleep after it has had more than its
 * share stay on its run queue until its turn would have come.  Tasks say so, run
 * queues do not say it to modules.  So this remembers, for each CPU, the tasks in
 * that state when it left the CPU, and looks whether it still is.  Those which
 * were before the first request are not known, until they have run once.
 *
 * A task that is remembered exists: before it can end it has to run, on this
 * CPU, where it is forgotten when it gets it, or on another one, and then it is
 * forgotten when it is taken there.
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

/* It is about to be taken from the CPU that it has, by any CPU. */
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

	/* A probe that was turned off may not have ended, and remember a task. */
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
