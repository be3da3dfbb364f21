// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wakes readers in poll() of the device when a log file is past the watermark
 * which the scheduler set, so that they need not read logs all the time.
 *
 * As in Xen (common/schedlog/doorbell.c) positions are compared with marks once
 * per tick, here by the first site of a CPU that logs something in it: where
 * nothing is logged nothing is past its mark.  Sites run with any lock held, so
 * a poller is woken by an irq_work.
 *
 * Nothing is remembered: a mark that is moved on is the answer.
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

/* A mark is read once and compared, nothing else. */
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
	/* A poller that is about to sleep, unseen here, is seen in the next tick. */
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

/* No site is left that could ring. */
void xensched_doorbell_exit(void)
{
	irq_work_sync(&ring_work);
}
