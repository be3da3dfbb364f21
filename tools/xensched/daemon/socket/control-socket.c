/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Serves the control socket.
 *
 * A client is in one of two states: its lines are read, or an answer is sent to it.  The
 * daemon reads nothing from a client while it sends, so a client can make it keep one
 * line and one answer; and, for a client that stays connected, the events that it
 * subscribed to.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/message.h"
#include "base/alloc.h"
#include "control-socket.h"

#define BACKLOG 8

/* Pause until clients are accepted again after descriptors ran out. */
#define AGAIN_S 1.0

static const char too_long[] =
    "{\"ok\":false,\"error\":\"a request has at most 4095 bytes\"}\n";

_Static_assert(CONTROL_LINE == 4096, "too_long says so");

static void disconnect_client(struct control_client *client)
{
    struct control *c = client->control;
    int kept = client->kept;

    ev_io_stop(c->loop, &client->io);
    ev_timer_stop(c->loop, &client->idle);
    close(client->fd);
    free(client->out);
    client->out = NULL;
    client->fd = -1;
    client->kept = 0;
    if (kept && c->gone)
        c->gone(c->arg, client);
}

/* The client is new, has sent a whole line, or has received some of its answer. */
static void is_active(struct control_client *client)
{
    client->active = ++client->control->clock;
}

static void wait_for(struct control_client *client, int events)
{
    struct ev_loop *loop = client->control->loop;

    ev_io_stop(loop, &client->io);
    ev_io_set(&client->io, client->fd, events);
    ev_io_start(loop, &client->io);
}

static void start_answer(struct control_client *client, char *out)
{
    client->out = out;
    client->nr_out = strlen(out);
    client->sent = 0;
    ev_timer_again(client->control->loop, &client->idle);
    wait_for(client, EV_WRITE);
}

static void append_answer(struct control_client *client, const char *text)
{
    size_t length = strlen(text);

    client->out = need_more_memory(client->out, client->nr_out + length + 1, 1);
    memcpy(client->out + client->nr_out, text, length + 1);
    client->nr_out += length;
}

/* Events may have been added while its line was answered. */
static void answer_line(struct control_client *client, char *text)
{
    if (!client->out) {
        start_answer(client, text);
        return;
    }
    append_answer(client, text);
    free(text);
}

/* Answers the first complete line, if there is one. */
static void look_for_line(struct control_client *client)
{
    struct control *c = client->control;
    char *end = memchr(client->in, '\n', client->nr_in);
    size_t length;

    if (end) {
        length = end - client->in;
        is_active(client);
        c->asking = client;
        answer_line(client, c->reply(c->arg, client->in, length));
        c->asking = NULL;
        client->nr_in -= length + 1;
        memmove(client->in, end + 1, client->nr_in);
    } else if (client->nr_in == sizeof(client->in)) {
        client->closing = 1;
        start_answer(client, need_string(too_long));
    } else {
        wait_for(client, EV_READ);
    }
}

static void receive_request(struct control_client *client)
{
    ssize_t got = recv(client->fd, client->in + client->nr_in,
                       sizeof(client->in) - client->nr_in, 0);

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        disconnect_client(client);
        return;
    }
    client->nr_in += got;
    look_for_line(client);
}

static void transmit_answer(struct control_client *client)
{
    ssize_t done = send(client->fd, client->out + client->sent,
                        client->nr_out - client->sent, MSG_NOSIGNAL);

    if (done < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (done < 0) {
        disconnect_client(client);
        return;
    }
    is_active(client);
    client->sent += done;
    if (client->sent < client->nr_out)
        return;
    free(client->out);
    client->out = NULL;
    if (client->kept)
        ev_timer_stop(client->control->loop, &client->idle);
    else
        ev_timer_again(client->control->loop, &client->idle);
    if (client->closing)
        disconnect_client(client);
    else
        look_for_line(client);
}

static void client_ready(struct ev_loop *loop, ev_io *io, int events)
{
    struct control_client *client = io->data;

    (void)loop;
    (void)events;
    if (client->out)
        transmit_answer(client);
    else
        receive_request(client);
}

static void client_idle(struct ev_loop *loop, ev_timer *timer, int events)
{
    (void)loop;
    (void)events;
    disconnect_client(timer->data);
}

/*
 * Returns a free place, or that of the client that has been silent for longest, so that many silent
 * clients do not keep others from being served.
 */
static struct control_client *make_place(struct control *c)
{
    struct control_client *place = NULL;
    unsigned int i;

    for (i = 0; i < CONTROL_CLIENTS; i++) {
        struct control_client *client = &c->clients[i];

        if (client->fd < 0)
            return client;
        if (!client->kept && (!place || client->active < place->active))
            place = client;
    }
    disconnect_client(place);

    return place;
}

/* The folder and the socket's mode restrict this already, except in another folder. */
static int is_allowed(int fd)
{
    struct ucred peer;
    socklen_t length = sizeof(peer);

    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) &&
           (peer.uid == 0 || peer.uid == geteuid());
}

/* A client that is not accepted stays in the queue, so the event loop would be called for ever. */
static void pause_accepting(struct control *c)
{
    say("cannot accept at '%s': %s; once more in %g s", c->path,
        strerror(errno), AGAIN_S);
    ev_io_stop(c->loop, &c->io);
    ev_timer_set(&c->again, AGAIN_S, 0);
    ev_timer_start(c->loop, &c->again);
}

static void listen_again(struct ev_loop *loop, ev_timer *timer, int events)
{
    struct control *c = timer->data;

    (void)events;
    ev_io_start(loop, &c->io);
}

static void new_client(struct ev_loop *loop, ev_io *io, int events)
{
    struct control *c = io->data;
    int fd = accept4(c->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    struct control_client *client;

    (void)events;
    if (fd < 0) {
        if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
            pause_accepting(c);
        return;
    }
    if (!is_allowed(fd)) {
        close(fd);
        return;
    }
    client = make_place(c);
    is_active(client);
    client->fd = fd;
    client->nr_in = 0;
    client->closing = 0;
    client->kept = 0;
    ev_io_set(&client->io, fd, EV_READ);
    ev_io_start(loop, &client->io);
    ev_timer_again(loop, &client->idle);
}

static void init_clients(struct control *c, double idle_s)
{
    unsigned int i;

    for (i = 0; i < CONTROL_CLIENTS; i++) {
        struct control_client *client = &c->clients[i];

        client->fd = -1;
        client->control = c;
        ev_init(&client->io, client_ready);
        client->io.data = client;
        ev_init(&client->idle, client_idle);
        client->idle.repeat = idle_s;
        client->idle.data = client;
    }
}

static int listen_at(const char *path, struct xensched_error *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    mode_t mask;
    int fd, rc;

    if ((size_t)snprintf(address.sun_path, sizeof(address.sun_path), "%s",
                         path) >= sizeof(address.sun_path))
        return xensched_fail(err, ENAMETOOLONG, "the path of the control "
                             "socket is too long: '%s'", path);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        goto fail;
    unlink(path);
    mask = umask(0177);
    rc = bind(fd, (struct sockaddr *)&address, sizeof(address));
    umask(mask);
    if (!rc && !listen(fd, BACKLOG))
        return fd;

fail:
    rc = xensched_fail(err, errno, "cannot listen at '%s': %s", path,
                       strerror(errno));
    if (fd >= 0)
        close(fd);
    return rc;
}

int control_open(struct control *c, struct ev_loop *loop, const char *path,
                 double idle_s,
                 char *(*reply)(void *arg, const char *line, size_t length),
                 void *arg, struct xensched_error *err)
{
    memset(c, 0, sizeof(*c));
    init_clients(c, idle_s);
    c->fd = listen_at(path, err);
    if (c->fd < 0)
        return c->fd;
    c->loop = loop;
    c->reply = reply;
    c->arg = arg;
    c->path = need_string(path);
    ev_init(&c->again, listen_again);
    c->again.data = c;
    ev_io_init(&c->io, new_client, c->fd, EV_READ);
    c->io.data = c;
    ev_io_start(loop, &c->io);

    return 0;
}

int control_keep(struct control *c, struct xensched_error *err)
{
    unsigned int i, kept = 0;

    for (i = 0; i < CONTROL_CLIENTS; i++)
        kept += c->clients[i].kept && &c->clients[i] != c->asking;
    if (kept == CONTROL_KEPT)
        return xensched_fail(err, EBUSY, "%u others wait for something already",
                             CONTROL_KEPT);
    c->asking->kept = 1;

    return 0;
}

void control_tell(struct control_client *client, const char *line)
{
    if (client->fd < 0 || client->closing)
        return;
    if (!client->out)
        start_answer(client, need_string(line));
    else if (client->nr_out - client->sent + strlen(line) > CONTROL_UNREAD)
        client->closing = 1;
    else
        append_answer(client, line);
}

void control_close(struct control *c)
{
    unsigned int i;

    if (!c->path)
        return;
    for (i = 0; i < CONTROL_CLIENTS; i++) {
        struct control_client *client = &c->clients[i];

        /* The answer to "stop" has not been sent yet. */
        if (client->fd >= 0 && client->out)
            transmit_answer(client);
        if (client->fd >= 0)
            disconnect_client(client);
    }
    ev_io_stop(c->loop, &c->io);
    ev_timer_stop(c->loop, &c->again);
    close(c->fd);
    unlink(c->path);
    free(c->path);
    c->path = NULL;
}
