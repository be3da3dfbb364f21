/* SPDX-License-Identifier: GPL-2.0-only */
/* Caches and watches xenstore's nodes about each domain. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenstore.h>

#include "model/domain.h"
#include "model/domids.h"
#include "base/alloc.h"
#include "lib/area/xenstore-open.h"
#include "base/blocking-call.h"
#include "base/message.h"
#include "xenstore-node.h"

#define INTRODUCE "@introduceDomain"
#define RELEASE   "@releaseDomain"

/* xl writes these from a domain's configuration; a guest can only read them. */
#define HOLD "/local/domain/%u/platform/vm-affinity"
#define GROUP "/local/domain/%u/platform/vm-affinity-group"
#define LOG "/local/domain/%u/platform/vm-affinity-log"
#define STEAL "/local/domain/%u/platform/vm-affinity-steal"
#define TARGET "/local/domain/%u/target"

/* Events handled at a time; a domain could make them faster than we handle them. */
#define MAX_EVENTS 4096

struct known_domain {
    uint32_t domid;
    bool asked; /* queried since the last xenstore_forget_others() */
    bool area_changed;
    unsigned int stale; /* mask of facts that have changed since they were read */
    bool failed; /* a read failed, other than by ENOENT */
    unsigned int nr_back_ends;
    uint32_t *back_ends;
    bool stays, soft_only, logs, wants_steal;
    bool is_stub;
    uint32_t target; /* of a stub domain: the domain whose device model it is */
    bool bad_group; /* logged already */
    char group[DOMAIN_GROUP_TEXT];
    bool named, long_name;
    char name[DOMAIN_NAME_TEXT];
    uint32_t ports[HOST_TOOL_PORTS]; /* 0: unknown */
};

struct known_pool {
    uint32_t pool;
    bool long_name;
    char name[DOMAIN_NAME_TEXT];
};

struct xenstore {
    struct xs_handle *handle;
    unsigned int nr;
    struct known_domain *known;
    struct domids by_domid; /* indices of known */
    unsigned int nr_pools;
    struct known_pool *pools;
};

struct xs_handle *xenstore_asked(const struct xenstore *xs)
{
    blocking_call_expect("a call to xenstored");

    return xs->handle;
}

/* The facts about a domain that can be read again: a mask. */
enum {
    NAME = 1,
    BACK_ENDS = 2,
    WISH = 4,
    GROUP_NAME = 8,
    MAY_LOG = 16,
    WHOSE = 32,
    TELLS_STEAL = 64,
    ALL = NAME | BACK_ENDS | WISH | GROUP_NAME | MAY_LOG | WHOSE | TELLS_STEAL,
};

/* The watched nodes of each domain, and the first character of their events' tokens. */
static const struct {
    char token;
    unsigned int stale; /* facts to read after an event */
    const char *path; /* with the domid */
} watched[] = {
    { 'n', NAME, "/local/domain/%u/name" },
    { 'd', BACK_ENDS, "/libxl/%u/device" },
    { 'a', 0, "/local/domain/%u/schedlog/area" },
    { 'h', WISH, HOLD },
    /* Without a name it is unknown whether the domain left its group. */
    { 'g', GROUP_NAME | NAME, GROUP },
    { 'l', MAY_LOG, LOG },
    { 's', TELLS_STEAL, STEAL },
    { 't', WHOSE, TARGET },
};

#define NR_WATCHED (sizeof(watched) / sizeof(watched[0]))

void xenstore_path(char path[XENSTORE_PATH], const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(path, XENSTORE_PATH, format, args);
    va_end(args);
}

/* The token has the domid, so that an event identifies its domain. */
static void watch_domain(struct xenstore *xs, uint32_t domid, bool on)
{
    char path[XENSTORE_PATH], token[16];
    unsigned int i;
    bool good;

    for (i = 0; i < NR_WATCHED; i++) {
        xenstore_path(path, watched[i].path, domid);
        snprintf(token, sizeof(token), "%c%u", watched[i].token, domid);
        good = on ? xs_watch(xenstore_asked(xs), path, token)
                  : xs_unwatch(xenstore_asked(xs), path, token);
        if (!good && on)
            say("cannot watch %s in xenstore: %s", path, strerror(errno));
    }
}

/* Returns a value that the caller frees, or NULL; records a failed read. */
static char *read_of(struct xenstore *xs, struct known_domain *k,
                     const char *path, unsigned int *length)
{
    char *value = xs_read(xenstore_asked(xs), XBT_NULL, path, length);

    k->failed |= !value && errno != ENOENT;

    return value;
}

static char **list_of(struct xenstore *xs, struct known_domain *k,
                      const char *path, unsigned int *nr)
{
    char **names = xs_directory(xenstore_asked(xs), XBT_NULL, path, nr);

    k->failed |= !names && errno != ENOENT;

    return names;
}

static void read_name(struct xenstore *xs, struct known_domain *k)
{
    char path[XENSTORE_PATH];
    bool was_long = k->long_name;
    unsigned int length;
    char *name;

    xenstore_path(path, "/local/domain/%u/name", k->domid);
    name = read_of(xs, k, path, &length);
    k->named = name;
    k->long_name = name && strlen(name) >= sizeof(k->name);
    if (k->long_name && !was_long)
        say("the name of domain %u is longer than %zu bytes: the daemon calls "
            "the domain by its number", k->domid, sizeof(k->name) - 1);
    snprintf(k->name, sizeof(k->name), "%s", name && !k->long_name ? name : "");
    free(name);
}

static void add_back_end(struct known_domain *k, uint32_t domid)
{
    unsigned int i;

    for (i = 0; i < k->nr_back_ends; i++)
        if (k->back_ends[i] == domid)
            return;
    k->back_ends = need_more_memory(k->back_ends, k->nr_back_ends + 1,
                                    sizeof(*k->back_ends));
    k->back_ends[k->nr_back_ends++] = domid;
}

/* The back end of a device is a path: /local/domain/DOMID/backend/... */
static void read_back_end(struct xenstore *xs, struct known_domain *k,
                          const char *kind, const char *device)
{
    static const char begin[] = "/local/domain/";
    unsigned int length;
    char path[XENSTORE_PATH], *value;

    xenstore_path(path, "/libxl/%u/device/%s/%s/backend", k->domid, kind, device);
    value = read_of(xs, k, path, &length);
    if (value && !strncmp(value, begin, sizeof(begin) - 1) &&
        isdigit((unsigned char)value[sizeof(begin) - 1]))
        add_back_end(k, strtoul(value + sizeof(begin) - 1, NULL, 10));
    free(value);
}

static void read_back_ends_of(struct xenstore *xs, struct known_domain *k,
                              const char *kind)
{
    char path[XENSTORE_PATH], **devices;
    unsigned int nr = 0, i;

    xenstore_path(path, "/libxl/%u/device/%s", k->domid, kind);
    devices = list_of(xs, k, path, &nr);
    for (i = 0; devices && i < nr; i++)
        read_back_end(xs, k, kind, devices[i]);
    free(devices);
}

static void read_back_ends(struct xenstore *xs, struct known_domain *k)
{
    char path[XENSTORE_PATH], **kinds;
    unsigned int nr = 0, i;

    k->nr_back_ends = 0;
    xenstore_path(path, "/libxl/%u/device", k->domid);
    kinds = list_of(xs, k, path, &nr);
    for (i = 0; kinds && i < nr; i++)
        read_back_ends_of(xs, k, kinds[i]);
    free(kinds);
}

static void read_preference(struct xenstore *xs, struct known_domain *k)
{
    char path[XENSTORE_PATH], *value;
    unsigned int length;

    xenstore_path(path, HOLD, k->domid);
    value = read_of(xs, k, path, &length);
    k->stays = value && !strcmp(value, "hold");
    k->soft_only = value && !strcmp(value, "soft");
    free(value);
}

/* Reads a node that xl or an operator writes and that allows something if it is "1". */
static bool is_one(struct xenstore *xs, struct known_domain *k, const char *format)
{
    char path[XENSTORE_PATH], *value;
    unsigned int length;
    bool one;

    xenstore_path(path, format, k->domid);
    value = read_of(xs, k, path, &length);
    one = value && !strcmp(value, "1");
    free(value);

    return one;
}

/* A toolstack writes the target of a stub domain. */
static void read_target(struct xenstore *xs, struct known_domain *k)
{
    char path[XENSTORE_PATH], *value, *end;
    unsigned int length;

    xenstore_path(path, TARGET, k->domid);
    value = read_of(xs, k, path, &length);
    k->target = value ? strtoul(value, &end, 10) : 0;
    k->is_stub = value && *value && !*end;
    free(value);
}

static void read_group(struct xenstore *xs, struct known_domain *k)
{
    unsigned int length = 0;
    char path[XENSTORE_PATH], *value;
    bool good;

    xenstore_path(path, GROUP, k->domid);
    value = read_of(xs, k, path, &length);
    good = value && strlen(value) == length && domain_is_group_name(value);
    snprintf(k->group, sizeof(k->group), "%s", good ? value : "");
    if (value && !good && !k->bad_group)
        say("%s in xenstore is ignored: it is no name of 1 to 63 letters, "
            "digits, '.', '_' and '-'", path);
    k->bad_group = value && !good;
    free(value);
}

static void read_stale(struct xenstore *xs, struct known_domain *k)
{
    if (k->stale & NAME)
        read_name(xs, k);
    if (k->stale & BACK_ENDS)
        read_back_ends(xs, k);
    if (k->stale & WISH)
        read_preference(xs, k);
    if (k->stale & GROUP_NAME)
        read_group(xs, k);
    if (k->stale & MAY_LOG)
        k->logs = is_one(xs, k, LOG);
    if (k->stale & TELLS_STEAL)
        k->wants_steal = is_one(xs, k, STEAL);
    if (k->stale & WHOSE)
        read_target(xs, k);
}

static bool same_domain(const struct known_domain *a, const struct known_domain *b)
{
    return !strcmp(a->name, b->name) && !strcmp(a->group, b->group) &&
           a->stays == b->stays && a->soft_only == b->soft_only &&
           a->logs == b->logs && a->wants_steal == b->wants_steal &&
           a->is_stub == b->is_stub &&
           a->target == b->target &&
           a->nr_back_ends == b->nr_back_ends &&
           (!a->nr_back_ends ||
            !memcmp(a->back_ends, b->back_ends,
                    a->nr_back_ends * sizeof(*a->back_ends)));
}

/*
 * A domain that had a name keeps one.  If xenstore has none, either xenstored has just started and
 * knows no domain yet, or the toolstack is removing the domain.
 */
static bool is_complete(const struct known_domain *before,
                        const struct known_domain *k)
{
    return !k->failed && (k->named || !before->named);
}

/*
 * Most events report states of devices, which make no difference here.  Unless the read is
 * complete, the earlier values stay, and count as stale, so they are read again.
 */
static bool read_anew(struct xenstore *xs, struct known_domain *k)
{
    const struct known_domain before = *k;
    bool changed, complete;

    k->failed = false;
    if (k->stale & BACK_ENDS) {
        k->back_ends = NULL;
        k->nr_back_ends = 0;
    }
    read_stale(xs, k);
    complete = is_complete(&before, k);
    changed = complete && !same_domain(&before, k);
    if (k->back_ends != before.back_ends)
        free(complete ? before.back_ends : k->back_ends);
    if (complete)
        k->stale = 0;
    else
        *k = before;

    return changed;
}

static struct known_domain *find_domain(const struct xenstore *xs, uint32_t domid)
{
    uint32_t i = domids_find(&xs->by_domid, domid);

    return i == DOMIDS_NONE ? NULL : &xs->known[i];
}

static struct known_domain *add_domain(struct xenstore *xs, uint32_t domid)
{
    struct known_domain *k;

    xs->known = need_more_memory(xs->known, xs->nr + 1, sizeof(*xs->known));
    domids_put(&xs->by_domid, domid, xs->nr);
    k = &xs->known[xs->nr++];
    memset(k, 0, sizeof(*k));
    k->domid = domid;
    watch_domain(xs, domid, true);
    k->stale = ALL;

    return k;
}

static int connect_to(struct xs_handle **handle, struct xensched_error *err)
{
    struct xs_handle *new = xensched_xenstore_open(err);

    blocking_call_expect("connecting to xenstored");
    if (!new)
        return err->code;
    if (!xs_watch(new, INTRODUCE, INTRODUCE) ||
        !xs_watch(new, RELEASE, RELEASE)) {
        xensched_fail(err, errno, "cannot watch domains in xenstore: %s",
                      strerror(errno));
        xs_close(new);
        return err->code;
    }
    *handle = new;

    return 0;
}

int xenstore_open(struct xenstore **xenstore, struct xensched_error *err)
{
    struct xenstore *xs = need_memory(1, sizeof(*xs));
    int rc = connect_to(&xs->handle, err);

    if (rc)
        xenstore_close(xs);
    else
        *xenstore = xs;

    return rc;
}

/* Each xenstored has a root, so it fails to read only if there is no xenstored. */
static bool xenstored_answers(struct xenstore *xs)
{
    unsigned int length;
    char *value = xs_read(xenstore_asked(xs), XBT_NULL, "/", &length);
    bool there = value || errno == ENOENT;

    free(value);

    return there;
}

int xenstore_check(struct xenstore *xs, struct xensched_error *err)
{
    struct xs_handle *former = xs->handle;
    unsigned int i;
    int rc;

    if (xenstored_answers(xs))
        return XENSTORE_THERE;
    rc = connect_to(&xs->handle, err);
    if (rc)
        return rc;
    xs_close(former);
    for (i = 0; i < xs->nr; i++) {
        watch_domain(xs, xs->known[i].domid, true);
        xs->known[i].stale = ALL;
    }

    return XENSTORE_ANEW;
}

void xenstore_close(struct xenstore *xs)
{
    unsigned int i;

    if (!xs)
        return;
    for (i = 0; i < xs->nr; i++)
        free(xs->known[i].back_ends);
    if (xs->handle)
        xs_close(xs->handle);
    free(xs->known);
    free(xs->pools);
    domids_free(&xs->by_domid);
    free(xs);
}

int xenstore_fd(const struct xenstore *xs)
{
    return xs_fileno(xs->handle);
}

/*
 * Only records the event: many come at once, and a domain's facts are read once for all of them.
 * Returns true when domains start or end.
 */
static bool take_event(struct xenstore *xs, const char *token)
{
    struct known_domain *k;
    unsigned int i;

    if (token[0] == '@')
        return true;
    k = find_domain(xs, strtoul(token + 1, NULL, 10));
    if (k && token[0] == 'a')
        k->area_changed = true;
    for (i = 0; k && i < NR_WATCHED; i++)
        if (watched[i].token == token[0])
            k->stale |= watched[i].stale;

    return false;
}

bool xenstore_changed(struct xenstore *xs)
{
    unsigned int left = MAX_EVENTS, i;
    bool changed = false;
    char **event;

    while (left-- && (event = xs_check_watch(xs->handle))) {
        changed |= take_event(xs, event[XS_WATCH_TOKEN]);
        free(event);
    }
    for (i = 0; i < xs->nr; i++)
        if (xs->known[i].stale)
            changed |= read_anew(xs, &xs->known[i]);

    return changed;
}

bool xenstore_area_changed(struct xenstore *xs, uint32_t domid)
{
    struct known_domain *k = find_domain(xs, domid);
    bool changed = k && k->area_changed;

    if (k)
        k->area_changed = false;

    return changed;
}

struct xenstore_domain xenstore_domain(struct xenstore *xs, uint32_t domid)
{
    struct known_domain *k = find_domain(xs, domid);

    if (!k)
        k = add_domain(xs, domid);
    if (k->stale)
        read_anew(xs, k);
    k->asked = true;

    return (struct xenstore_domain){
        .name = k->name,
        .nr_back_ends = k->nr_back_ends,
        .back_ends = k->back_ends,
        .stays = k->stays,
        .soft_only = k->soft_only,
        .logs = k->logs,
        .wants_steal = k->wants_steal,
        .is_stub = k->is_stub,
        .target = k->target,
        .group = k->group,
    };
}

uint32_t *xenstore_known_ports(struct xenstore *xs, uint32_t domid)
{
    struct known_domain *k = find_domain(xs, domid);

    return (k ? k : add_domain(xs, domid))->ports;
}

static struct known_pool *find_pool(struct xenstore *xs, uint32_t pool)
{
    struct known_pool *p;
    unsigned int i;

    for (i = 0; i < xs->nr_pools; i++)
        if (xs->pools[i].pool == pool)
            return &xs->pools[i];
    xs->pools = need_more_memory(xs->pools, xs->nr_pools + 1,
                                 sizeof(*xs->pools));
    p = &xs->pools[xs->nr_pools++];
    /* libxl's name of the first pool, which has no node. */
    *p = (struct known_pool){ .pool = pool };
    if (!pool)
        strcpy(p->name, "Pool-0");

    return p;
}

const char *xenstore_known_pool(struct xenstore *xs, uint32_t pool,
                                const char *name)
{
    struct known_pool *p = find_pool(xs, pool);
    bool was_long = p->long_name;

    if (!name)
        return p->name;
    p->long_name = strlen(name) >= sizeof(p->name);
    if (p->long_name && !was_long)
        say("the name of cpupool %u is longer than %zu bytes: no rule can name "
            "the cpupool", pool, sizeof(p->name) - 1);
    snprintf(p->name, sizeof(p->name), "%s", p->long_name ? "" : name);

    return p->name;
}

void xenstore_forget_others(struct xenstore *xs)
{
    unsigned int i = 0;

    while (i < xs->nr) {
        struct known_domain *k = &xs->known[i];

        if (k->asked) {
            k->asked = false;
            i++;
            continue;
        }
        watch_domain(xs, k->domid, false);
        domids_remove(&xs->by_domid, k->domid);
        free(k->back_ends);
        if (--xs->nr == i)
            break;
        *k = xs->known[xs->nr];
        domids_put(&xs->by_domid, k->domid, i);
    }
}
