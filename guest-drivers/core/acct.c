// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps the accounting domain of each domain, which the scheduler assigns.
 *
 * The scheduler writes numbers to xenstore, below schedlog/acct/ of this
 * domain's own path: one node per domain, its name the domid, its value the
 * number.  A watch keeps a table of all domids up to date, so that sites need
 * one load.  While no program assigns numbers, a domain has its domid.  Otherwise
 * a domain without a valid number is new, and its domid may be the number of
 * another domain.  It then has this domain's own number, so it is not logged.
 *
 * A watch may fire late.  If a program turns events on, all rows have to contain
 * the numbers assigned before, so the numbers are read again.  xenstored may
 * never answer: a work item waits without limit, and the caller for some time.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <xen/interface/xen.h>
#include <xen/xenbus.h>

#include "control.h"
#include "xensched_log.h"

#define NODE		"schedlog/acct"
#define NR_DOMIDS	0x8000U	/* Reserved ones included: a power of two. */
#define PATIENCE_MS	5000

static u16 acct_of[NR_DOMIDS];
static u16 own_domid;
static bool numbers_given;

/* Held by writers of acct_of; sites do not wait for it. */
static DEFINE_MUTEX(numbers_mutex);
static DECLARE_BITMAP(given, NR_DOMIDS);

u16 xensched_log_acct(u16 domid)
{
	if (domid == DOMID_SELF)
		domid = READ_ONCE(own_domid);

	return READ_ONCE(acct_of[domid & (NR_DOMIDS - 1)]);
}
EXPORT_SYMBOL_NS_GPL(xensched_log_acct, XENSCHED_LOG);

static bool valid_acct(unsigned int acct)
{
	return acct != XEN_SCHEDLOG_ACCT_XEN && acct < XEN_SCHEDLOG_MAX_ACCT;
}

static u16 without_number(u16 domid)
{
	return numbers_given && domid != own_domid ? acct_of[own_domid] : domid;
}

/* @name: a node below NODE. */
static bool names_domain(const char *name, u16 *domid)
{
	return !kstrtou16(name, 10, domid) && *domid < DOMID_FIRST_RESERVED;
}

static void xensched_read_acct(const char *name)
{
	unsigned int acct;
	u16 domid;

	if (!names_domain(name, &domid))
		return;

	acct = xenbus_read_unsigned(NODE, name, XEN_SCHEDLOG_MAX_ACCT);
	WRITE_ONCE(acct_of[domid],
		   valid_acct(acct) ? acct : without_number(domid));
}

static void xensched_read_own_acct(void)
{
	unsigned int domid = xenbus_read_unsigned("domid", "", 0);
	char name[8];

	WRITE_ONCE(own_domid, domid & (NR_DOMIDS - 1));
	snprintf(name, sizeof(name), "%u", own_domid);
	xensched_read_acct(name);
}

/* Reads this domain's own domid, and all numbers. */
static void xensched_read_all_acct(void)
{
	unsigned int i, nr = 0;
	char **names;
	u16 domid;

	bitmap_zero(given, NR_DOMIDS);
	names = xenbus_directory(XBT_NIL, NODE, "", &nr);
	if (IS_ERR(names)) {
		names = NULL;
		nr = 0;
	}
	numbers_given = nr > 0;
	xensched_read_own_acct();
	for (i = 0; i < nr; i++) {
		if (names_domain(names[i], &domid))
			__set_bit(domid, given);
		xensched_read_acct(names[i]);
	}
	__set_bit(own_domid, given);
	for_each_clear_bit(i, given, NR_DOMIDS)
		WRITE_ONCE(acct_of[i], without_number(i));

	kfree(names);
}

static bool any_given(void)
{
	unsigned int nr = 0;
	char **names = xenbus_directory(XBT_NIL, NODE, "", &nr);

	if (IS_ERR(names))
		return false;
	kfree(names);

	return nr > 0;
}

/* Whether the change concerns one other domain, and leaves at least one number. */
static bool concerns_one(const char *path)
{
	const char *name = path + strlen(NODE "/");
	u16 domid;

	if (!numbers_given || !strstarts(path, NODE "/"))
		return false;
	if (names_domain(name, &domid) && domid == own_domid)
		return false;

	return xenbus_exists(XBT_NIL, path, "") || any_given();
}

/* The first, the last or the own number also changes domains without a number. */
static void xensched_numbers_changed(struct xenbus_watch *watch,
				     const char *path, const char *token)
{
	mutex_lock(&numbers_mutex);
	if (concerns_one(path))
		xensched_read_acct(path + strlen(NODE "/"));
	else
		xensched_read_all_acct();
	mutex_unlock(&numbers_mutex);
}

static struct xenbus_watch xensched_numbers_watch = {
	.node = NODE,
	.callback = xensched_numbers_changed,
};
static bool watching;

/* Requests to read all numbers, and those that are answered. */
static atomic_t asked, answered;
static DECLARE_WAIT_QUEUE_HEAD(answer);

static void xensched_numbers_work(struct work_struct *unused)
{
	int ticket = atomic_read(&asked);

	mutex_lock(&numbers_mutex);
	xensched_read_all_acct();
	mutex_unlock(&numbers_mutex);
	atomic_set(&answered, ticket);
	wake_up_all(&answer);
}

static DECLARE_WORK(numbers_work, xensched_numbers_work);

int xensched_acct_refresh(void)
{
	long left;
	int ticket;

	if (!watching)
		return 0;

	ticket = atomic_inc_return(&asked);
	queue_work(system_long_wq, &numbers_work);
	left = wait_event_killable_timeout(answer,
					   atomic_read(&answered) - ticket >= 0,
					   msecs_to_jiffies(PATIENCE_MS));
	if (left < 0)
		return -EINTR;

	return left ? 0 : -ETIMEDOUT;
}

/* xenstore is available now.  A new watch fires once without a change. */
static int xensched_numbers_up(struct notifier_block *block,
			       unsigned long action, void *data)
{
	watching = !register_xenbus_watch(&xensched_numbers_watch);
	if (!watching)
		pr_warn("cannot watch %s in xenstore\n", NODE);

	return NOTIFY_DONE;
}

static struct notifier_block xenstore_notifier = {
	.notifier_call = xensched_numbers_up,
};

int xensched_acct_init(void)
{
	unsigned int i;

	for (i = 0; i < NR_DOMIDS; i++)
		acct_of[i] = i;

	return register_xenstore_notifier(&xenstore_notifier);
}

void xensched_acct_exit(void)
{
	unregister_xenstore_notifier(&xenstore_notifier);
	if (watching)
		unregister_xenbus_watch(&xensched_numbers_watch);
	cancel_work_sync(&numbers_work);
}
