// SPDX-License-Identifier: GPL-2.0-only
/* Registers and removes probes of the scheduler's tracepoints. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/printk.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "point.h"

static void xensched_point_look_at(struct tracepoint *tracepoint, void *data)
{
	struct xensched_point *point = data;

	if (!strcmp(tracepoint->name, point->name))
		point->point = tracepoint;
}

bool xensched_point_find(struct xensched_point *point)
{
	for_each_kernel_tracepoint(xensched_point_look_at, point);

	return point->point;
}

int xensched_point_turn(struct xensched_point *point, bool on)
{
	int err;

	if (on == point->on)
		return 0;

	if (on)
		err = tracepoint_probe_register(point->point, point->probe,
						NULL);
	else
		err = tracepoint_probe_unregister(point->point, point->probe,
						  NULL);
	if (err)
		pr_warn("%s cannot be turned %s: error %d\n", point->name,
			on ? "on" : "off", err);
	else
		point->on = on;

	return err;
}
