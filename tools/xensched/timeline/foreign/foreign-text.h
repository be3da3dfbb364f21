/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * foreign-text.h - an event of a foreign trace in words.
 */
#ifndef XENSCHED_TIMELINE_FOREIGN_TEXT_H
#define XENSCHED_TIMELINE_FOREIGN_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include <babeltrace2/babeltrace.h>

/*
 * "sched_switch: prev_comm = sh, prev_tid = 12", cut where it is too long: what
 * it has of its own, and before that of its context.  To be freed.
 */
char *foreign_text(const bt_event *event);

/* The CPU that its packet says; false: it does not. */
bool foreign_text_cpu(const bt_event *event, uint64_t *cpu);

#endif /* XENSCHED_TIMELINE_FOREIGN_TEXT_H */
