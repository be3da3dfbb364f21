/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trial-file.h - keeps a trial on disk, so that it survives a restart of the daemon and
 * of the host.  The present pair is not kept: it is discarded then.
 */
#ifndef XENSCHED_DAEMON_TRIAL_FILE_H
#define XENSCHED_DAEMON_TRIAL_FILE_H

#include <xensched/error.h>

#include "trial/trial.h"

/* Returns 0, or a negative errno value; the file is as it was then. */
int trial_save(const struct trial *t, const char *path,
               struct xensched_error *err);

/*
 * *t, which is empty, is the trial of the file.  A file that is missing is no error; a
 * damaged one is -EINVAL, and *t stays empty.
 */
int trial_load(struct trial *t, const char *path, struct xensched_error *err);

#endif /* XENSCHED_DAEMON_TRIAL_FILE_H */
