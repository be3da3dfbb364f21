/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * run-trial.h - performs a trial (trial/trial.h) in the daemon: steps it in each run, marks the
 * guests that are to have their original affinities, keeps it on disk, and writes results to the
 * journal.
 */
#ifndef XENSCHED_DAEMON_RUN_TRIAL_H
#define XENSCHED_DAEMON_RUN_TRIAL_H

#include "core.h"

/* Continues the trial of a former daemon. */
void run_trial_open(struct core *core);

/*
 * Called in each run, before plans are made.  Returns true if the trial has just found harm: then
 * the caller restores all affinities and stops acting.
 */
bool run_trial(struct core *core, uint64_t now_ns);

/*
 * Takes the names in @settings over, also on failure.  -EPERM: the daemon observes, or does not act
 * and this is no dry run; -EBUSY: there is a trial already.
 */
int run_trial_start(struct core *core, const struct trial_settings *settings,
                    struct xensched_error *err);
/* -ESRCH: there is no trial. */
int run_trial_stop(struct core *core, struct xensched_error *err);

/* Allows the placement of a guest that a trial left alone. */
void run_trial_release(struct core *core, const struct domain *d);

#endif /* XENSCHED_DAEMON_RUN_TRIAL_H */
