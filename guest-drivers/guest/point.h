/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes of the scheduler's tracepoints which are there while they are wanted.
 *
 * A tracepoint without a probe is a NOP of Linux' own, so what is off costs
 * nothing, not even a test.
 */
#ifndef XENSCHED_POINT_H
#define XENSCHED_POINT_H

#include <linux/types.h>

struct tracepoint;

struct xensched_point {
	const char *name;
	void *probe;
	struct tracepoint *point;	/* NULL: this Linux has none */
	bool on;
};

/* Modules cannot name them.  False: there is no such tracepoint. */
bool xensched_point_find(struct xensched_point *point);

/* The log's mutex is held, or nobody else can know of @point. */
void xensched_point_turn(struct xensched_point *point, bool on);

#endif /* XENSCHED_POINT_H */
