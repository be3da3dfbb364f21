/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trial-file.h - keeps a trial on disk, so that it survives a restart of the daemon and of the
 * host, and writes its blocks.
 */
#ifndef XENSCHED_DAEMON_ACT_TRIAL_FILE_H
#define XENSCHED_DAEMON_ACT_TRIAL_FILE_H

#include <xensched/error.h>

#include "trial/trial.h"

/* Returns 0, or a negative errno value; the file is unchanged then. */
int trial_save(const struct trial *t, const char *path,
               struct xensched_error *err);

/*
 * Reads the trial of the file to *t, which is empty.  A missing file is no error; -EINVAL: it is
 * damaged, and *t stays empty.
 */
int trial_load(struct trial *t, const char *path, struct xensched_error *err);

/*
 * Blocks: what each block of a trial measured, a JSON object per line, for 'xensched runs
 * import'.  docs/measure/experiments.md describes the lines.  The trial does not read them.
 */

/* Replaces the blocks of the former trial when a trial begins. */
int trial_blocks_begin(const struct trial *t, const char *path,
                       struct xensched_error *err);

/* Appends both blocks of the latest pair. */
int trial_blocks_add(const struct trial *t, const char *path,
                     struct xensched_error *err);

#endif /* XENSCHED_DAEMON_ACT_TRIAL_FILE_H */
