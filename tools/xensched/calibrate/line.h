/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * line.h - how long it takes until a core has a line that another one changed.
 */
#ifndef XENSCHED_CALIBRATE_LINE_H
#define XENSCHED_CALIBRATE_LINE_H

/* ns, between two CPUs of this Linux; -1: it could not be measured. */
double line_ns(unsigned int a, unsigned int b);

#endif /* XENSCHED_CALIBRATE_LINE_H */
