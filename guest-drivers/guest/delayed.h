/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the tasks of a run queue that sleep, but are still counted there.
 */
#ifndef XENSCHED_DELAYED_H
#define XENSCHED_DELAYED_H

#include <linux/types.h>

struct task_struct;

#ifdef XENSCHED_HAVE_SCHED_DELAYED

/* False: this Linux does not report tasks that move from one CPU to another. */
bool xensched_delayed_find(void);

/*
 * Returns 0 or an error.  After an error, migrations stay unnoticed, so
 * xensched_delayed_count() must not be called.
 */
int xensched_delayed_turn(bool on);

/* On this CPU, where @next is about to take the place of @prev. */
unsigned int xensched_delayed_count(struct task_struct *prev,
				    struct task_struct *next);

#else

static inline bool xensched_delayed_find(void)
{
	return true;
}

static inline int xensched_delayed_turn(bool on)
{
	return 0;
}

static inline unsigned int xensched_delayed_count(struct task_struct *prev,
						  struct task_struct *next)
{
	return 0;
}

#endif /* XENSCHED_HAVE_SCHED_DELAYED */

#endif /* XENSCHED_DELAYED_H */
