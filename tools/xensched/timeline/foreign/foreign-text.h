/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * foreign-text.h - formats an event of a foreign trace.
 */
#ifndef XENSCHED_TIMELINE_FOREIGN_TEXT_H
#define XENSCHED_TIMELINE_FOREIGN_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include <babeltrace2/babeltrace.h>

/*
 * Returns "sched_switch: prev_comm = sh, prev_tid = 12", shortened if it is too long: the event's
 * context, then its own fields.  The caller frees the result.
 */
char *foreign_text(const bt_event *event);

/* Reads the CPU of the event's packet; returns false if it has none. */
bool foreign_text_cpu(const bt_event *event, uint64_t *cpu);

#endif /* XENSCHED_TIMELINE_FOREIGN_TEXT_H */
