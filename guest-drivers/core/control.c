// SPDX-License-Identifier: GPL-2.0-only
/*
 * Implements the operations of a scheduler: set the log up, query it, turn events
 * on.  They arrive through the device or through xenstore (advertise.c).
 *
 * The operations equal those of Xen's XEN_SYSCTL_schedlog, with the same checks
 * in the same order (common/schedlog/control.c there), so a scheduler handles
 * one set of errors.
 *
 * A user's memory is touched before the mutex is taken, or after it is released:
 * that memory may be missing for any time.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "area.h"
#include "control.h"
#include "counter.h"
#include "uapi/xensched_log.h"

#define MIN_LEASE_MS	100
#define MAX_LEASE_MS	3600000

DEFINE_MUTEX(xensched_log_mutex);

static bool area_kept;

static void fill_info(struct xensched_log_info *info)
{
	const struct xensched_geometry *g = xensched_geometry();

	*info = (struct xensched_log_info){
		.abi_version = XEN_SCHEDLOG_ABI_VERSION,
		.nr_cpus = g->nr_acct ? nr_cpu_ids : 0,
		.nr_acct = g->nr_acct,
		.nr_files = g->nr_files,
		.data_size = g->data_size,
		.events_enabled = xensched_events_on(),
		.tsc_khz = xensched_counter_khz(),
		.max_bytes = xensched_max_bytes(),
		.used_bytes = xensched_used_bytes(),
		.doorbell = 1,
	};

	info->events_built = xensched_events_built(&info->nr_sites);
	xensched_lease_info(&info->lease_ms, &info->lease_left_ms);
}

static long get_info(void __user *argument)
{
	struct xensched_log_info info;

	mutex_lock(&xensched_log_mutex);
	fill_info(&info);
	mutex_unlock(&xensched_log_mutex);

	return copy_to_user(argument, &info, sizeof(info)) ? -EFAULT : 0;
}

static bool power_of_2_between(u32 n, u32 min, u32 max)
{
	return n >= min && n <= max && !(n & (n - 1));
}

/* Log buffers follow each other, aligned to their size or to a page. */
static int lay_out(struct xensched_geometry *g, const u32 *sizes)
{
	u64 end = 0;
	u32 i;

	for (i = 0; i < g->nr_files; i++) {
		u32 size = sizes[i];

		if (!power_of_2_between(size, XEN_SCHEDLOG_MIN_FILE_SIZE,
					XEN_SCHEDLOG_MAX_FILE_SIZE))
			return -EINVAL;

		end = ALIGN(end, min_t(u64, size, PAGE_SIZE));
		g->files[i].offset = end;
		g->files[i].size = size;
		end += size;
		if (end > xensched_max_bytes() || end > U32_MAX - PAGE_SIZE)
			return -E2BIG;
	}
	g->data_size = PAGE_ALIGN(end);

	return 0;
}

static bool valid_numbers(u32 nr_acct, u32 nr_files)
{
	return power_of_2_between(nr_acct, 2, XEN_SCHEDLOG_MAX_ACCT) &&
	       power_of_2_between(nr_files, 1, XEN_SCHEDLOG_MAX_FILES);
}

int xensched_set_up(u32 nr_acct, u32 nr_files, const u32 *sizes)
{
	struct xensched_geometry g = {
		.nr_acct = nr_acct,
		.nr_files = nr_files,
	};
	int err;

	if (!valid_numbers(nr_acct, nr_files))
		return -EINVAL;

	g.files = kvcalloc(nr_files, sizeof(*g.files), GFP_KERNEL);
	if (!g.files)
		return -ENOMEM;

	err = lay_out(&g, sizes);
	if (!err)
		err = xensched_create_area(&g);
	if (err)
		kvfree(g.files);

	return err;
}

static long set_up(const void __user *argument)
{
	struct xensched_log_setup op;
	u32 *sizes;
	int err;

	if (copy_from_user(&op, argument, sizeof(op)))
		return -EFAULT;
	if (!valid_numbers(op.nr_acct, op.nr_files))
		return -EINVAL;

	sizes = memdup_user(u64_to_user_ptr(op.sizes),
			    sizeof(*sizes) * op.nr_files);
	if (IS_ERR(sizes))
		return PTR_ERR(sizes);

	mutex_lock(&xensched_log_mutex);
	err = xensched_set_up(op.nr_acct, op.nr_files, sizes);
	mutex_unlock(&xensched_log_mutex);
	kfree(sizes);

	return err;
}

/* Returns a copy of the requested files, for kfree(), or an error. */
static struct xen_schedlog_file *copy_files(struct xensched_log_files *op)
{
	const struct xensched_geometry *g = xensched_geometry();
	struct xen_schedlog_file *files;

	if (!g->nr_acct)
		return ERR_PTR(-ENOENT);
	if (op->first > g->nr_files)
		return ERR_PTR(-EINVAL);

	op->nr = min(op->nr, g->nr_files - op->first);
	files = kmemdup(g->files + op->first, sizeof(*files) * op->nr,
			GFP_KERNEL);

	return files ?: ERR_PTR(-ENOMEM);
}

static long get_files(void __user *argument)
{
	struct xen_schedlog_file *files;
	struct xensched_log_files op;
	long err = 0;

	if (copy_from_user(&op, argument, sizeof(op)))
		return -EFAULT;

	mutex_lock(&xensched_log_mutex);
	files = copy_files(&op);
	mutex_unlock(&xensched_log_mutex);
	if (IS_ERR(files))
		return PTR_ERR(files);

	if (copy_to_user(u64_to_user_ptr(op.files), files,
			 sizeof(*files) * op.nr) ||
	    copy_to_user(argument, &op, sizeof(op)))
		err = -EFAULT;
	kfree(files);

	return err;
}

static bool valid_lease(u32 lease_ms, u64 cookie)
{
	return !lease_ms || (cookie && lease_ms >= MIN_LEASE_MS &&
			     lease_ms <= MAX_LEASE_MS);
}

int xensched_set_events(u32 events, u32 lease_ms, u64 cookie)
{
	u32 nr_sites;

	if (!valid_lease(lease_ms, cookie))
		return -EINVAL;
	if (events & ~xensched_events_built(&nr_sites))
		return -EOPNOTSUPP;
	if (!xensched_may_control(cookie))
		return -EEXIST;
	if (events && !xensched_geometry()->nr_acct)
		return -ENOENT;

	xensched_apply_events(events);
	xensched_set_lease(cookie, events ? lease_ms : 0);

	return 0;
}

static bool turns_on(u32 events)
{
	u32 on;

	mutex_lock(&xensched_log_mutex);
	on = xensched_events_on();
	mutex_unlock(&xensched_log_mutex);

	return events & ~on;
}

static long set_events(const void __user *argument)
{
	struct xensched_log_events op;
	int err;

	if (copy_from_user(&op, argument, sizeof(op)))
		return -EFAULT;
	if (turns_on(op.events)) {
		err = xensched_acct_refresh();
		if (err)
			return err;
	}

	mutex_lock(&xensched_log_mutex);
	err = xensched_set_events(op.events, op.lease_ms, op.cookie);
	mutex_unlock(&xensched_log_mutex);

	return err;
}

static void give_up(void)
{
	xensched_apply_events(0);
	xensched_set_lease(0, 0);
	xensched_destroy_area();
}

void xensched_keep_area(bool keep)
{
	area_kept = keep;
}

int xensched_release(u64 cookie)
{
	if (area_kept)
		return -EBUSY;
	if (!xensched_may_control(cookie))
		return -EEXIST;

	give_up();

	return 0;
}

static long release(const void __user *argument)
{
	struct xensched_log_release op;
	int err;

	if (copy_from_user(&op, argument, sizeof(op)))
		return -EFAULT;

	mutex_lock(&xensched_log_mutex);
	err = xensched_release(op.cookie);
	mutex_unlock(&xensched_log_mutex);

	return err;
}

long xensched_control(unsigned int cmd, void __user *argument)
{
	switch (cmd) {
	case XENSCHED_LOG_INFO:
		return get_info(argument);
	case XENSCHED_LOG_SETUP:
		return set_up(argument);
	case XENSCHED_LOG_FILES:
		return get_files(argument);
	case XENSCHED_LOG_EVENTS:
		return set_events(argument);
	case XENSCHED_LOG_RELEASE:
		return release(argument);
	default:
		return -ENOTTY;
	}
}

/* The device is gone and no module with sites is loaded. */
void xensched_control_exit(void)
{
	mutex_lock(&xensched_log_mutex);
	give_up();
	mutex_unlock(&xensched_log_mutex);
	xensched_lease_exit();
}
