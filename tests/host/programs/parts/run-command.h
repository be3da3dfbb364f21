/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * run-command.h - for test programs that measure what happens while a command runs.
 */

#ifndef RUN_COMMAND_H
#define RUN_COMMAND_H

/*
 * Returns the command's exit code, or 1 if a signal killed it.  Ends the
 * program with a message if it cannot be run.
 */
int run_command(char **command);

#endif /* RUN_COMMAND_H */
