// SPDX-License-Identifier: GPL-2.0-only
/*
 * Advertises the log of a driver domain in xenstore to a scheduler in dom0.
 *
 * The scheduler writes its request to schedlog/request/, below this domain's
 * own path.  A watch passes it to a work item, which sets the log up by the
 * rules of the device and answers in schedlog/area/ with the frames
 * of the area, or with an error.  docs/internals/linux-log.md has all nodes.
 *
 * dom0 may have mapped the advertised frames, writable, and this domain does not
 * learn when it unmaps them.  So the area and this module stay until the scheduler
 * removes its request, even after the end of the lease.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/reboot.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <xen/interface/io/xs_wire.h>
#include <xen/page.h>
#include <xen/xen.h>
#include <xen/xenbus.h>

#include "area.h"
#include "control.h"
#include "counter.h"

#define REQUEST		"schedlog/request"
#define AREA		"schedlog/area"

/* A request is several nodes, and the watch fires for each of them. */
#define SETTLE_MS	20

/* The limit for which a restart waits until the scheduler has unmapped all. */
#define RESTART_MS	3000

#define NO_FRAME	(~0ULL)
#define MAX_DIRECTORY	(128 * PAGE_SIZE)

struct xensched_request {
	u32 nr_acct, events, lease_ms, nr_files;
	u32 sizes[XEN_SCHEDLOG_MAX_FILES];
	int wrong;		/* An errno value. */
};

/* Errors that are reported by name; any other is EIO. */
static const struct {
	int err;
	const char *text;
} errors[] = {
	{ -E2BIG, "E2BIG the area would be larger than max_mib allows" },
	{ -EBUSY, "EBUSY there is an area with another layout" },
	{ -EEXIST, "EEXIST another scheduler holds the log" },
	{ -EINVAL, "EINVAL the request is malformed" },
	{ -ENOMEM, "ENOMEM there is not enough memory" },
	{ -ENOSPC, "ENOSPC the answer is too long for xenstore" },
	{ -EOPNOTSUPP, "EOPNOTSUPP no module has a site of one of the events" },
	{ -EPROTO, "EPROTO this is another version of the log" },
	{ -ETIMEDOUT, "ETIMEDOUT xenstore did not return the accounting domains" },
};

static const char *const area_nodes[] = {
	"version", "nr-cpus", "nr-acct", "sizes", "tsc-khz", "events-built",
	"events", "directory", "error",
};

/* With the mutex.  NULL: nothing is advertised. */
static struct xensched_region *directory;
static bool created;		/* The area, by this file, not through the device. */

/* The cookie of the requester in xenstore, not of a user of the device. */
static u64 cookie;

/* Only the work item uses the rest. */
static struct xensched_request xensched_request;
static char text[XENSTORE_PAYLOAD_MAX];
static unsigned int own_domid;	/* At the latest check; 0: none. */
static struct {
	bool any;
	u32 events, built;
} said;

static bool asked;		/* The request may have changed. */
static bool restarting;		/* No request is answered any more. */
static DECLARE_COMPLETION(withdrawn);
static void xensched_advertise_work(struct work_struct *unused);
static DECLARE_DELAYED_WORK(xensched_advertise_dwork, xensched_advertise_work);

/* Runs @call in a transaction, so a failure changes nothing. */
static int xensched_transact(int (*call)(struct xenbus_transaction t, int arg),
			     int arg)
{
	struct xenbus_transaction t;
	int err, end;

	do {
		err = xenbus_transaction_start(&t);
		if (err)
			return err;
		err = call(t, arg);
		end = xenbus_transaction_end(t, !!err);
	} while (end == -EAGAIN);

	return err ? err : end;
}

/* A missing node is an error like any other. */
static int xensched_read_number(struct xenbus_transaction t, const char *name,
				u32 *n)
{
	char *value = xenbus_read(t, REQUEST, name, NULL);
	int err;

	if (IS_ERR(value))
		return PTR_ERR(value) == -ENOENT ? -EINVAL : PTR_ERR(value);

	err = kstrtou32(value, 10, n);
	kfree(value);

	return err ? -EINVAL : 0;
}

static int read_sizes(struct xenbus_transaction t, struct xensched_request *r)
{
	char *value = xenbus_read(t, REQUEST, "sizes", NULL);
	char *rest = value, *word;
	int err = 0;

	if (IS_ERR(value))
		return PTR_ERR(value) == -ENOENT ? -EINVAL : PTR_ERR(value);

	r->nr_files = 0;
	while (!err && (word = strsep(&rest, " "))) {
		if (!*word)
			continue;
		if (r->nr_files == XEN_SCHEDLOG_MAX_FILES ||
		    kstrtou32(word, 10, &r->sizes[r->nr_files++]))
			err = -EINVAL;
	}
	kfree(value);

	return err;
}

/* -ENOENT: there is no request. */
static int read_nodes(struct xenbus_transaction t, struct xensched_request *r)
{
	char *exists = xenbus_read(t, REQUEST, "", NULL);
	u32 version;
	int err;

	if (IS_ERR(exists))
		return PTR_ERR(exists);
	kfree(exists);

	err = xensched_read_number(t, "version", &version);
	if (err)
		return err;
	if (version != XEN_SCHEDLOG_ABI_VERSION)
		return -EPROTO;

	err = xensched_read_number(t, "nr-acct", &r->nr_acct);
	if (!err)
		err = xensched_read_number(t, "events", &r->events);
	if (!err)
		err = xensched_read_number(t, "lease-ms", &r->lease_ms);
	if (!err)
		err = read_sizes(t, r);
	/* The device can do without a lease; a requester in dom0 cannot. */
	if (!err && !r->lease_ms)
		err = -EINVAL;

	return err;
}

/* The request may be incomplete, which the end of the transaction shows. */
static int xensched_read_request(struct xenbus_transaction t, int unused)
{
	xensched_request.wrong = read_nodes(t, &xensched_request);

	return 0;
}

/* Appends the frames of a region.  A CPU outside of the possible mask has none. */
static u64 *xensched_append_frames(u64 *entry, enum xensched_region_nr nr,
				   unsigned int cpu)
{
	const struct xensched_region *region = xensched_find_region(nr, cpu);
	unsigned int i;

	for (i = 0; i < xensched_region_pages(nr); i++)
		*entry++ = region ? xen_page_to_gfn(region->pages[i])
				  : NO_FRAME;

	return entry;
}

static void fill_directory(void)
{
	static const enum xensched_region_nr of_cpu[] = {
		XENSCHED_REGION_CONTROL,
		XENSCHED_REGION_STATE,
		XENSCHED_REGION_DATA,
	};
	u64 *entry = directory->va;
	unsigned int cpu, i;

	entry = xensched_append_frames(entry, XENSCHED_REGION_GLOBAL, 0);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		for (i = 0; i < ARRAY_SIZE(of_cpu); i++)
			entry = xensched_append_frames(entry, of_cpu[i], cpu);
}

static int make_directory(void)
{
	u64 pages = xensched_region_pages(XENSCHED_REGION_CONTROL) +
		    xensched_region_pages(XENSCHED_REGION_STATE) +
		    xensched_region_pages(XENSCHED_REGION_DATA);
	u64 size = sizeof(u64) *
		   (pages * nr_cpu_ids +
		    xensched_region_pages(XENSCHED_REGION_GLOBAL));

	if (size > MAX_DIRECTORY ||
	    xensched_used_bytes() + size > xensched_max_bytes())
		return -E2BIG;
	if (!try_module_get(THIS_MODULE))
		return -ENODEV;

	directory = xensched_alloc_region(size, NUMA_NO_NODE);
	if (directory) {
		xensched_keep_area(true);
		return 0;
	}

	module_put(THIS_MODULE);
	return -ENOMEM;
}

/* Keeps an area that existed before, or that another program holds now. */
static void xensched_unadvertise(void)
{
	if (!directory)
		return;

	xensched_put_region(directory);
	directory = NULL;
	xensched_keep_area(false);
	if (created)
		xensched_release(cookie);
	else
		xensched_set_events(0, 0, cookie);
	module_put(THIS_MODULE);
}

static int make_area(const struct xensched_request *r)
{
	bool none = !xensched_geometry()->nr_acct;
	int err = xensched_set_up(r->nr_acct, r->nr_files, r->sizes);

	if (err || directory)
		return err;

	created = none;
	err = make_directory();
	if (err && created)
		xensched_release(cookie);

	return err;
}

/* With the mutex.  On errors, the earlier advertisement stays. */
static int xensched_comply(const struct xensched_request *r)
{
	bool advertised = directory;
	int err = make_area(r);

	if (err)
		return err;

	/* After a restore the same pages are in other frames. */
	fill_directory();
	err = xensched_set_events(r->events, r->lease_ms, cookie);
	if (err && !advertised)
		xensched_unadvertise();

	return err;
}

/* Starts or continues a list of numbers in @text. */
static size_t put_number(size_t end, u64 n)
{
	return end + scnprintf(text + end, sizeof(text) - end, "%s%llu",
			       end ? " " : "", n);
}

static int write_sizes(struct xenbus_transaction t)
{
	size_t end = 0;
	unsigned int i;

	for (i = 0; i < xensched_request.nr_files; i++)
		end = put_number(end, xensched_request.sizes[i]);

	return xenbus_write(t, AREA, "sizes", text);
}

static int write_directory(struct xenbus_transaction t)
{
	size_t end = 0;
	unsigned int i;

	for (i = 0; i < directory->nr_pages; i++)
		end = put_number(end, xen_page_to_gfn(directory->pages[i]));

	return xenbus_write(t, AREA, "directory", text);
}

static int write_number(struct xenbus_transaction t, const char *name, u32 n)
{
	return xenbus_printf(t, AREA, name, "%u", n);
}

/* Only this work item frees @directory. */
static int write_area(struct xenbus_transaction t)
{
	int err = write_number(t, "nr-cpus", nr_cpu_ids);

	if (!err)
		err = write_number(t, "nr-acct", xensched_request.nr_acct);
	if (!err)
		err = write_sizes(t);
	if (!err)
		err = write_number(t, "tsc-khz", xensched_counter_khz());
	if (!err)
		err = write_number(t, "events", said.events);
	if (!err)
		err = write_directory(t);
	if (!err)
		err = xenbus_rm(t, AREA, "error");

	return err == -ENOENT ? 0 : err;
}

static int write_error(struct xenbus_transaction t, int wrong)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(errors); i++)
		if (errors[i].err == wrong)
			return xenbus_write(t, AREA, "error", errors[i].text);

	return xenbus_printf(t, AREA, "error", "EIO error %d", -wrong);
}

static int xensched_write_nodes(struct xenbus_transaction t, int wrong)
{
	int err = write_number(t, "version", XEN_SCHEDLOG_ABI_VERSION);

	if (!err)
		err = write_number(t, "events-built", said.built);
	if (err)
		return err;

	return wrong ? write_error(t, wrong) : write_area(t);
}

/* -EACCES: the writable folder is gone, or was created again. */
static int xensched_remove_nodes(struct xenbus_transaction t, int unused)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(area_nodes); i++) {
		err = xenbus_rm(t, AREA, area_nodes[i]);
		if (err == -ENOENT || err == -EACCES)
			err = 0;
	}

	return err;
}

static void remember_events(void)
{
	u32 nr_sites;

	said.events = xensched_events_on();
	said.built = xensched_events_built(&nr_sites);
}

static void say_nothing(void)
{
	if (said.any)
		xensched_transact(xensched_remove_nodes, 0);
	said.any = false;
}

/*
 * A reader must not find frames that do not belong to the log any more.  So the
 * frames are freed after their nodes.  If that fails, it is tried again.
 */
static void xensched_let_go(void)
{
	say_nothing();
	if (xenbus_exists(XBT_NIL, AREA, "directory")) {
		pr_warn_once("cannot remove %s from xenstore\n", AREA);
		said.any = true;
		xchg(&asked, true);
		queue_delayed_work(system_long_wq, &xensched_advertise_dwork,
				   HZ);
		return;
	}

	mutex_lock(&xensched_log_mutex);
	xensched_unadvertise();
	mutex_unlock(&xensched_log_mutex);
}

/*
 * A domain that was restored has another domid and another path in xenstore: a
 * requester there has not found the frames, and may want another layout.  A
 * path without an answer proves nothing, since a requester makes its folder again.
 * If the domid is the same by chance another layout is refused at first.
 */
static void xensched_forget_if_restored(void)
{
	unsigned int before = own_domid;

	own_domid = xenbus_read_unsigned("domid", "", before);
	if (own_domid == before)
		return;

	mutex_lock(&xensched_log_mutex);
	xensched_unadvertise();
	mutex_unlock(&xensched_log_mutex);
}

/*
 * A restored domain gets other numbers.  Their watch may fire after that of the
 * request, so they are read here before rows contain them.
 */
static int xensched_obey(int wrong, bool *new)
{
	bool before;

	if (!wrong)
		wrong = xensched_acct_refresh();
	mutex_lock(&xensched_log_mutex);
	before = directory;
	if (!wrong)
		wrong = xensched_comply(&xensched_request);
	*new = directory && !before;
	remember_events();
	mutex_unlock(&xensched_log_mutex);

	return wrong;
}

/* If the log cannot be advertised, no reader maps it. */
static void xensched_answer(int wrong, bool new)
{
	int err = xensched_transact(xensched_write_nodes, wrong);

	if (err && new) {
		mutex_lock(&xensched_log_mutex);
		xensched_unadvertise();
		mutex_unlock(&xensched_log_mutex);
		err = xensched_transact(xensched_write_nodes, err);
	}
	if (err)
		pr_warn("cannot write to %s: error %d\n", AREA, err);
	else
		said.any = true;
}

/* Events can change without a request: the lease ends, a module is loaded. */
static void say_events(void)
{
	u32 events = said.events, built = said.built;
	bool advertised;

	mutex_lock(&xensched_log_mutex);
	remember_events();
	advertised = directory;
	mutex_unlock(&xensched_log_mutex);

	if (built != said.built)
		write_number(XBT_NIL, "events-built", said.built);
	if (advertised && events != said.events)
		write_number(XBT_NIL, "events", said.events);
}

/*
 * The area stays, because the scheduler writes to it until it unmaps it.  Then the
 * scheduler removes its request.
 */
static void xensched_withdraw(void)
{
	say_nothing();
	mutex_lock(&xensched_log_mutex);
	if (directory && xensched_events_on())
		xensched_set_events(0, 0, cookie);
	mutex_unlock(&xensched_log_mutex);
	if (!directory || !xenbus_exists(XBT_NIL, REQUEST, ""))
		complete_all(&withdrawn);
}

static void xensched_advertise_work(struct work_struct *unused)
{
	bool new;
	int wrong;

	if (READ_ONCE(restarting)) {
		xensched_withdraw();
		return;
	}
	if (!xchg(&asked, false)) {
		if (said.any)
			say_events();
		return;
	}

	wrong = xensched_transact(xensched_read_request, 0);
	if (!wrong)
		wrong = xensched_request.wrong;
	if (wrong == -ENOENT) {
		xensched_let_go();
		return;
	}
	xensched_forget_if_restored();
	wrong = xensched_obey(wrong, &new);
	xensched_answer(wrong, new);
}

static void xensched_advertise_events(void)
{
	mod_delayed_work(system_long_wq, &xensched_advertise_dwork, 0);
}

static void xensched_request_changed(struct xenbus_watch *watch,
				     const char *path, const char *token)
{
	xchg(&asked, true);
	queue_delayed_work(system_long_wq, &xensched_advertise_dwork,
			   msecs_to_jiffies(SETTLE_MS));
}

static struct xenbus_watch xensched_advertise_watch = {
	.node = REQUEST,
	.callback = xensched_request_changed,
};
static bool watching;

/* A new watch fires once without a change, and again when a domain is restored. */
static int xensched_xenstore_is_up(struct notifier_block *block,
				   unsigned long action, void *data)
{
	watching = !register_xenbus_watch(&xensched_advertise_watch);
	if (!watching)
		pr_warn("cannot watch %s in xenstore\n", REQUEST);

	return NOTIFY_DONE;
}

static struct notifier_block xenstore_notifier = {
	.notifier_call = xensched_xenstore_is_up,
};

/*
 * A kexec leaves this memory to another Linux in the same domain.  Modules cannot
 * distinguish it from a reboot.  The Linux that a crash starts has its own
 * memory.
 */
static int xensched_restarts(struct notifier_block *block,
			     unsigned long action, void *data)
{
	if (action != SYS_RESTART || !watching)
		return NOTIFY_DONE;

	WRITE_ONCE(restarting, true);
	mod_delayed_work(system_long_wq, &xensched_advertise_dwork, 0);
	if (!wait_for_completion_timeout(&withdrawn,
					 msecs_to_jiffies(RESTART_MS)))
		pr_warn("a scheduler may still have the log mapped\n");

	return NOTIFY_DONE;
}

static struct notifier_block restart_notifier = {
	.notifier_call = xensched_restarts,
};

/* A scheduler in the same domain uses the device. */
int xensched_advertise_init(void)
{
	int err;

	if (xen_initial_domain())
		return 0;

	cookie = get_random_u64() | 1;
	xensched_watch_events(xensched_advertise_events);
	err = register_reboot_notifier(&restart_notifier);
	if (err)
		return err;
	err = register_xenstore_notifier(&xenstore_notifier);
	if (err)
		unregister_reboot_notifier(&restart_notifier);

	return err;
}

/* Nothing is advertised, or the module could not exit; errors may remain. */
void xensched_advertise_exit(void)
{
	if (!xen_initial_domain()) {
		unregister_reboot_notifier(&restart_notifier);
		unregister_xenstore_notifier(&xenstore_notifier);
	}
	if (watching)
		unregister_xenbus_watch(&xensched_advertise_watch);
	xensched_watch_events(NULL);
	cancel_delayed_work_sync(&xensched_advertise_dwork);
	say_nothing();
}
