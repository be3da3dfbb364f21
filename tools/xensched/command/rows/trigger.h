/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trigger.h - how a flight recorder is told to write what it has: a socket at
 * which it listens, one file name per connection, one line as the answer.
 *
 * In place of a name it can be told to end.
 *
 * The socket is its owner's alone, and file names are absolute: a program that
 * may connect may write such files anyway.
 */
#ifndef XENSCHED_TRIGGER_H
#define XENSCHED_TRIGGER_H

#include <limits.h>

#include <xensched/error.h>

/* Not the name of a file: end. */
#define TRIGGER_STOP "stop"

/* Not in the daemon's folder, which is removed whenever the daemon ends. */
#define TRIGGER_DEFAULT_SOCKET "/run/xensched-record"

/*
 * Listen at @path; one at which no process listens any more is replaced.  Returns
 * a file descriptor, or a negative errno value.
 */
int trigger_listen(const char *path, struct xensched_error *err);

/*
 * Returns the connection of a client, and the name of the file in @file, or
 * TRIGGER_STOP; or -1: there is no client, or it sent something else.
 */
int trigger_wanted(int listener, char file[PATH_MAX]);

/* What came of it; NULL: all is well.  Closes the connection. */
void trigger_answer(int connection, const struct xensched_error *failure);

/* Tell the recorder at @path to write @file, which is absolute or TRIGGER_STOP. */
int trigger_pull(const char *path, const char *file,
                 struct xensched_error *err);

#endif /* XENSCHED_TRIGGER_H */
