// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes typed marks as codes.
 *
 * Names have numbers, which stay until the module is unloaded: a begin is one
 * code.  A name is logged before the first mark that needs it, and again once per
 * second, for a reader that begins later or has lost rows.
 *
 * Codes that belong together, a dozen at most, are logged without another code of
 * this vCPU in between.
 */
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/barrier.h>
#include <asm/byteorder.h>

#include "code.h"
#include "typed.h"

/* How often a name is logged again. */
#define PERIOD HZ

struct name {
	char text[XENSCHED_MARK_TEXT];
	u32 said;		/* 1 + the period of its latest rows */
};

/* Entries neither change nor disappear until the module is unloaded. */
static struct name *names[XENSCHED_MARK_NAMES];
static unsigned int nr_names;
static DEFINE_MUTEX(names_lock);	/* Held to add one. */

static int log_code(u32 what, u32 high, u32 low)
{
	return xensched_code_log(XENSCHED_TYPED |
				 what << XENSCHED_CODE_WHAT_SHIFT |
				 (high & XENSCHED_CODE_HIGH_MASK) <<
				 XENSCHED_CODE_HIGH_SHIFT |
				 (low & XENSCHED_CODE_LOW_MASK));
}

/* Caller has preemption off, here and below. */
static int log_data(const u8 *data, size_t size)
{
	u32 code = XENSCHED_TYPED | XENSCHED_CODE_FIRST |
		   XENSCHED_CODE_DATA << XENSCHED_CODE_WHAT_SHIFT;
	size_t i, done = 0;
	u32 bytes;
	int err;

	do {
		bytes = 0;
		for (i = 0; i < XENSCHED_CODE_BYTES && done < size; i++)
			bytes |= (u32)data[done++] << (8 * i);
		err = xensched_code_log(code | bytes);
		code &= ~XENSCHED_CODE_FIRST;
	} while (!err && done < size);

	return err;
}

static int log_name_if_needed(u32 id)
{
	u32 period = (u32)(jiffies / PERIOD) + 1;
	struct name *name = names[id];
	size_t length;
	int err;

	if (READ_ONCE(name->said) == period)
		return 0;

	length = strlen(name->text);
	err = log_data((const u8 *)name->text, length);
	if (!err)
		err = log_code(XENSCHED_CODE_NAME, id,
			       xensched_mark_sum(name->text, length));
	if (!err)
		WRITE_ONCE(name->said, period);

	return err;
}

static int log_count(u32 id, u64 value)
{
	__le64 bytes = cpu_to_le64(value);
	size_t size = sizeof(bytes);
	int err;

	while (size && !((u8 *)&bytes)[size - 1])
		size--;
	err = log_data((u8 *)&bytes, size);

	return err ?: log_code(XENSCHED_CODE_COUNT, id,
			       xensched_mark_sum(&bytes, sizeof(bytes)));
}

static int log_typed(u32 kind, u32 id, u64 value)
{
	int err = log_name_if_needed(id);

	if (err)
		return err;
	if (kind == XENSCHED_MARK_COUNT)
		return log_count(id, value);

	return log_code(kind == XENSCHED_MARK_BEGIN ? XENSCHED_CODE_BEGIN
						    : XENSCHED_CODE_END,
			id, smp_processor_id());
}

int xensched_typed_mark(const struct xensched_mark_typed *mark)
{
	/* A name below this number is complete. */
	unsigned int nr = smp_load_acquire(&nr_names);
	int err;

	if (mark->kind > XENSCHED_MARK_COUNT || mark->id >= nr ||
	    (mark->kind != XENSCHED_MARK_COUNT && mark->value))
		return -EINVAL;

	preempt_disable();
	err = log_typed(mark->kind, array_index_nospec(mark->id, nr),
			mark->value);
	preempt_enable();

	return err;
}

static bool is_text(const char text[XENSCHED_MARK_TEXT])
{
	size_t length = strnlen(text, XENSCHED_MARK_TEXT);

	return length && length < XENSCHED_MARK_TEXT;
}

int xensched_typed_label(const struct xensched_mark_label *label)
{
	size_t length = strnlen(label->text, sizeof(label->text));
	int err;

	if (!is_text(label->text))
		return -EINVAL;

	preempt_disable();
	err = log_data((const u8 *)label->text, length);
	if (!err)
		err = log_code(XENSCHED_CODE_LABEL,
			       xensched_mark_sum(label->text, length),
			       smp_processor_id());
	preempt_enable();

	return err;
}

/* Names stay, so some are reserved for root. */
static bool may_add_name(void)
{
	if (nr_names < XENSCHED_MARK_NAMES - XENSCHED_MARK_NAMES_ROOT)
		return true;

	return nr_names < XENSCHED_MARK_NAMES && capable(CAP_SYS_ADMIN);
}

static int add_name(const char *text)
{
	struct name *name;

	if (!may_add_name())
		return -ENOSPC;

	name = kzalloc(sizeof(*name), GFP_KERNEL);
	if (!name)
		return -ENOMEM;

	strscpy(name->text, text, sizeof(name->text));
	names[nr_names] = name;
	/* Publish the number after the name. */
	smp_store_release(&nr_names, nr_names + 1);

	return nr_names - 1;
}

int xensched_typed_name(struct xensched_mark_name *name)
{
	unsigned int i;
	int id = -1;

	if (!is_text(name->text))
		return -EINVAL;

	mutex_lock(&names_lock);
	for (i = 0; i < nr_names && id < 0; i++)
		if (!strcmp(names[i]->text, name->text))
			id = i;
	if (id < 0)
		id = add_name(name->text);
	mutex_unlock(&names_lock);
	if (id < 0)
		return id;
	name->id = id;

	return 0;
}

void xensched_typed_exit(void)
{
	while (nr_names)
		kfree(names[--nr_names]);
}
