/* SPDX-License-Identifier: GPL-2.0-only */
/* xenstore.c - see xenstore.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenstore.h>

#include "../model/domain.h"
#include "../model/memory.h"
#include "say.h"
#include "xenstore.h"

#define INTRODUCE "@introduceDomain"
#define RELEASE   "@releaseDomain"

#define PATH_TEXT 96

struct known {
    uint32_t domid;
    bool asked; /* since the last xenstore_forget_others() */
    bool driver;
    char name[DOMAIN_NAME_TEXT];
};

struct xenstore {
    struct xs_handle *handle;
    unsigned int nr;
    struct known *known;
};

static void path_of(char path[PATH_TEXT], uint32_t domid, const char *node)
{
    snprintf(path, PATH_TEXT, "/local/domain/%u/%s", domid, node);
}

/* The token is the domid, so that an event says whom it is about. */
static void watch(struct xenstore *xs, uint32_t domid, const char *node,
                  bool on)
{
    char path[PATH_TEXT], token[16];
    bool good;

    path_of(path, domid, node);
    snprintf(token, sizeof(token), "%u", domid);
    good = on ? xs_watch(xs->handle, path, token)
              : xs_unwatch(xs->handle, path, token);
    if (!good && on)
        say("cannot watch %s in xenstore: %s", path, strerror(errno));
}

static void read_name(struct xenstore *xs, struct known *k)
{
    char path[PATH_TEXT];
    unsigned int length, i;
    char *name;

    path_of(path, k->domid, "name");
    name = xs_read(xs->handle, XBT_NULL, path, &length);
    snprintf(k->name, sizeof(k->name), "%s", name ? name : "");
    free(name);
    for (i = 0; k->name[i]; i++)
        if (k->name[i] < ' ' || k->name[i] > '~')
            k->name[i] = '?';
}

static unsigned int count_entries(struct xenstore *xs, const char *path)
{
    unsigned int nr = 0;

    free(xs_directory(xs->handle, XBT_NULL, path, &nr));

    return nr;
}

/* A kind of backend counts when there is a frontend below it. */
static void read_backends(struct xenstore *xs, struct known *k)
{
    char path[PATH_TEXT], kind[2 * PATH_TEXT];
    unsigned int nr = 0, i;
    char **kinds;

    k->driver = false;
    path_of(path, k->domid, "backend");
    kinds = xs_directory(xs->handle, XBT_NULL, path, &nr);
    if (!kinds)
        return;
    for (i = 0; i < nr && !k->driver; i++)
        if ((size_t)snprintf(kind, sizeof(kind), "%s/%s", path, kinds[i]) <
            sizeof(kind))
            k->driver = count_entries(xs, kind) > 0;
    free(kinds);
}

static void read_all(struct xenstore *xs, struct known *k)
{
    read_name(xs, k);
    read_backends(xs, k);
}

static struct known *find(const struct xenstore *xs, uint32_t domid)
{
    unsigned int i;

    for (i = 0; i < xs->nr; i++)
        if (xs->known[i].domid == domid)
            return &xs->known[i];

    return NULL;
}

static struct known *learn(struct xenstore *xs, uint32_t domid)
{
    struct known *k;

    xs->known = need_more_memory(xs->known, xs->nr + 1, sizeof(*xs->known));
    k = &xs->known[xs->nr++];
    memset(k, 0, sizeof(*k));
    k->domid = domid;
    watch(xs, domid, "name", true);
    watch(xs, domid, "backend", true);
    read_all(xs, k);

    return k;
}

int xenstore_open(struct xenstore **xenstore, struct xensched_error *err)
{
    struct xenstore *xs = need_memory(1, sizeof(*xs));

    xs->handle = xs_open(0);
    if (xs->handle && xs_watch(xs->handle, INTRODUCE, INTRODUCE) &&
        xs_watch(xs->handle, RELEASE, RELEASE)) {
        *xenstore = xs;
        return 0;
    }
    xensched_fail(err, errno ? errno : EIO, "cannot connect to xenstore: %s "
                  "(is xenstored running?)", strerror(errno));
    xenstore_close(xs);

    return err->code;
}

void xenstore_close(struct xenstore *xs)
{
    if (!xs)
        return;
    if (xs->handle)
        xs_close(xs->handle);
    free(xs->known);
    free(xs);
}

int xenstore_fd(const struct xenstore *xs)
{
    return xs_fileno(xs->handle);
}

bool xenstore_changed(struct xenstore *xs)
{
    bool changed = false;
    struct known *k;
    char **event;

    while ((event = xs_check_watch(xs->handle))) {
        const char *token = event[XS_WATCH_TOKEN];

        k = token[0] == '@' ? NULL : find(xs, strtoul(token, NULL, 10));
        if (k)
            read_all(xs, k);
        changed = true;
        free(event);
    }

    return changed;
}

struct xenstore_domain xenstore_domain(struct xenstore *xs, uint32_t domid)
{
    struct known *k = find(xs, domid);

    if (!k)
        k = learn(xs, domid);
    k->asked = true;

    return (struct xenstore_domain){ .name = k->name, .driver = k->driver };
}

void xenstore_forget_others(struct xenstore *xs)
{
    unsigned int i = 0;

    while (i < xs->nr) {
        struct known *k = &xs->known[i];

        if (k->asked) {
            k->asked = false;
            i++;
            continue;
        }
        watch(xs, k->domid, "name", false);
        watch(xs, k->domid, "backend", false);
        *k = xs->known[--xs->nr];
    }
}
