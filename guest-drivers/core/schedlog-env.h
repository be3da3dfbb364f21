/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Defines for Linux the environment that the record handler needs.
 *
 * The handler's own files (schedlog-record.h, schedlog-row.h, record.c) are Xen's, unchanged;
 * this file supplies the names that their #else branches use.
 */
#ifndef SCHEDLOG_ENV_H
#define SCHEDLOG_ENV_H

#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/timex.h>
#include <linux/types.h>
#include <asm/barrier.h>

#include "xensched_events.h"

#define ACCESS_ONCE(x) (*(volatile typeof(x) *)&(x))
#define always_inline __always_inline
#define schedlog_tsc() get_cycles()

/* A prefix, so that a backtrace of Linux shows the module's name. */
#define schedlog_init_file xensched_schedlog_init_file
#define schedlog_set_layout xensched_schedlog_set_layout
#define schedlog_write_first_row xensched_schedlog_write_first_row

#ifndef UINT32_MAX
#define UINT32_MAX U32_MAX
#endif
#ifndef UINT64_MAX
#define UINT64_MAX U64_MAX
#endif

#endif /* SCHEDLOG_ENV_H */
