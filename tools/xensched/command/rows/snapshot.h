/* SPDX-License-Identifier: GPL-2.0-only */
/* snapshot.h - asks a flight recorder for its rows, for record --snapshot. */
#ifndef XENSCHED_COMMAND_ROWS_SNAPSHOT_H
#define XENSCHED_COMMAND_ROWS_SNAPSHOT_H

#include "command/arguments.h"

/* Returns an exit code; replaces args->file when the snapshot is complete. */
int snapshot_write(const struct arguments *args);

#endif /* XENSCHED_COMMAND_ROWS_SNAPSHOT_H */
