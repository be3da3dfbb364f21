/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Logs a code in the log of Xen, by one hypercall.  A workload's mark needs no
 * other work before its row is written.
 */
#ifndef XENSCHED_CODE_H
#define XENSCHED_CODE_H

#include <linux/types.h>
#include <asm/xen/hypercall.h>

/* As in Xen's public header sched.h. */
#define SCHEDOP_schedlog_mark	8

struct sched_schedlog_mark {
	u32 code;
	u32 pad;
};

static inline int xensched_code_log(u32 code)
{
	struct sched_schedlog_mark mark = { .code = code };

	return HYPERVISOR_sched_op(SCHEDOP_schedlog_mark, &mark);
}

#endif /* XENSCHED_CODE_H */
