/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * run-trial.h - has the daemon perform a trial (trial/trial.h): steps it in each run,
 * marks the guests that are to have their original affinities, keeps it on disk,
 * and writes to the journal what it finds.
 */
#ifndef XENSCHED_DAEMON_RUN_TRIAL_H
#define XENSCHED_DAEMON_RUN_TRIAL_H

#include "core.h"

/* Go on with the trial that a former daemon has left. */
void run_trial_open(struct core *core);

/*
 * In each run, before plans are made.  Returns true if the trial has just found harm: the
 * caller restores all affinities and stops acting.
 */
bool run_trial(struct core *core, uint64_t now_ns);

/*
 * Takes over the names of @settings, also on failure.  -EPERM: the daemon observes, or
 * does not act and this is no dry run; -EBUSY: there is one.
 */
int run_trial_start(struct core *core, const struct trial_settings *settings,
                    struct xensched_error *err);
/* -ESRCH: there is none. */
int run_trial_stop(struct core *core, struct xensched_error *err);

/* A guest that a trial left alone may be placed again. */
void run_trial_release(struct core *core, const struct domain *d);

#endif /* XENSCHED_DAEMON_RUN_TRIAL_H */
