// SPDX-License-Identifier: GPL-2.0-only
/*
 * Implements /dev/xensched-mark: every written 32-bit code is a hypercall;
 * ioctls make the codes of typed.c.
 *
 * root owns the device.  An administrator may open it to a group, as
 * udev/60-xensched-mark.rules does.  The group's members can then log any number
 * of rows, but only rows of this guest.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "code.h"
#include "guest.h"
#include "typed.h"

/* Makes a mark of each code, until one fails. */
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
			err = xensched_code_log(code);
		if (err)
			return done ?: err;
		if (signal_pending(current))
			return done + sizeof(code);
		cond_resched();
	}

	return size;
}

static long name_it(void __user *arg)
{
	struct xensched_mark_name name;
	int err;

	if (copy_from_user(&name, arg, sizeof(name)))
		return -EFAULT;
	err = xensched_typed_name(&name);
	if (err)
		return err;

	return copy_to_user(arg, &name, sizeof(name)) ? -EFAULT : 0;
}

static long xensched_mark_ioctl(struct file *file, unsigned int cmd,
				unsigned long arg)
{
	void __user *from = (void __user *)arg;
	struct xensched_mark_typed typed;
	struct xensched_mark_label label;

	switch (cmd) {
	case XENSCHED_MARK_NAME:
		return name_it(from);
	case XENSCHED_MARK_TYPED:
		if (copy_from_user(&typed, from, sizeof(typed)))
			return -EFAULT;
		return xensched_typed_mark(&typed);
	case XENSCHED_MARK_LABEL:
		if (copy_from_user(&label, from, sizeof(label)))
			return -EFAULT;
		return xensched_typed_label(&label);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations mark_fops = {
	.owner = THIS_MODULE,
	.write = xensched_mark_write,
	.unlocked_ioctl = xensched_mark_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
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
	xensched_typed_exit();
}
