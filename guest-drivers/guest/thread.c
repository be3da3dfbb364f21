// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs the threads of this Linux: each switch from one to another and its reason, each
 * wake-up, and the threads' names.
 *
 * A name is logged when it is first needed, when it has changed, and every
 * few seconds, for a reader that begins later or has lost rows.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/build_bug.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/mm_types.h>	/* 6.12: trace/events/sched.h needs it. */
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/threads.h>
#include <trace/events/sched.h>

#include <xen/interface/xen.h>

#include "guest.h"
#include "point.h"
#include "xensched_log.h"

#define SWITCH	(1U << XEN_SCHEDLOG_EV_GUEST_SWITCH)
#define WAKE	(1U << XEN_SCHEDLOG_EV_GUEST_WAKE)
#define NAME	(1U << XEN_SCHEDLOG_EV_GUEST_NAME)

/* How often a name is logged again. */
#define PERIOD	(4 * HZ)

/*
 * The logged names of threads, by a hash of their PIDs.  If two threads share an
 * entry, or two CPUs log a thread at the same time, names are repeated more
 * often than necessary.
 */
#define SAID_BITS 12
static u64 said[1U << SAID_BITS];

static void log_thread(unsigned int event, u64 count)
{
	xensched_log_event(event, xensched_log_acct(DOMID_SELF),
			   XEN_SCHEDLOG_ACCT_NONE, count);
}

static void log_name(const struct task_struct *task,
		     const char name[TASK_COMM_LEN])
{
	unsigned int part, i;
	u64 count;

	BUILD_BUG_ON(TASK_COMM_LEN - 1 > XEN_SCHEDLOG_NAME_PROCESS *
					 XEN_SCHEDLOG_NAME_TEXT_BYTES);
	for (part = 0; part < XEN_SCHEDLOG_NAME_PROCESS; part++) {
		const char *text = name + part * XEN_SCHEDLOG_NAME_TEXT_BYTES;

		if (part && !*text)
			break;
		count = 0;
		for (i = XEN_SCHEDLOG_NAME_TEXT_BYTES; i-- > 0;)
			count = count << 8 | (u8)text[i];
		log_thread(XEN_SCHEDLOG_EV_GUEST_NAME, (u64)task->pid |
			   part << XEN_SCHEDLOG_NAME_PART_SHIFT |
			   count << XEN_SCHEDLOG_NAME_TEXT_SHIFT);
	}
	log_thread(XEN_SCHEDLOG_EV_GUEST_NAME, (u64)task->pid |
		   XEN_SCHEDLOG_NAME_PROCESS << XEN_SCHEDLOG_NAME_PART_SHIFT |
		   (u64)task->tgid << XEN_SCHEDLOG_NAME_TEXT_SHIFT);
}

/* Uses a copy, because another thread may rename this one meanwhile. */
static void xensched_name_if_needed(const struct task_struct *task)
{
	char name[TASK_COMM_LEN];
	u64 half[2], value, *place;

	BUILD_BUG_ON(sizeof(half) != sizeof(name));
	/* The idle threads of all vCPUs share PID 0, and need no name. */
	if (!task->pid)
		return;

	memcpy(name, task->comm, sizeof(name));
	name[TASK_COMM_LEN - 1] = '\0';
	/* The bytes after its end may belong to another name. */
	memset(name + strlen(name), 0, sizeof(name) - strlen(name));
	memcpy(half, name, sizeof(half));
	value = hash_64(half[0] ^ hash_64(half[1] ^ task->tgid, 64), 64) ^
		((u64)task->pid << 32 | (u32)(jiffies / PERIOD));

	place = &said[hash_32(task->pid, SAID_BITS)];
	if (READ_ONCE(*place) == value)
		return;
	WRITE_ONCE(*place, value);
	log_name(task, name);
}

static u64 why_left(bool preempt, const struct task_struct *task,
		    unsigned int state)
{
	u64 letter;

	/* The letter that sched_switch shows. */
	letter = task_index_to_char(__task_state_index(state,
						       task->exit_state));
	if (preempt)
		return (u64)'R' << XEN_SCHEDLOG_SWITCH_STATE_SHIFT |
		       XEN_SCHEDLOG_SWITCH_PREEMPTED;

	return letter << XEN_SCHEDLOG_SWITCH_STATE_SHIFT;
}

/* The run queue's lock is held, and interrupts are off. */
static void xensched_thread_switched(void *data, bool preempt,
				     struct task_struct *prev,
				     struct task_struct *next,
				     unsigned int prev_state)
{
	if (xensched_log_on(XEN_SCHEDLOG_EV_GUEST_NAME)) {
		xensched_name_if_needed(prev);
		xensched_name_if_needed(next);
	}
	if (xensched_log_on(XEN_SCHEDLOG_EV_GUEST_SWITCH))
		log_thread(XEN_SCHEDLOG_EV_GUEST_SWITCH, (u64)next->pid |
			   (u64)prev->pid << XEN_SCHEDLOG_OTHER_PID_SHIFT |
			   why_left(preempt, prev, prev_state));
}

/* Interrupts are off. */
static void xensched_thread_waking(void *data, struct task_struct *task)
{
	/* It still runs, and wakes no other thread. */
	if (task == current)
		return;

	log_thread(XEN_SCHEDLOG_EV_GUEST_WAKE, (u64)task->pid |
		   (u64)current->pid << XEN_SCHEDLOG_OTHER_PID_SHIFT |
		   (in_task() ? 0 : XEN_SCHEDLOG_WAKE_INTERRUPT));
}

XENSCHED_POINT(switch_point, sched_switch, xensched_thread_switched);

XENSCHED_POINT(waking_point, sched_waking, xensched_thread_waking);

static void xensched_thread_turned(u32 on)
{
	xensched_point_turn(&switch_point, on & (SWITCH | NAME));
	xensched_point_turn(&waking_point, on & WAKE);
	/* The reader that turned them on has no name yet. */
	memset(said, 0, sizeof(said));
}

static struct xensched_provider provider = {
	.events = SWITCH | WAKE | NAME,
	.turned = xensched_thread_turned,
};

void xensched_thread_init(void)
{
	BUILD_BUG_ON(PID_MAX_LIMIT - 1 > XEN_SCHEDLOG_PID_MASK);
	if (!xensched_point_find(&switch_point) ||
	    !xensched_point_find(&waking_point)) {
		provider.events = 0;
		pr_info("this Linux does not report its threads\n");
		return;
	}

	xensched_log_provide(&provider);
}

void xensched_thread_exit(void)
{
	if (provider.events)
		xensched_log_withdraw(&provider);
}
