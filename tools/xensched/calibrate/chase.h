/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chase.h - how long a load takes that no cache has.
 */
#ifndef XENSCHED_CALIBRATE_CHASE_H
#define XENSCHED_CALIBRATE_CHASE_H

#include <stddef.h>

/* ns, from a CPU of this Linux, in @memory, which is overwritten; -1 as ever. */
double chase_ns(unsigned int cpu, void *memory, size_t bytes);

#endif /* XENSCHED_CALIBRATE_CHASE_H */
