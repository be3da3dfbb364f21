// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a mark when a given thread starts to run on a vCPU, or stops.
 *
 * dom0 names the threads in schedlog/watch, below this domain's own path: lines such
 * as "to-pid 123", "from-pid 123", "to-name make", "from-name make".  A mark has
 * the number of its line, from 0 on.  Empty and invalid lines are ignored.  The
 * mark is made during the switch, before the thread runs, so that Xen can stop
 * this domain there.
 *
 * The probe is registered only while there is such a line.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <trace/events/sched.h>
#include <xen/xenbus.h>

#include "code.h"
#include "guest.h"
#include "point.h"
#include "typed.h"

#define NODE	"schedlog/watch"

struct watched {
	pid_t pid;			/* 0: found by its name */
	char name[TASK_COMM_LEN];
	bool to, from;			/* Neither: there is no such line */
};

struct watches {
	struct watched thread[XENSCHED_CODE_SLOTS];
};

static struct watches __rcu *watches;
static DEFINE_MUTEX(watches_lock);	/* Writers hold it. */
static bool watching;

static bool is_it(const struct watched *watched, const struct task_struct *task)
{
	if (watched->pid)
		return task->pid == watched->pid;

	return !strncmp(task->comm, watched->name, TASK_COMM_LEN);
}

static void make_mark(unsigned int slot, const struct task_struct *task)
{
	/* If Xen rejects it, no reaction waits for it any more. */
	xensched_code_log(XENSCHED_TYPED |
			  XENSCHED_CODE_SWITCH << XENSCHED_CODE_WHAT_SHIFT |
			  slot << XENSCHED_CODE_SLOT_SHIFT |
			  (task->pid & XENSCHED_CODE_PID_MASK));
}

/* The run queue's lock is held, and interrupts are off. */
static void xensched_watch_switched(void *data, bool preempt,
				    struct task_struct *prev,
				    struct task_struct *next,
				    unsigned int prev_state)
{
	const struct watches *w = rcu_dereference_sched(watches);
	unsigned int i;

	if (!w)
		return;

	for (i = 0; i < XENSCHED_CODE_SLOTS; i++) {
		if (w->thread[i].from && is_it(&w->thread[i], prev))
			make_mark(i, prev);
		if (w->thread[i].to && is_it(&w->thread[i], next))
			make_mark(i, next);
	}
}

XENSCHED_POINT(switch_point, sched_switch, xensched_watch_switched);

/* Returns false if the line is invalid. */
static bool take_line(char *line, struct watched *watched)
{
	char *what = strsep(&line, " ");

	if (!line || !*line)
		return false;
	if (!strcmp(what, "to-pid") || !strcmp(what, "from-pid")) {
		if (kstrtoint(line, 10, &watched->pid) || watched->pid <= 0)
			return false;
	} else if (strcmp(what, "to-name") && strcmp(what, "from-name")) {
		return false;
	}
	if (strscpy(watched->name, line, sizeof(watched->name)) < 0)
		return false;
	watched->to = *what == 't';
	watched->from = *what == 'f';

	return true;
}

static bool take_text(char *text, struct watches *w)
{
	bool any = false;
	unsigned int i;
	char *line;

	for (i = 0; i < XENSCHED_CODE_SLOTS; i++) {
		line = strsep(&text, "\n");
		if (!line)
			break;
		if (take_line(line, &w->thread[i]))
			any = true;
		else
			memset(&w->thread[i], 0, sizeof(w->thread[i]));
	}

	return any;
}

/* NULL: watch no thread. */
static void change_watches(struct watches *fresh)
{
	struct watches *former;

	mutex_lock(&watches_lock);
	former = rcu_replace_pointer(watches, fresh,
				     lockdep_is_held(&watches_lock));
	xensched_point_turn(&switch_point, fresh);
	mutex_unlock(&watches_lock);

	/* A probe runs with preemption off. */
	synchronize_rcu();
	kfree(former);
}

static void xensched_watch_changed(struct xenbus_watch *watch, const char *path,
				   const char *token)
{
	struct watches *fresh = kzalloc(sizeof(*fresh), GFP_KERNEL);
	char *text = xenbus_read(XBT_NIL, NODE, "", NULL);

	if (IS_ERR(text))
		text = NULL;
	if (!fresh || !text || !take_text(text, fresh)) {
		kfree(fresh);
		fresh = NULL;
	}
	kfree(text);
	change_watches(fresh);
}

static struct xenbus_watch xensched_node_watch = {
	.node = NODE,
	.callback = xensched_watch_changed,
};

/* A new watch fires once without a change, and again when a domain is restored. */
static int xensched_watch_begin(struct notifier_block *block,
				unsigned long action, void *data)
{
	watching = !register_xenbus_watch(&xensched_node_watch);
	if (!watching)
		pr_warn("cannot watch " NODE " in xenstore\n");

	return NOTIFY_DONE;
}

static struct notifier_block xenstore_notifier = {
	.notifier_call = xensched_watch_begin,
};
static bool notified;

void xensched_watch_init(void)
{
	if (!xensched_point_find(&switch_point)) {
		pr_info("this Linux does not report its threads\n");
		return;
	}
	notified = !register_xenstore_notifier(&xenstore_notifier);
}

void xensched_watch_exit(void)
{
	if (notified)
		unregister_xenstore_notifier(&xenstore_notifier);
	if (watching)
		unregister_xenbus_watch(&xensched_node_watch);
	change_watches(NULL);
}
