/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * /dev/xensched-mark: a workload reports its progress.
 *
 *	int fd = open(XENSCHED_MARK_DEVICE, O_WRONLY | O_CLOEXEC);
 *	int parse = xensched_mark_name(fd, "parse");
 *
 *	xensched_mark_begin(fd, parse);
 *	region_of_interest();
 *	xensched_mark_end(fd, parse);
 *
 * or with codes that the workload defines:
 *
 *	xensched_mark(fd, 1);
 *	region_of_interest();
 *	xensched_mark(fd, 2);
 *
 * Each code is one hypercall.  If a scheduler logs Xen's event "mark" of this
 * domain, the code is the counter of a row.  The workload defines codes below
 * XENSCHED_TYPED.
 */
#ifndef _UAPI_XENSCHED_MARK_H
#define _UAPI_XENSCHED_MARK_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define XENSCHED_MARK_DEVICE "/dev/xensched-mark"

/*
 * The number of names of this Linux, the part of them that is reserved for
 * CAP_SYS_ADMIN, and the bytes of a name or label, with its end.
 */
#define XENSCHED_MARK_NAMES	1024
#define XENSCHED_MARK_NAMES_ROOT 256
#define XENSCHED_MARK_TEXT	32

enum xensched_mark_kind {
	XENSCHED_MARK_BEGIN,
	XENSCHED_MARK_END,
	XENSCHED_MARK_COUNT,
};

/*
 * Returns the number of a name, valid until the module is unloaded.  ENOSPC: all
 * numbers that the caller may use are taken.  EINVAL: it is empty, or has no end.
 */
struct xensched_mark_name {
	char text[XENSCHED_MARK_TEXT];
	__u32 id;		/* Out */
};

/* EINVAL: there is no such kind, or no such name. */
struct xensched_mark_typed {
	__u32 kind;		/* enum xensched_mark_kind */
	__u32 id;
	__u64 value;		/* the value of COUNT; else 0 */
};

struct xensched_mark_label {
	char text[XENSCHED_MARK_TEXT];
};

/* The magic of XENSCHED_LOG_IOC_MAGIC, with the numbers after its own. */
#define XENSCHED_MARK_NAME	_IOWR(0xf9, 16, struct xensched_mark_name)
#define XENSCHED_MARK_TYPED	_IOW(0xf9, 17, struct xensched_mark_typed)
#define XENSCHED_MARK_LABEL	_IOW(0xf9, 18, struct xensched_mark_label)

/*
 * The codes of marks.  Each is XENSCHED_TYPED | what | high | low:
 *
 *   what                       high (10 bits)    low (15 bits)
 *   XENSCHED_CODE_BEGIN, END   name              vCPU
 *   XENSCHED_CODE_LABEL        sum of the text   vCPU
 *   XENSCHED_CODE_NAME         name              sum of the text
 *   XENSCHED_CODE_COUNT        name              sum of the value
 *   XENSCHED_CODE_DATA         24 bits, the first byte lowest, and FIRST
 *   XENSCHED_CODE_SWITCH       22 bits PID, and the number of dom0's line
 *
 * Text (without its end) comes before its LABEL or NAME, a value (64 bits, as
 * many of its bytes as are not 0, the lowest first) before its COUNT, three
 * bytes per DATA, filled up with zeroes, without a code of that vCPU in between.
 * If a sum is not that of the data, codes were lost or mixed up.
 */
#define XENSCHED_TYPED			0xf0000000U
#define XENSCHED_CODE_WHAT_SHIFT	25
#define XENSCHED_CODE_WHAT_MASK		7U
#define XENSCHED_CODE_BEGIN		0U
#define XENSCHED_CODE_END		1U
#define XENSCHED_CODE_LABEL		2U
#define XENSCHED_CODE_NAME		3U
#define XENSCHED_CODE_COUNT		4U
#define XENSCHED_CODE_DATA		5U
#define XENSCHED_CODE_SWITCH		6U
#define XENSCHED_CODE_HIGH_SHIFT	15
#define XENSCHED_CODE_HIGH_MASK		0x3ffU
#define XENSCHED_CODE_LOW_MASK		0x7fffU
#define XENSCHED_CODE_FIRST		(1U << 24)
#define XENSCHED_CODE_BYTES		3
#define XENSCHED_CODE_SLOT_SHIFT	22
#define XENSCHED_CODE_SLOTS		8U
#define XENSCHED_CODE_PID_MASK		0x3fffffU

/* The sum of @size bytes, of 15 bits; for LABEL the lower 10 of these. */
static inline __u32 xensched_mark_sum(const void *data, __u32 size)
{
	const __u8 *byte = (const __u8 *)data;
	__u32 sum = 0x811c9dc5U, i;

	for (i = 0; i < size; i++)
		sum = (sum ^ byte[i]) * 0x01000193U;

	return (sum ^ sum >> 15 ^ sum >> 30) & XENSCHED_CODE_LOW_MASK;
}

#ifndef __KERNEL__
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/*
 * These functions, except xensched_mark_name(), return 0 or an errno value.
 * EPERM: the administrator of the host has not allowed this domain to log
 * marks.  ENOSYS: Xen has no log.
 */
static inline int xensched_mark(int fd, __u32 code)
{
	return write(fd, &code, sizeof(code)) == sizeof(code) ? 0 : errno;
}

/* Returns its number, or a negative errno value; E2BIG: it is too long. */
static inline int xensched_mark_name(int fd, const char *text)
{
	struct xensched_mark_name name = { .id = 0 };
	size_t length = strlen(text);

	if (length >= sizeof(name.text))
		return -E2BIG;
	memcpy(name.text, text, length);

	return ioctl(fd, XENSCHED_MARK_NAME, &name) ? -errno : (int)name.id;
}

static inline int xensched_mark_typed(int fd, enum xensched_mark_kind kind,
				      int id, __u64 value)
{
	struct xensched_mark_typed mark = {
		.kind = kind, .id = id, .value = value,
	};

	return ioctl(fd, XENSCHED_MARK_TYPED, &mark) ? errno : 0;
}

static inline int xensched_mark_begin(int fd, int id)
{
	return xensched_mark_typed(fd, XENSCHED_MARK_BEGIN, id, 0);
}

static inline int xensched_mark_end(int fd, int id)
{
	return xensched_mark_typed(fd, XENSCHED_MARK_END, id, 0);
}

static inline int xensched_mark_count(int fd, int id, __u64 value)
{
	return xensched_mark_typed(fd, XENSCHED_MARK_COUNT, id, value);
}

static inline int xensched_mark_label(int fd, const char *text)
{
	struct xensched_mark_label label = { .text = "" };
	size_t length = strlen(text);

	if (length >= sizeof(label.text))
		return E2BIG;
	memcpy(label.text, text, length);

	return ioctl(fd, XENSCHED_MARK_LABEL, &label) ? errno : 0;
}
#endif

#endif /* _UAPI_XENSCHED_MARK_H */
