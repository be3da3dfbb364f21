/* SPDX-License-Identifier: GPL-2.0-only */
/* Sends one request to the daemon, and waits for its answer within a limit. */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <xensched/area.h>

#include "client.h"
#include "model/domain.h"
#include "base/json.h"

/* Timeout for the cookie, without which Xen refuses operations that need it. */
#define JOIN_MS 1000U

/* Bytes; enough for half a million cells of a matrix. */
#define MAX_ANSWER (64U << 20)
#define FIRST_ROOM 65536U

struct client {
    int fd;
    const char *path;
    unsigned int timeout_ms;
    uint64_t end_ms; /* end of the timeout, CLOCK_MONOTONIC */
    char *answer;
    size_t length, room;
};

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);

    return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

static int too_late(const struct client *c, struct xensched_error *err)
{
    return xensched_fail(err, ETIMEDOUT, "xenschedd doesn't answer at '%s' "
                         "(waited %g s): it may be busy; ask again, and see "
                         "'systemctl status xenschedd' if it never answers",
                         c->path, c->timeout_ms / 1000.0);
}

static int not_connected(const struct client *c, int code,
                         struct xensched_error *err)
{
    switch (code) {
    case ENOENT:
    case ECONNREFUSED:
        return xensched_fail(err, ECONNREFUSED, "xenschedd is not running "
                             "(no program listens at '%s'); start it with "
                             "'systemctl start xenschedd' or 'xenschedd'",
                             c->path);
    case EACCES:
    case EPERM:
        return xensched_fail(err, EACCES, "not allowed to ask xenschedd "
                             "at '%s': this has to be run by root", c->path);
    case EAGAIN:
        return too_late(c, err);
    default:
        return xensched_fail(err, code, "cannot connect to '%s': %s", c->path,
                             strerror(code));
    }
}

static int client_connect(struct client *c, struct xensched_error *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    /* Also limits connect(2), which waits if the daemon does not accept. */
    struct timeval limit = {
        .tv_sec = c->timeout_ms / 1000,
        .tv_usec = c->timeout_ms % 1000 * 1000,
    };

    if (strlen(c->path) >= sizeof(address.sun_path))
        return xensched_fail(err, ENAMETOOLONG, "the path of a socket can "
                             "have %zu bytes, this one is longer: '%s'",
                             sizeof(address.sun_path) - 1, c->path);
    strcpy(address.sun_path, c->path);

    c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->fd < 0 ||
        setsockopt(c->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)))
        return xensched_fail(err, errno, "cannot make a socket: %s",
                             strerror(errno));
    if (connect(c->fd, (struct sockaddr *)&address, sizeof(address)))
        return not_connected(c, errno, err);

    return 0;
}

/* The protocol's limit, with the newline and the terminating zero. */
#define MAX_REQUEST 4097

/*
 * Writes {"command":COMMAND} and the domain as a line.  A name is sent byte by byte, so the daemon
 * also finds a name that is not UTF-8.
 */
static int write_request(const char *command, const char *domain,
                         struct json_object *more, char line[MAX_REQUEST],
                         struct xensched_error *err)
{
    struct json_object *request = json_object_new_object();
    uint32_t domid;
    int length;

    json_add_text(request, "command", command);
    if (more) {
        json_object_object_foreach(more, key, value)
            json_object_object_add(request, key, json_object_get(value));
    }
    if (domain && domain_is_number(domain, &domid))
        json_add_int(request, "domid", domid);
    else if (domain)
        json_object_object_add(request, "domain",
                               json_object_new_string(domain));
    length = snprintf(line, MAX_REQUEST, "%s\n",
                      json_object_to_json_string_ext(request,
                                                     JSON_C_TO_STRING_PLAIN));
    json_object_put(request);

    return length < MAX_REQUEST ? length
                                : xensched_fail(err, E2BIG, "the names are too "
                                                "long for a request");
}

/* A request is short enough to be sent in one piece or not at all. */
static int client_send(struct client *c, const char *command,
                       const char *domain, struct json_object *more,
                       struct xensched_error *err)
{
    char line[MAX_REQUEST];
    int length = write_request(command, domain, more, line, err);
    ssize_t sent;

    if (length < 0)
        return length;
    sent = send(c->fd, line, length, MSG_NOSIGNAL);
    if (sent == length)
        return 0;
    if (sent < 0 && errno == EAGAIN)
        return too_late(c, err);

    return xensched_fail(err, EPROTO, "xenschedd closed the connection before "
                         "the question was asked");
}

static int make_room(struct client *c, struct xensched_error *err)
{
    char *answer;

    if (c->length < c->room)
        return 0;
    if (c->room >= MAX_ANSWER)
        return xensched_fail(err, EMSGSIZE, "the answer of xenschedd is "
                             "longer than %u MiB", MAX_ANSWER >> 20);
    c->room = c->room ? 2 * c->room : FIRST_ROOM;
    answer = realloc(c->answer, c->room);
    if (!answer)
        return xensched_fail(err, ENOMEM, "out of memory");
    c->answer = answer;

    return 0;
}

static int client_wait(struct client *c, struct xensched_error *err)
{
    struct pollfd fd = { .fd = c->fd, .events = POLLIN };
    uint64_t now;
    int ready;

    do {
        now = now_ms();
        if (now >= c->end_ms)
            return too_late(c, err);
        ready = poll(&fd, 1, c->end_ms - now);
    } while (!ready || (ready < 0 && errno == EINTR));
    if (ready < 0)
        return xensched_fail(err, errno, "cannot wait for xenschedd: %s",
                             strerror(errno));

    return 0;
}

static int cut_off(const struct client *c, struct xensched_error *err)
{
    if (!c->length)
        return xensched_fail(err, EPROTO, "xenschedd closed the connection "
                             "without an answer");

    return xensched_fail(err, EPROTO, "the answer of xenschedd is cut off "
                         "after %zu bytes", c->length);
}

/* Receives everything up to the first newline. */
static int client_receive(struct client *c, struct xensched_error *err)
{
    char *newline = NULL;
    ssize_t got;
    int rc;

    while (!newline) {
        rc = make_room(c, err);
        if (!rc)
            rc = client_wait(c, err);
        if (rc)
            return rc;
        got = recv(c->fd, c->answer + c->length, c->room - c->length,
                   MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (got < 0 && errno != ECONNRESET)
            return xensched_fail(err, errno, "cannot hear xenschedd: %s",
                                 strerror(errno));
        if (got <= 0)
            return cut_off(c, err);
        newline = memchr(c->answer + c->length, '\n', got);
        c->length += got;
    }
    c->length = newline - c->answer;

    return 0;
}

static struct json_object *parse_answer(const char *text, size_t length)
{
    struct json_tokener *tokener = json_tokener_new();
    struct json_object *object;

    if (!tokener)
        return NULL;
    object = json_tokener_parse_ex(tokener, text, length);
    if (object && json_tokener_get_parse_end(tokener) != length) {
        json_object_put(object);
        object = NULL;
    }
    json_tokener_free(tokener);

    return object;
}

int client_understand(const char *path, const char *line, size_t length,
                      struct json_object **result, struct xensched_error *err)
{
    struct json_object *answer = parse_answer(line, length);
    struct json_object *ok = json_member(answer, "ok", json_type_boolean);
    struct json_object *good = json_member(answer, "result", json_type_object);
    struct json_object *bad = json_member(answer, "error", json_type_string);
    int rc = 0;

    if (ok && json_object_get_boolean(ok) && good)
        *result = json_object_get(good);
    else if (ok && !json_object_get_boolean(ok) && bad)
        rc = xensched_fail(err, EREMOTEIO, "xenschedd: %s",
                           json_object_get_string(bad));
    else
        rc = xensched_fail(err, EPROTO, "xenschedd's answer makes no sense; "
                           "is it of the same version, and is '%s' its "
                           "socket?", path);
    json_object_put(answer);

    return rc;
}

int client_ask(const char *path, const char *command, const char *domain,
               unsigned int timeout_ms, struct json_object **result,
               struct xensched_error *err)
{
    return client_ask_more(path, command, domain, NULL, timeout_ms, result,
                           err);
}

int client_ask_more(const char *path, const char *command, const char *domain,
                    struct json_object *more, unsigned int timeout_ms,
                    struct json_object **result, struct xensched_error *err)
{
    struct client c = {
        .fd = -1,
        .path = path,
        .timeout_ms = timeout_ms,
        .end_ms = now_ms() + timeout_ms,
    };
    int rc;

    rc = client_connect(&c, err);
    if (!rc)
        rc = client_send(&c, command, domain, more, err);
    if (!rc)
        rc = client_receive(&c, err);
    if (!rc)
        rc = client_understand(path, c.answer, c.length, result, err);
    if (c.fd >= 0)
        close(c.fd);
    free(c.answer);

    return rc;
}

int client_open(const char *path, unsigned int timeout_ms,
                struct xensched_error *err)
{
    struct client c = { .fd = -1, .path = path, .timeout_ms = timeout_ms };
    int rc = client_connect(&c, err);

    if (rc && c.fd >= 0)
        close(c.fd);

    return rc ? rc : c.fd;
}

void client_join(const char *path)
{
    struct json_object *lease;
    struct xensched_error err;
    const char *cookie;

    if (client_ask(path, "lease", NULL, JOIN_MS, &lease, &err))
        return;
    cookie = json_text(lease, "cookie");
    if (cookie)
        xensched_show_cookie(strtoull(cookie, NULL, 16));
    json_object_put(lease);
}
