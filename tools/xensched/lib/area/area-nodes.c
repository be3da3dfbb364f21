/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads and writes the nodes of xenstore that request a log. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>

#include "area-nodes.h"

/* Attempts of a transaction that conflicts with other changes. */
#define TRIES 10

#define PATH_TEXT 96

/* A request needs a lease, also if nothing is held yet. */
#define LEASE_MS 10000U

/* Parses a decimal number without any other characters. */

static bool parse_number(const char *text, uint64_t max, uint64_t *number)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *number = strtoull(text, &end, 10);

    return !errno && !*end && *number <= max;
}

int nodes_list(const char *text, uint64_t *numbers, int max)
{
    char copy[NODE_TEXT], *rest = copy, *word;
    int nr = 0;

    snprintf(copy, sizeof(copy), "%s", text);
    while ((word = strsep(&rest, " ")))
        if (nr == max || !parse_number(word, UINT64_MAX, &numbers[nr++]))
            return -1;

    return nr;
}

/* Nodes. */

static void path_of(const struct nodes *n, const char *node,
                    char path[PATH_TEXT])
{
    snprintf(path, PATH_TEXT, "/local/domain/%u/schedlog%s%s", n->domid,
             *node ? "/" : "", node);
}

/* Returns false if there is no such node, or if it contains zero bytes. */
static bool read_text(struct nodes *n, xs_transaction_t t, const char *node,
                      char *text, size_t size)
{
    char path[PATH_TEXT], *value;
    unsigned int length;
    bool good;

    path_of(n, node, path);
    value = xs_read(n->xs, t, path, &length);
    good = value && strlen(value) == length;
    snprintf(text, size, "%s", good ? value : "");
    free(value);

    return good;
}

/* Reads a number; 0: the node has none. */
static bool read_number(struct nodes *n, xs_transaction_t t,
                        const char *node, uint64_t max, uint64_t *number)
{
    char text[32];
    bool good = read_text(n, t, node, text, sizeof(text)) &&
                parse_number(text, max, number);

    if (!good)
        *number = 0;

    return good;
}

static bool read_number32(struct nodes *n, xs_transaction_t t,
                          const char *node, uint32_t *number)
{
    uint64_t value = 0;
    bool good = read_number(n, t, node, UINT32_MAX, &value);

    *number = value;

    return good;
}

static bool write_text(struct nodes *n, xs_transaction_t t,
                       const char *node, const char *text)
{
    char path[PATH_TEXT];

    path_of(n, node, path);

    return xs_write(n->xs, t, path, text, strlen(text));
}

static bool write_number(struct nodes *n, xs_transaction_t t,
                         const char *node, uint64_t number)
{
    char text[24];

    snprintf(text, sizeof(text), "%llu", (unsigned long long)number);

    return write_text(n, t, node, text);
}

/* Makes dom0 the owner; the domain may read, or also write. */
static bool set_permissions(struct nodes *n, xs_transaction_t t, const char *node,
                            unsigned int what)
{
    struct xs_permissions perms[2] = {
        { .id = 0, .perms = XS_PERM_NONE },
        { .id = n->domid, .perms = what },
    };
    char path[PATH_TEXT];

    path_of(n, node, path);

    return xs_set_permissions(n->xs, t, path, perms, 2);
}

static bool remove_node(struct nodes *n, xs_transaction_t t,
                        const char *node)
{
    char path[PATH_TEXT];

    path_of(n, node, path);

    return xs_rm(n->xs, t, path) || errno == ENOENT;
}

/*
 * Does all of @call or nothing of it.  Returns 0 or a positive errno value; EAGAIN: another
 * program, perhaps the domain, keeps changing these nodes.
 */
static int try_transaction(struct nodes *n,
                           bool (*call)(struct nodes *n, xs_transaction_t t,
                                        void *arg), void *arg)
{
    unsigned int try;

    for (try = 0; try < TRIES; try++) {
        xs_transaction_t t = xs_transaction_start(n->xs);
        bool good;
        int code;

        if (t == XBT_NULL)
            return errno ? errno : EIO;
        errno = 0;
        good = call(n, t, arg);
        code = errno ? errno : EIO;
        if (xs_transaction_end(n->xs, t, !good))
            return good ? 0 : code;
        if (errno != EAGAIN)
            return errno ? errno : EIO;
    }

    return EAGAIN;
}

/* Requests. */

bool nodes_read_request(struct nodes *n, struct wanted *wanted)
{
    const xs_transaction_t t = XBT_NULL;
    uint64_t sizes[XEN_SCHEDLOG_MAX_FILES];
    uint32_t version;
    int nr;

    if (!read_number32(n, t, "request/version", &version) ||
        version != XEN_SCHEDLOG_ABI_VERSION ||
        !read_number32(n, t, "request/nr-acct", &wanted->nr_acct) ||
        !read_text(n, t, "request/sizes", wanted->sizes, NODE_TEXT))
        return false;
    nr = nodes_list(wanted->sizes, sizes, XEN_SCHEDLOG_MAX_FILES);
    wanted->nr_files = nr > 0 ? nr : 0;

    return nr > 0;
}

struct asking {
    const struct wanted *wanted;
    uint32_t events;
    uint32_t lease_ms;
};

static bool write_request(struct nodes *n, xs_transaction_t t, void *arg)
{
    const struct asking *a = arg;

    return write_text(n, t, "request", "") &&
           set_permissions(n, t, "request", XS_PERM_READ) &&
           write_number(n, t, "request/version", XEN_SCHEDLOG_ABI_VERSION) &&
           write_number(n, t, "request/nr-acct", a->wanted->nr_acct) &&
           write_text(n, t, "request/sizes", a->wanted->sizes) &&
           write_number(n, t, "request/events", a->events) &&
           write_number(n, t, "request/lease-ms", a->lease_ms);
}

/* Writes the request and an empty folder for the answer. */
static bool write_first_request(struct nodes *n, xs_transaction_t t,
                                void *arg)
{
    return remove_node(n, t, "area") && write_text(n, t, "area", "") &&
           set_permissions(n, t, "area", XS_PERM_READ | XS_PERM_WRITE) &&
           write_request(n, t, arg);
}

static bool remove_request(struct nodes *n, xs_transaction_t t, void *arg)
{
    (void)arg;

    return remove_node(n, t, "request");
}

int nodes_request(struct nodes *n, const struct wanted *wanted, uint32_t events,
                  uint32_t lease_ms)
{
    struct asking asking = {
        wanted, lease_ms ? events : 0, lease_ms ? lease_ms : LEASE_MS
    };

    return try_transaction(n, write_request, &asking);
}

int nodes_first_request(struct nodes *n, const struct wanted *wanted)
{
    struct asking asking = { wanted, 0, LEASE_MS };

    return try_transaction(n, write_first_request, &asking);
}

int nodes_remove_request(struct nodes *n)
{
    return try_transaction(n, remove_request, NULL);
}

/* Answers. */

/* Replaces unprintable characters, because people will see the text. */
static void read_error(struct nodes *n, xs_transaction_t t,
                       struct node_answer *a)
{
    size_t i;

    if (!read_text(n, t, "area/error", a->error, sizeof(a->error)))
        return;
    for (i = 0; a->error[i]; i++)
        if (a->error[i] < ' ' || a->error[i] > '~')
            a->error[i] = '?';
}

static bool read_answer(struct nodes *n, xs_transaction_t t, void *arg)
{
    struct node_answer *a = arg;

    memset(a, 0, sizeof(*a));
    read_error(n, t, a);
    read_number32(n, t, "area/version", &a->version);
    a->any = read_text(n, t, "area/directory", a->directory, NODE_TEXT);
    read_number32(n, t, "area/events-built", &a->events_built);
    read_number32(n, t, "area/events", &a->events);
    read_number32(n, t, "area/nr-cpus", &a->nr_cpus);
    read_number32(n, t, "area/nr-acct", &a->nr_acct);
    read_text(n, t, "area/sizes", a->sizes, NODE_TEXT);
    read_number(n, t, "area/tsc-khz", UINT64_MAX, &a->tsc_khz);

    return true;
}

int nodes_read_answer(struct nodes *n, struct node_answer *answer)
{
    return try_transaction(n, read_answer, answer);
}

bool nodes_said_anything(struct nodes *n)
{
    char text[8];

    return nodes_answered(n) ||
           read_text(n, XBT_NULL, "area/error", text, sizeof(text));
}

bool nodes_is_directory(struct nodes *n, const char *directory)
{
    char text[NODE_TEXT];

    errno = 0;
    if (read_text(n, XBT_NULL, "area/directory", text, sizeof(text)))
        return !strcmp(text, directory);

    /* An error that a restarting xenstored returns means nothing about the domain. */
    return errno && errno != ENOENT;
}

bool nodes_answered(struct nodes *n)
{
    char text[8];

    return read_text(n, XBT_NULL, "area/directory", text, sizeof(text));
}
