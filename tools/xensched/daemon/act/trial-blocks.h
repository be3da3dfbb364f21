/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trial-blocks.h - writes what each block of a trial measured to a file, a JSON object per
 * line, for 'xensched runs import'.  docs/measure/experiments.md describes the lines.
 *
 * The trial itself does not read the file: what it found is in trial-file.h's.
 */
#ifndef XENSCHED_DAEMON_TRIAL_BLOCKS_H
#define XENSCHED_DAEMON_TRIAL_BLOCKS_H

#include <xensched/error.h>

#include "trial/trial.h"

/* A trial begins: replaces the blocks of the former one. */
int trial_blocks_begin(const struct trial *t, const char *path,
                       struct xensched_error *err);

/* Adds both blocks of the latest pair. */
int trial_blocks_add(const struct trial *t, const char *path,
                     struct xensched_error *err);

#endif /* XENSCHED_DAEMON_TRIAL_BLOCKS_H */
