/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * learned-file.h - keeps learned prices (policy/learned.h) beside the distances that
 * were measured, so that a restart of the daemon or the host does not forget them.
 */
#ifndef XENSCHED_DAEMON_LEARNED_FILE_H
#define XENSCHED_DAEMON_LEARNED_FILE_H

#include <xensched/error.h>

#include "policy/learned.h"

/*
 * Reads @path into @l, which is empty.  Returns 0 also if there is no such file.
 * -EINVAL: the file is damaged, and @l stays empty.
 */
int learned_load(struct learned *l, const char *path, struct xensched_error *err);

/* Replaces @path and marks @l as saved. */
int learned_save(struct learned *l, const char *path, struct xensched_error *err);

#endif /* XENSCHED_DAEMON_LEARNED_FILE_H */
