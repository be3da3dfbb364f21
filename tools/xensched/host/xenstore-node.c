/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads and writes single nodes of xenstore on request: cpupools, ports of the toolstack, what
 * driver domains publish, and accounting domains for producers of logs.  xenstore.c remembers what
 * has to outlast an absent xenstored.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/domain.h"
#include "base/blocking-call.h"
#include "xenstore-node.h"

static bool is_one_of(const char *name, const char *names)
{
    size_t length = strlen(name);

    while (names) {
        if (!strncmp(names, name, length) &&
            (!names[length] || names[length] == ','))
            return true;
        names = strchr(names, ',');
        names = names ? names + 1 : NULL;
    }

    return false;
}

/* If the node cannot be read, *@port does not change. */
static void read_port(struct xenstore *xs, uint32_t domid, const char *format,
                      uint32_t *port)
{
    char path[XENSTORE_PATH], *value;
    unsigned int length;

    xenstore_path(path, format, domid);
    value = xs_read(xenstore_asked(xs), XBT_NULL, path, &length);
    if (value)
        *port = strtoul(value, NULL, 10);
    free(value);
}

void xenstore_tool_ports(struct xenstore *xs, uint32_t domid,
                         uint32_t ports[HOST_TOOL_PORTS])
{
    uint32_t *known = xenstore_known_ports(xs, domid);

    read_port(xs, domid, "/local/domain/%u/store/port", &known[0]);
    read_port(xs, domid, "/local/domain/%u/console/port", &known[1]);
    memcpy(ports, known, HOST_TOOL_PORTS * sizeof(*ports));
}

void xenstore_pool_name(struct xenstore *xs, uint32_t pool,
                        char name[DOMAIN_NAME_TEXT])
{
    char path[XENSTORE_PATH], *found;
    unsigned int length;

    xenstore_path(path, "/local/pool/%u/name", pool);
    found = xs_read(xenstore_asked(xs), XBT_NULL, path, &length);
    memcpy(name, xenstore_known_pool(xs, pool, found), DOMAIN_NAME_TEXT);
    free(found);
}

bool xenstore_has_pool(struct xenstore *xs, const char *name)
{
    unsigned int nr = 0, i;
    char **pools = xs_directory(xenstore_asked(xs), XBT_NULL, "/local/pool", &nr);
    char found[DOMAIN_NAME_TEXT];
    bool has = false;

    xenstore_pool_name(xs, 0, found);
    has = !strcmp(found, name);
    for (i = 0; pools && i < nr && !has; i++) {
        xenstore_pool_name(xs, strtoul(pools[i], NULL, 10), found);
        has = !strcmp(found, name);
    }
    free(pools);

    return has;
}

bool xenstore_pool_is_one_of(struct xenstore *xs, uint32_t pool,
                             const char *names)
{
    char name[DOMAIN_NAME_TEXT];

    xenstore_pool_name(xs, pool, name);

    return is_one_of(name, names);
}

static const char accts[] = "/local/domain/%u/schedlog/acct";
static const char acct_of[] = "/local/domain/%u/schedlog/acct/%u";

/* The node belongs to dom0; the producer may read it. */
static bool allow_reading(struct xenstore *xs, const char *path,
                          uint32_t producer)
{
    struct xs_permissions perms[2] = {
        { .id = 0, .perms = XS_PERM_NONE },
        { .id = producer, .perms = XS_PERM_READ },
    };

    return xs_set_permissions(xenstore_asked(xs), XBT_NULL, path, perms, 2);
}

/* The accounting domain @acct of @domid, for @producer. */
struct number {
    struct xenstore *xs;
    uint32_t producer, domid;
    uint16_t acct;
};

static int write_acct(void *arg)
{
    const struct number *n = arg;
    struct xenstore *xs = n->xs;
    char path[XENSTORE_PATH], text[8];

    snprintf(text, sizeof(text), "%u", n->acct);
    xenstore_path(path, accts, n->producer);
    if (!xs_mkdir(xenstore_asked(xs), XBT_NULL, path) ||
        !allow_reading(xs, path, n->producer))
        return false;
    xenstore_path(path, acct_of, n->producer, n->domid);

    return xs_write(xenstore_asked(xs), XBT_NULL, path, text, strlen(text)) &&
           allow_reading(xs, path, n->producer);
}

bool xenstore_write_acct(struct xenstore *xs, uint32_t producer,
                         uint32_t domid, uint16_t acct)
{
    struct number n = { xs, producer, domid, acct };

    return blocking_call(write_acct, &n);
}

static int remove_acct(void *arg)
{
    const struct number *n = arg;
    char path[XENSTORE_PATH];

    xenstore_path(path, acct_of, n->producer, n->domid);
    xs_rm(xenstore_asked(n->xs), XBT_NULL, path);

    return 0;
}

void xenstore_remove_acct(struct xenstore *xs, uint32_t producer,
                          uint32_t domid)
{
    struct number n = { .xs = xs, .producer = producer, .domid = domid };

    blocking_call(remove_acct, &n);
}

static int remove_accts(void *arg)
{
    const struct number *n = arg;
    struct xenstore *xs = n->xs;
    char path[XENSTORE_PATH], **others;
    unsigned int nr = 0;

    xenstore_path(path, accts, n->producer);
    xs_rm(xenstore_asked(xs), XBT_NULL, path);
    /* Removes the folder too, if it is empty now. */
    xenstore_path(path, "/local/domain/%u/schedlog", n->producer);
    others = xs_directory(xenstore_asked(xs), XBT_NULL, path, &nr);
    if (others && !nr)
        xs_rm(xenstore_asked(xs), XBT_NULL, path);
    free(others);

    return 0;
}

void xenstore_remove_accts(struct xenstore *xs, uint32_t producer)
{
    struct number n = { .xs = xs, .producer = producer };

    blocking_call(remove_accts, &n);
}

struct saying {
    struct xenstore *xs;
    uint32_t domid;
    char *text;
};

static int read_saying(void *arg)
{
    struct saying *s = arg;
    char path[XENSTORE_PATH];
    unsigned int length;

    xenstore_path(path, "/local/domain/%u/" XENSTORE_DISKS, s->domid);
    s->text = xs_read(xenstore_asked(s->xs), XBT_NULL, path, &length);

    return 0;
}

char *xenstore_disks(struct xenstore *xs, uint32_t domid)
{
    struct saying s = { .xs = xs, .domid = domid };

    blocking_call(read_saying, &s);

    return s.text;
}

static int is_logging(void *arg)
{
    const struct number *n = arg;
    char path[XENSTORE_PATH], *value;
    unsigned int length;
    bool on;

    xenstore_path(path, "/local/domain/%u/schedlog/area/events", n->domid);
    value = xs_read(xenstore_asked(n->xs), XBT_NULL, path, &length);
    /* If xenstored does not answer, another program may be reading the log. */
    on = value ? strcmp(value, "0") != 0 : errno != ENOENT;
    free(value);

    return on;
}

bool xenstore_is_logging(struct xenstore *xs, uint32_t domid)
{
    struct number n = { .xs = xs, .domid = domid };

    return blocking_call(is_logging, &n);
}

/* @text for @domid; NULL: remove it. */
struct telling {
    struct xenstore *xs;
    uint32_t domid;
    const char *text;
};

/* Uses a transaction, so that nothing is written below a domain that ends meanwhile. */
static bool try_steal(const struct telling *t, xs_transaction_t transaction)
{
    struct xs_permissions perms[2] = {
        { .id = 0, .perms = XS_PERM_NONE },
        { .id = t->domid, .perms = XS_PERM_READ },
    };
    struct xs_handle *xs = xenstore_asked(t->xs);
    char path[XENSTORE_PATH], *name;
    unsigned int length;

    xenstore_path(path, "/local/domain/%u/name", t->domid);
    name = xs_read(xs, transaction, path, &length);
    free(name);
    xenstore_path(path, "/local/domain/%u/" XENSTORE_STEAL, t->domid);
    if (!name)
        return false;
    if (!t->text)
        return xs_rm(xs, transaction, path);

    return xs_write(xs, transaction, path, t->text, strlen(t->text)) &&
           xs_set_permissions(xs, transaction, path, perms, 2);
}

static int write_steal(void *arg)
{
    const struct telling *t = arg;
    struct xs_handle *xs = xenstore_asked(t->xs);
    xs_transaction_t transaction = xs_transaction_start(xs);
    bool good = transaction != XBT_NULL && try_steal(t, transaction);

    /* If another change conflicts, the next update tries again. */
    return transaction != XBT_NULL && xs_transaction_end(xs, transaction, !good) && good;
}

bool xenstore_write_steal(struct xenstore *xs, uint32_t domid, const char *text)
{
    struct telling t = { xs, domid, text };

    return blocking_call(write_steal, &t);
}
