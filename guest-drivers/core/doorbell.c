// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wakes readers in poll() of the device when a log buffer is past the watermark
 * that the scheduler set, so that they need not poll the logs.
 *
 * As in Xen (common/schedlog/doorbell.c) positions are compared with marks once
 * per tick, here by the first site of a CPU that logs a row in it: without
 * rows, no mark is reached.  Sites run with any lock held, so an irq_work wakes
 * the poller.
 *
 * The doorbell keeps no state: the reader acknowledges it by a higher mark.
 */
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/wait.h>

#include "area.h"
#include "control.h"

static DECLARE_WAIT_QUEUE_HEAD(pollers);

static void ring(struct irq_work *work)
{
	wake_up_interruptible(&pollers);
}

static DEFINE_IRQ_WORK(ring_work, ring);

/* Reads each mark once, and only compares it. */
static bool is_due(const struct schedlog_cpu *cpu)
{
	const u64 *mark = (const void *)cpu->lcr +
			  XEN_SCHEDLOG_MARKS_OFFSET(cpu->file_mask + 1);
	unsigned int i;

	for (i = 0; i <= cpu->file_mask; i++) {
		u64 at = READ_ONCE(mark[i]);

		if (at && READ_ONCE(cpu->file[i].pos) >= at)
			return true;
	}

	return false;
}

void xensched_doorbell_tick(const struct schedlog_cpu *cpu)
{
	/* The next tick wakes a poller that is about to sleep and missed here. */
	if (is_due(cpu) && waitqueue_active(&pollers))
		irq_work_queue(&ring_work);
}

__poll_t xensched_doorbell_poll(struct file *file, poll_table *wait)
{
	__poll_t events = 0;
	unsigned int nr;

	poll_wait(file, &pollers, wait);
	mutex_lock(&xensched_log_mutex);
	for_each_possible_cpu(nr) {
		const struct schedlog_cpu *cpu =
			rcu_dereference_protected(per_cpu(xensched_log_cpu, nr),
				lockdep_is_held(&xensched_log_mutex));

		if (cpu && is_due(cpu))
			events = EPOLLIN | EPOLLRDNORM;
	}
	mutex_unlock(&xensched_log_mutex);

	return events;
}

/* No site is left that could wake a poller. */
void xensched_doorbell_exit(void)
{
	irq_work_sync(&ring_work);
}
