// SPDX-License-Identifier: GPL-2.0-only
/*
 * Implements /dev/xensched-log, by which a scheduler reaches the log; root only.
 *
 * Pages are mapped once, when mmap() is called.  STATE and DATA can neither be
 * mapped writable nor be made writable later.  A mapping keeps the pages, and
 * through its file the module, until it is unmapped.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>

#include "area.h"
#include "control.h"
#include "uapi/xensched_log.h"

/* The fields of XENSCHED_LOG_OFFSET(), in pages. */
#define OFFSET_PAGES	(1UL << (32 - PAGE_SHIFT))
#define OFFSET_CPUS	(1UL << 16)

static int xensched_dev_open(struct inode *inode, struct file *file)
{
	file->private_data = NULL;

	return capable(CAP_SYS_ADMIN) ? 0 : -EPERM;
}

static int xensched_dev_release(struct inode *inode, struct file *file)
{
	xensched_promote_end(file->private_data);

	return 0;
}

static long xensched_dev_ioctl(struct file *file, unsigned int cmd,
			       unsigned long arg)
{
	if (cmd == XENSCHED_LOG_PROMOTE)
		return xensched_promote((struct xensched_promoter **)
					&file->private_data,
					(void __user *)arg);

	return xensched_control(cmd, (void __user *)arg);
}

static void xensched_region_open(struct vm_area_struct *vma)
{
	struct xensched_region *region = vma->vm_private_data;

	kref_get(&region->ref);
}

static void xensched_region_close(struct vm_area_struct *vma)
{
	xensched_put_region(vma->vm_private_data);
}

static const struct vm_operations_struct region_ops = {
	.open = xensched_region_open,
	.close = xensched_region_close,
};

/* Kernels before 6.3 have no functions for it. */
static void change_flags(struct vm_area_struct *vma, unsigned long set,
			 unsigned long clear)
{
#ifdef XENSCHED_HAVE_VM_FLAGS_SET
	vm_flags_set(vma, set);
	vm_flags_clear(vma, clear);
#else
	vma->vm_flags |= set;
	vma->vm_flags &= ~clear;
#endif
}

/* Takes over the caller's reference on success. */
static int xensched_map_region(struct vm_area_struct *vma,
			       struct xensched_region *region,
			       unsigned long first)
{
	unsigned long i, nr = vma_pages(vma);
	int err;

	if (first > region->nr_pages || nr > region->nr_pages - first)
		return -EINVAL;

	for (i = 0; i < nr; i++) {
		err = vm_insert_page(vma, vma->vm_start + i * PAGE_SIZE,
				     region->pages[first + i]);
		if (err)
			return err;
	}
	vma->vm_private_data = region;
	vma->vm_ops = &region_ops;

	return 0;
}

static int xensched_dev_mmap(struct file *file, struct vm_area_struct *vma)
{
	unsigned long offset = vma->vm_pgoff;
	unsigned long nr = offset / OFFSET_PAGES / OFFSET_CPUS;
	unsigned int cpu = offset / OFFSET_PAGES % OFFSET_CPUS;
	bool read_only = nr >= XENSCHED_REGION_STATE;
	struct xensched_region *region;
	int err;

	if (nr > XENSCHED_REGION_DATA)
		return -ENODEV;
	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (read_only && (vma->vm_flags & VM_WRITE))
		return -EACCES;
	change_flags(vma, VM_DONTEXPAND | VM_DONTDUMP,
		     VM_MAYEXEC | (read_only ? VM_MAYWRITE : 0));

	region = xensched_get_region(nr, cpu);
	if (!region)
		return -ENODEV;
	err = xensched_map_region(vma, region, offset % OFFSET_PAGES);
	if (err)
		xensched_put_region(region);

	return err;
}

static const struct file_operations log_fops = {
	.owner = THIS_MODULE,
	.open = xensched_dev_open,
	.release = xensched_dev_release,
	.unlocked_ioctl = xensched_dev_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = xensched_dev_mmap,
	.poll = xensched_doorbell_poll,
	.llseek = noop_llseek,
};

static struct miscdevice log_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "xensched-log",
	.mode = 0600,
	.fops = &log_fops,
};

int xensched_device_init(void)
{
	return misc_register(&log_device);
}

void xensched_device_exit(void)
{
	misc_deregister(&log_device);
}
