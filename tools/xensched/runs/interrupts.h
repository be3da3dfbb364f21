/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * interrupts.h - Ctrl-C while runs are done: SIGINT, SIGTERM and SIGHUP are counted,
 * and end nothing by themselves, since there is always something to be put back.
 */
#ifndef XENSCHED_RUNS_INTERRUPTS_H
#define XENSCHED_RUNS_INTERRUPTS_H

#include <signal.h>

void stop_catch_signals(void);

/* They wait until @before, which was the mask, is it again, as in ppoll(). */
void stop_hold_signals(sigset_t *before);

/* How many came. */
int stop_count(void);

#endif /* XENSCHED_RUNS_INTERRUPTS_H */
