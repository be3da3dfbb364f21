/* SPDX-License-Identifier: GPL-2.0-only */
/* summary.h - prints what a recording contains, for dump --summary. */
#ifndef XENSCHED_COMMAND_ROWS_SUMMARY_H
#define XENSCHED_COMMAND_ROWS_SUMMARY_H

#include "command/arguments.h"

/* Returns an exit code; if the recording is damaged, prints what precedes the damage. */
int summary_print(const struct arguments *args);

#endif /* XENSCHED_COMMAND_ROWS_SUMMARY_H */
