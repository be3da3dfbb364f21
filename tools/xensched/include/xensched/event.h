/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * event.h - names and kinds of the events of <xensched/abi.h>.
 *
 * The list itself is there; this is only a way to ask it.
 */
#ifndef XENSCHED_EVENT_H
#define XENSCHED_EVENT_H

#include <stdint.h>

#include <xensched/abi.h>

/* Name of event @number, or NULL when there is no such event. */
const char *xensched_event_name(unsigned int number);

/* "exit", "access", "change", "periodic", or NULL. */
const char *xensched_event_kind(unsigned int number);

/* Number of the event called @name, or -1. */
int xensched_event_number(const char *name);

#endif /* XENSCHED_EVENT_H */
