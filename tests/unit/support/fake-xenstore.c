/* SPDX-License-Identifier: GPL-2.0-only */
/* Fakes libxenstore with a table in the process. */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenstore.h>

#include "base/blocking-call.h"
#include "fake-xenstore.h"

#define NODES  2048U
#define PATH   128U
#define EVENTS 256U

struct node {
    char path[PATH];
    char *value;
    unsigned int length;
    char permissions[64];
};

struct watch {
    struct xs_handle *handle;
    char path[PATH], token[32];
};

struct xs_handle {
    unsigned int life; /* the life of xenstored in which the client connected */
};

struct fake_xenstore fake_xs;
static struct node nodes[NODES];
static struct watch watches[NODES];
static struct watch events[EVENTS];
static unsigned int nr_nodes, nr_watches, nr_events;
static unsigned int life;

void fake_xs_reset(void)
{
    unsigned int i;

    for (i = 0; i < nr_nodes; i++)
        free(nodes[i].value);
    nr_nodes = nr_watches = nr_events = 0;
    memset(&fake_xs, 0, sizeof(fake_xs));
}

void fake_xs_die(void)
{
    nr_watches = nr_events = 0;
    life++;
}

/* Also sets errno. */
static bool is_dead(const struct xs_handle *h)
{
    /* A xenstored that hangs blocks its caller. */
    assert(blocking_call_allowed());
    if (h->life != life)
        errno = EBADF;

    return h->life != life;
}

static struct node *find(const char *path)
{
    unsigned int i;

    for (i = 0; i < nr_nodes; i++)
        if (!strcmp(nodes[i].path, path))
            return &nodes[i];

    return NULL;
}

static bool is_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    return !strncmp(path, folder, length) &&
           (!path[length] || path[length] == '/');
}

static void fire(const char *path)
{
    unsigned int i;

    for (i = 0; i < nr_watches; i++)
        if (is_below(path, watches[i].path) && nr_events < EVENTS)
            events[nr_events++] = watches[i];
}

static void put(const char *path, const void *value, unsigned int length)
{
    struct node *node = find(path);

    if (!node) {
        assert(nr_nodes < NODES);
        node = &nodes[nr_nodes++];
        memset(node, 0, sizeof(*node));
        snprintf(node->path, PATH, "%s", path);
    }
    free(node->value);
    node->value = malloc(length + 1);
    memcpy(node->value, value, length);
    node->value[length] = '\0';
    node->length = length;
    fire(path);
}

static bool take_away(const char *path)
{
    unsigned int i = 0;
    bool found = false;

    while (i < nr_nodes) {
        if (!is_below(nodes[i].path, path)) {
            i++;
            continue;
        }
        free(nodes[i].value);
        nodes[i] = nodes[--nr_nodes];
        found = true;
    }
    if (found)
        fire(path);

    return found;
}

#define FORMAT(path, format)                       \
    char path[PATH];                               \
    va_list args;                                  \
                                                   \
    va_start(args, format);                        \
    vsnprintf(path, sizeof(path), format, args);   \
    va_end(args)

void fake_xs_put(const char *value, const char *format, ...)
{
    FORMAT(path, format);
    put(path, value, strlen(value));
}

void fake_xs_put_bytes(const void *value, unsigned int length,
                       const char *format, ...)
{
    FORMAT(path, format);
    put(path, value, length);
}

void fake_xs_remove(const char *format, ...)
{
    FORMAT(path, format);
    take_away(path);
}

const char *fake_xs_get(const char *format, ...)
{
    FORMAT(path, format);

    return find(path) ? find(path)->value : NULL;
}

const char *fake_xs_permissions(const char *format, ...)
{
    FORMAT(path, format);

    return find(path) ? find(path)->permissions : NULL;
}

static bool refuse(int code)
{
    errno = code;

    return !code;
}

/*
 * For tests of the command: the file FAKE_XENSTORE has the nodes, one line PATH VALUE each.
 */
static void take_file(const char *name)
{
    char path[PATH], value[PATH];
    FILE *f = name ? fopen(name, "r") : NULL;

    if (!f)
        return;
    fake_xs_reset();
    while (fscanf(f, "%127s %127[^\n]", path, value) == 2)
        put(path, value, strlen(value));
    fclose(f);
}

struct xs_handle *xs_open(unsigned long flags)
{
    struct xs_handle *handle;

    (void)flags;
    assert(blocking_call_allowed());
    take_file(getenv("FAKE_XENSTORE"));
    if (!refuse(fake_xs.refuse))
        return NULL;
    fake_xs.open++;
    handle = calloc(1, sizeof(*handle));
    handle->life = life;

    return handle;
}

void xs_close(struct xs_handle *h)
{
    unsigned int i = 0;

    while (i < nr_watches)
        if (watches[i].handle == h)
            watches[i] = watches[--nr_watches];
        else
            i++;
    fake_xs.open--;
    free(h);
}

/* There is no such file, so a client does not look for it. */
const char *xs_daemon_socket(void)
{
    return fake_xs.socket ? fake_xs.socket : "/nowhere/socket";
}

int xs_fileno(struct xs_handle *h)
{
    (void)h;

    return -1;
}

/* The answers that the client of a transaction expects. */
static void tell(xs_transaction_t t)
{
    if (t == XBT_NULL && fake_xs.changed)
        fake_xs.changed();
}

xs_transaction_t xs_transaction_start(struct xs_handle *h)
{
    (void)h;
    assert(blocking_call_allowed());
    fake_xs.transactions++;

    return 1;
}

bool xs_transaction_end(struct xs_handle *h, xs_transaction_t t, bool abort)
{
    (void)h;
    assert(t == 1);
    if (fake_xs.conflicts && !abort) {
        fake_xs.conflicts--;
        return refuse(EAGAIN);
    }
    tell(XBT_NULL);

    return true;
}

/* Returns whether this read succeeds; otherwise errno has the reason. */
static bool may_read(const struct xs_handle *h)
{
    fake_xs.reads++;
    if (fake_xs.dies_in && !--fake_xs.dies_in)
        fake_xs_die();

    return !is_dead(h);
}

void *xs_read(struct xs_handle *h, xs_transaction_t t, const char *path,
              unsigned int *length)
{
    struct node *node = find(path);
    char *value;

    (void)t;
    if (!may_read(h))
        return NULL;
    if (!node) {
        errno = ENOENT;
        return NULL;
    }
    value = malloc(node->length + 1);
    memcpy(value, node->value, node->length + 1);
    *length = node->length;

    return value;
}

bool xs_write(struct xs_handle *h, xs_transaction_t t, const char *path,
              const void *data, unsigned int length)
{
    if (is_dead(h) || !refuse(fake_xs.refuse))
        return false;
    fake_xs.writes++;
    put(path, data, length);
    tell(t);

    return true;
}

bool xs_mkdir(struct xs_handle *h, xs_transaction_t t, const char *path)
{
    return find(path) || xs_write(h, t, path, "", 0);
}

bool xs_rm(struct xs_handle *h, xs_transaction_t t, const char *path)
{
    (void)h;
    if (!take_away(path))
        return refuse(ENOENT);
    tell(t);

    return true;
}

bool xs_set_permissions(struct xs_handle *h, xs_transaction_t t,
                        const char *path, struct xs_permissions *perms,
                        unsigned int nr)
{
    struct node *node = find(path);
    size_t end = 0;
    unsigned int i;

    (void)h;
    (void)t;
    if (!node)
        return refuse(ENOENT);
    for (i = 0; i < nr; i++)
        end += snprintf(node->permissions + end,
                        sizeof(node->permissions) - end, "%c%u",
                        "nrwb"[perms[i].perms & 3], perms[i].id);

    return true;
}

static bool has_folder(const char *path)
{
    unsigned int i;

    for (i = 0; i < nr_nodes && !is_below(nodes[i].path, path); i++)
        ;

    return i < nr_nodes;
}

/* Returns the names directly below, in one block of memory, as libxenstore does. */
char **xs_directory(struct xs_handle *h, xs_transaction_t t,
                    const char *path, unsigned int *nr)
{
    size_t length = strlen(path);
    unsigned int i, j;
    char **list, *text;

    (void)t;
    *nr = 0;
    if (!may_read(h))
        return NULL;
    if (!has_folder(path)) {
        errno = ENOENT;
        return NULL;
    }
    list = calloc(NODES, sizeof(*list) + PATH);
    text = (char *)(list + NODES);
    for (i = 0; i < nr_nodes; i++) {
        char name[PATH];

        if (!is_below(nodes[i].path, path) || !nodes[i].path[length])
            continue;
        snprintf(name, sizeof(name), "%s", nodes[i].path + length + 1);
        name[strcspn(name, "/")] = '\0';
        for (j = 0; j < *nr && strcmp(list[j], name); j++)
            ;
        if (j < *nr)
            continue;
        list[*nr] = text + (size_t)*nr * PATH;
        strcpy(list[(*nr)++], name);
    }

    return list;
}

/* A watch fires once when it is set. */
bool xs_watch(struct xs_handle *h, const char *path, const char *token)
{
    struct watch *watch;

    if (is_dead(h))
        return false;
    watch = &watches[nr_watches++];
    assert(nr_watches < NODES);
    watch->handle = h;
    snprintf(watch->path, sizeof(watch->path), "%s", path);
    snprintf(watch->token, sizeof(watch->token), "%s", token);
    if (nr_events < EVENTS)
        events[nr_events++] = *watch;

    return true;
}

bool xs_unwatch(struct xs_handle *h, const char *path, const char *token)
{
    unsigned int i;

    for (i = 0; i < nr_watches; i++)
        if (watches[i].handle == h && !strcmp(watches[i].path, path) &&
            !strcmp(watches[i].token, token)) {
            watches[i] = watches[--nr_watches];
            return true;
        }

    return refuse(ENOENT);
}

char **xs_check_watch(struct xs_handle *h)
{
    struct watch *event;
    unsigned int i;
    char **result;

    for (i = 0; i < nr_events && events[i].handle != h; i++)
        ;
    if (i == nr_events) {
        errno = EAGAIN;
        return NULL;
    }
    event = &events[i];
    result = calloc(1, 2 * sizeof(*result) + sizeof(*event));
    result[XS_WATCH_PATH] = (char *)(result + 2);
    result[XS_WATCH_TOKEN] = result[XS_WATCH_PATH] + PATH;
    strcpy(result[XS_WATCH_PATH], event->path);
    strcpy(result[XS_WATCH_TOKEN], event->token);
    memmove(event, event + 1, (nr_events - i - 1) * sizeof(*event));
    nr_events--;

    return result;
}
