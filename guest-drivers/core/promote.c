// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records rows that a program has completed.  The program reads the kernel's rows
 * as a preliminary log, and the scheduler reads its results like rows of a site.
 *
 * The rows contain only data that this domain may log anyway, and Linux trusts its
 * root.  The area may be replaced while the program reads.  So the program names
 * the area that it has read, and no row is promoted into another area, in which
 * numbers may stand for other domains.
 */
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <xen/interface/xen.h>

#include "area.h"
#include "control.h"
#include "uapi/xensched_log.h"
#include "xensched_log.h"

struct xensched_promoter {
	struct xensched_provider provider;
};

/* For all files: two threads may share one. */
static DEFINE_MUTEX(promoters_mutex);

static int become_site(struct xensched_promoter **promoter)
{
	struct xensched_promoter *new;
	int err = 0;

	mutex_lock(&promoters_mutex);
	if (!*promoter) {
		new = kzalloc(sizeof(*new), GFP_KERNEL);
		if (new) {
			new->provider.events = 1U << XEN_SCHEDLOG_EV_PROCESS_IO;
			xensched_log_provide(&new->provider);
			*promoter = new;
		} else {
			err = -ENOMEM;
		}
	}
	mutex_unlock(&promoters_mutex);

	return err;
}

static bool valid_row(const struct xensched_log_promoted *row)
{
	return row->event == XEN_SCHEDLOG_EV_PROCESS_IO &&
	       (row->correspondent < XEN_SCHEDLOG_MAX_ACCT ||
		row->correspondent == XEN_SCHEDLOG_ACCT_NONE);
}

/* Returns the rows, for kfree(), or an error. */
static struct xensched_log_promoted *
copy_rows(const struct xensched_log_promote *op)
{
	struct xensched_log_promoted *rows;
	u32 i;

	if (op->nr > XENSCHED_LOG_MAX_PROMOTED)
		return ERR_PTR(-EINVAL);

	rows = memdup_user(u64_to_user_ptr(op->rows), sizeof(*rows) * op->nr);
	for (i = 0; !IS_ERR(rows) && i < op->nr; i++) {
		if (!valid_row(&rows[i])) {
			kfree(rows);
			return ERR_PTR(-EINVAL);
		}
	}

	return rows;
}

/* With the mutex, so the area stays. */
static int record_rows(struct xensched_log_promote *op,
		       const struct xensched_log_promoted *rows)
{
	u64 area = xensched_area_number(), read = op->area;
	u32 i;

	op->area = area;
	op->events = xensched_events_on();
	if (!area)
		return -ENOENT;
	if (read != area)
		return -ESTALE;

	for (i = 0; i < op->nr; i++)
		xensched_log(XEN_SCHEDLOG_EV_PROCESS_IO,
			     xensched_log_acct(DOMID_SELF),
			     rows[i].correspondent, rows[i].counter);

	return 0;
}

long xensched_promote(struct xensched_promoter **promoter,
		      void __user *argument)
{
	struct xensched_log_promoted *rows;
	struct xensched_log_promote op;
	long err;

	if (copy_from_user(&op, argument, sizeof(op)))
		return -EFAULT;
	rows = copy_rows(&op);
	if (IS_ERR(rows))
		return PTR_ERR(rows);
	err = become_site(promoter);
	if (err)
		goto out;

	mutex_lock(&xensched_log_mutex);
	err = record_rows(&op, rows);
	mutex_unlock(&xensched_log_mutex);
	if (copy_to_user(argument, &op, sizeof(op)))
		err = -EFAULT;
out:
	kfree(rows);
	return err;
}

void xensched_promote_end(struct xensched_promoter *promoter)
{
	if (!promoter)
		return;

	xensched_log_withdraw(&promoter->provider);
	kfree(promoter);
}
