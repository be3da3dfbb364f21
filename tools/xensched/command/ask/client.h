/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * client.h - ask xenschedd one thing; the protocol is in
 * docs/internals/control-socket.md.
 *
 * The daemon is not believed more than necessary: whatever it answers, or
 * doesn't, a call ends in time and takes a bounded amount of memory.
 */
#ifndef XENSCHED_CLIENT_H
#define XENSCHED_CLIENT_H

#include <json-c/json.h>

#include <xensched/error.h>

#define CLIENT_DEFAULT_SOCKET "/run/xensched/control"

/*
 * Send @command, about @domain (its name or its number; NULL: about none), to
 * the daemon which listens at @path and wait @timeout_ms for its whole answer.
 * Returns 0 and sets *result, an object which has to be given to
 * json_object_put(), or
 *   -ECONNREFUSED  no daemon is running
 *   -EACCES        not allowed to talk to it
 *   -ETIMEDOUT     it didn't answer in time
 *   -EPROTO        what it answered isn't an answer
 *   -EMSGSIZE      the answer is too long
 *   -E2BIG         the names are too long for a request
 *   -EREMOTEIO     the daemon refused; the text is its own
 *   and what socket(2) and so on return.
 */
int client_ask(const char *path, const char *command, const char *domain,
               unsigned int timeout_ms, struct json_object **result,
               struct xensched_error *err);

/* The same with the members of @more (NULL: none), which stays the caller's. */
int client_ask_more(const char *path, const char *command, const char *domain,
                    struct json_object *more, unsigned int timeout_ms,
                    struct json_object **result, struct xensched_error *err);

/*
 * Act on behalf of the daemon that listens at @path: show its cookie to Xen (see
 * xensched_show_cookie()).  Without a daemon this changes nothing.
 */
void client_join(const char *path);

/*
 * Connect to the daemon which listens at @path, to be told of things.  Returns a
 * file descriptor, or as above.
 */
int client_open(const char *path, unsigned int timeout_ms,
                struct xensched_error *err);

/*
 * What a line from the daemon, an answer to a request, has as its result: as
 * client_ask().  @line need not end.
 */
int client_understand(const char *path, const char *line, size_t length,
                      struct json_object **result, struct xensched_error *err);

#endif /* XENSCHED_CLIENT_H */
