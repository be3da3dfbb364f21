/* SPDX-License-Identifier: GPL-2.0-only */
/* units.h - converts figures between units that differ in their prefix. */
#ifndef XENSCHED_RUNS_UNITS_H
#define XENSCHED_RUNS_UNITS_H

/*
 * Returns how many @to are one @from: 1000 for GB/s and MB/s, 1024 for MiB and KiB,
 * 0 if they cannot be converted.  k and K are both 1000.
 */
double units_factor(const char *from, const char *to);

#endif /* XENSCHED_RUNS_UNITS_H */
