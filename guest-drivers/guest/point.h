/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declares probes of the scheduler's tracepoints, registered only while needed.
 *
 * A tracepoint without a probe is a NOP, so an event that is off costs no test.
 */
#ifndef XENSCHED_POINT_H
#define XENSCHED_POINT_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/tracepoint.h>
#include <linux/types.h>

struct xensched_point {
	const char *name;
	void *probe;
	struct tracepoint *point;	/* NULL: this Linux has none */
	bool on;
};

/*
 * Defines a static struct xensched_point.  Linux calls a probe through an
 * untyped pointer, and prototypes of tracepoints change: this fails to compile
 * unless @_probe has the prototype in the tracepoint's header, which the caller
 * includes.
 */
#define XENSCHED_POINT(_point, _tracepoint, _probe)			\
static_assert(__same_type(check_trace_callback_type_##_tracepoint,	\
			  void (typeof(_probe) *)),			\
	      #_probe " does not have the prototype of " #_tracepoint);	\
static struct xensched_point _point = {					\
	.name = #_tracepoint,						\
	.probe = _probe,						\
}

/* Finds it by name, as it is not exported.  False: there is none. */
bool xensched_point_find(struct xensched_point *point);

/*
 * Caller holds the log's mutex, or no other code can use @point.  Returns 0, or an
 * error after a warning; @point then stays as it is.
 */
int xensched_point_turn(struct xensched_point *point, bool on);

#endif /* XENSCHED_POINT_H */
