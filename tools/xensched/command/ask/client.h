/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * client.h - sends one request to xenschedd; docs/internals/control-socket.md has the protocol.
 *
 * The daemon is untrusted as far as possible: whatever it sends or does not send, a call ends in
 * time and uses a bounded amount of memory.
 */
#ifndef XENSCHED_CLIENT_H
#define XENSCHED_CLIENT_H

#include <json-c/json.h>

#include <xensched/error.h>

#define CLIENT_DEFAULT_SOCKET "/run/xensched/control"

/*
 * Sends @command, about @domain (its name or its number; may be NULL), to the daemon that listens
 * at @path and waits @timeout_ms for its whole answer.  Returns 0 and sets *result, an object that
 * the caller frees with json_object_put(), or
 *   -ECONNREFUSED  no daemon is running
 *   -EACCES        no permission to connect
 *   -ETIMEDOUT     no answer in time
 *   -EPROTO        an invalid answer
 *   -EMSGSIZE      the answer is too long
 *   -E2BIG         the names are too long for a request
 *   -EREMOTEIO     the daemon refused; the text is its own
 *   or an error of socket(2) and similar calls.
 */
int client_ask(const char *path, const char *command, const char *domain,
               unsigned int timeout_ms, struct json_object **result,
               struct xensched_error *err);

/* The same with the members of @more (may be NULL), which the caller keeps. */
int client_ask_more(const char *path, const char *command, const char *domain,
                    struct json_object *more, unsigned int timeout_ms,
                    struct json_object **result, struct xensched_error *err);

/*
 * Acts on behalf of the daemon that listens at @path: shows its cookie to Xen (see
 * xensched_show_cookie()).  Without a daemon this changes nothing.
 */
void client_join(const char *path);

/*
 * Connects to the daemon that listens at @path, to receive events.  Returns a file descriptor, or
 * an error as above.
 */
int client_open(const char *path, unsigned int timeout_ms,
                struct xensched_error *err);

/*
 * Parses a line of the daemon, an answer to a request, and sets its result like client_ask().
 * @line need not be terminated.
 */
int client_understand(const char *path, const char *line, size_t length,
                      struct json_object **result, struct xensched_error *err);

#endif /* XENSCHED_CLIENT_H */
