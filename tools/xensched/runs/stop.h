/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stop.h - Ctrl-C while runs are done: SIGINT, SIGTERM and SIGHUP are counted,
 * and end nothing by themselves, since there is always something to be put back.
 */
#ifndef XENSCHED_RUNS_STOP_H
#define XENSCHED_RUNS_STOP_H

void stop_catch_signals(void);

/* How many came. */
int stop_count(void);

#endif /* XENSCHED_RUNS_STOP_H */
