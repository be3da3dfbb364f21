/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Includes the format of a log, from Xen's public header, and the events that
 * Linux logs.
 */
#ifndef XENSCHED_EVENTS_H
#define XENSCHED_EVENTS_H

/* The header serves Xen and readers of logs; these modules write one. */
#ifndef __XEN_TOOLS__
#define __XEN_TOOLS__ 1
#endif

#include "schedlog.h"
#include "linux-events.h"

#endif /* XENSCHED_EVENTS_H */
