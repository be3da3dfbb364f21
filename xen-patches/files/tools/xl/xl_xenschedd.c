/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * xl_xenschedd.c
 *
 * Asks xenschedd, the daemon which places domains by the log of scheduling
 * facts, over its control socket.
 *
 * A request is a line with a JSON object, so is the response; xensched's
 * docs/internals/control-socket.md has both.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <libxl.h>
#include <libxl_utils.h>

#include "xl.h"
#include "xl_utils.h"
#include "xl_vm_affinity.h"

#define CONTROL_SOCKET "/run/xensched/control"
#define MAX_RESPONSE (64 << 20)

static int connect_daemon(unsigned int timeout_s, char **why)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct timeval timeout = { .tv_sec = timeout_s };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        xasprintf(why, "no socket: %s", strerror(errno));
        return -1;
    }
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
    strcpy(address.sun_path, CONTROL_SOCKET);
    if (connect(fd, (struct sockaddr *)&address, sizeof(address))) {
        if (errno == ENOENT || errno == ECONNREFUSED)
            xasprintf(why, "xenschedd is not running.  To start it: "
                      "systemctl start xenschedd");
        else
            xasprintf(why, "cannot connect to %s: %s", CONTROL_SOCKET,
                      strerror(errno));
        close(fd);
        return -1;
    }

    return fd;
}

void vm_affinity_gen_text(yajl_gen gen, const char *text)
{
    yajl_gen_string(gen, (const unsigned char *)text, strlen(text));
}

/* It may have closed the connection, which is no reason to die. */
static bool send_all(int fd, const unsigned char *text, size_t length)
{
    while (length) {
        ssize_t sent = send(fd, text, length, MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        text += sent;
        length -= sent;
    }

    return true;
}

/* A line, to be freed. */
static char *receive_line(int fd, char **why)
{
    size_t have = 0, room = 0;
    char *line = NULL;

    while (!have || line[have - 1] != '\n') {
        ssize_t got;

        if (room - have < 4096) {
            room += 65536 + have;
            line = xrealloc(line, room);
        }
        got = read(fd, line + have, room - have - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0 || have > MAX_RESPONSE) {
            xasprintf(why, "xenschedd gave no whole answer%s%s",
                      got < 0 ? ": " : "", got < 0 ? strerror(errno) : "");
            free(line);
            return NULL;
        }
        have += got;
    }
    line[have] = '\0';

    return line;
}

char *vm_affinity_ask(yajl_gen request, unsigned int timeout_s, char **why)
{
    int fd = connect_daemon(timeout_s, why);
    const unsigned char *text;
    char *line = NULL;
    size_t length;

    if (fd < 0)
        return NULL;
    if (yajl_gen_get_buf(request, &text, &length) != yajl_gen_status_ok)
        xasprintf(why, "the request cannot be written as JSON");
    else if (!send_all(fd, text, length) ||
             !send_all(fd, (const unsigned char *)"\n", 1))
        xasprintf(why, "xenschedd takes no request: %s", strerror(errno));
    else
        line = receive_line(fd, why);
    close(fd);

    return line;
}

yajl_val vm_affinity_field(yajl_val object, const char *name, yajl_type type)
{
    const char *path[] = { name, NULL };

    return YAJL_IS_OBJECT(object) ? yajl_tree_get(object, path, type) : NULL;
}

void vm_affinity_print_text(FILE *f, int width, const char *what)
{
    int n = 0;

    for (; *what; what++, n++)
        putc((unsigned char)*what < ' ' || *what == 127 ? '?' : *what, f);
    while (n++ < width)
        putc(' ', f);
}

/*
 * Local variables:
 * mode: C
 * c-basic-offset: 4
 * indent-tabs-mode: nil
 * End:
 */
