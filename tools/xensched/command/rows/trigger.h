/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trigger.h - has a flight recorder write its rows to a file and continue, on request.
 *
 * The recorder listens at a socket.  A client connects, sends one line, the name of a file or
 * TRIGGER_STOP, and receives one line as the answer.
 *
 * Only its owner can connect to the socket, and file names are absolute: a program that
 * may connect may also write such files.
 */
#ifndef XENSCHED_COMMAND_TRIGGER_H
#define XENSCHED_COMMAND_TRIGGER_H

#include <limits.h>

#include <xensched/error.h>

#include "command/arguments.h"

/* Ends the recorder. */
#define TRIGGER_STOP "stop"

/* Not in the daemon's folder, which is removed whenever the daemon ends. */
#define TRIGGER_DEFAULT_SOCKET "/run/xensched-record"

/*
 * Listens at @path; replaces a socket at which no process listens.  Returns a file descriptor, or a
 * negative errno value.
 */
int trigger_listen(const char *path, struct xensched_error *err);

/*
 * Returns the connection of a client, and the name of the file in @file, or TRIGGER_STOP; or -1
 * without a client, or after an invalid line.
 */
int trigger_wanted(int listener, char file[PATH_MAX]);

/* Sends the outcome to the client (NULL: success), and closes the connection. */
void trigger_answer(int connection, const struct xensched_error *failure);

/* Sends @file, which is absolute or TRIGGER_STOP, to the recorder at @path. */
int trigger_pull(const char *path, const char *file,
                 struct xensched_error *err);

/* Replaces args->file when the snapshot is complete.  Returns an exit code. */
int snapshot_write(const struct arguments *args);

#endif /* XENSCHED_COMMAND_TRIGGER_H */
