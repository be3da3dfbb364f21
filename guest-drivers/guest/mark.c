// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/xensched-mark: each 32-bit code that is written is a hypercall.
 *
 * The device is root's.  An administrator may give it to others, who then can
 * fill the log with as many rows as they like, but only of this guest's.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <asm/xen/hypercall.h>

#include "guest.h"

/* As in Xen's public header sched.h. */
#define SCHEDOP_schedlog_mark	8

struct sched_schedlog_mark {
	u32 code;
	u32 pad;
};

static int log_mark(u32 code)
{
	struct sched_schedlog_mark mark = { .code = code };

	return HYPERVISOR_sched_op(SCHEDOP_schedlog_mark, &mark);
}

/* As many marks as there are codes, or as there are until one fails. */
static ssize_t xensched_mark_write(struct file *file, const char __user *buffer,
				   size_t size, loff_t *pos)
{
	size_t done;
	u32 code;
	int err;

	if (!size || size % sizeof(code))
		return -EINVAL;

	for (done = 0; done < size; done += sizeof(code)) {
		err = -EFAULT;
		if (!copy_from_user(&code, buffer + done, sizeof(code)))
			err = log_mark(code);
		if (err)
			return done ?: err;
		if (signal_pending(current))
			return done + sizeof(code);
		cond_resched();
	}

	return size;
}

static const struct file_operations mark_fops = {
	.owner = THIS_MODULE,
	.write = xensched_mark_write,
	.llseek = noop_llseek,
};

static struct miscdevice mark_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "xensched-mark",
	.mode = 0600,
	.fops = &mark_fops,
};

int xensched_mark_init(void)
{
	return misc_register(&mark_device);
}

void xensched_mark_exit(void)
{
	misc_deregister(&mark_device);
}
