/* SPDX-License-Identifier: GPL-2.0-only */
/* figure.h - a figure with its unit, as it is printed. */
#ifndef XENSCHED_COMMAND_RUNS_FIGURE_H
#define XENSCHED_COMMAND_RUNS_FIGURE_H

/* To four digits: "12.35 s"; valid until the eighth call from then. */
const char *figure(double value, const char *unit);

/* A part of 1: "3.1 %". */
const char *figure_percent(double part);

#endif /* XENSCHED_COMMAND_RUNS_FIGURE_H */
