/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * area-domain.c - the log area of another domain, which advertises its frames
 * in xenstore; docs/ring-log.md has the nodes.
 *
 * The domain may do what it likes, at any time.  So
 *
 * - nothing waits for it: xensched_area_request() asks, xensched_area_poll()
 *   looks whether there is an answer;
 * - what it says is read once into private memory, all in one transaction, and
 *   has to be what was asked for; frame numbers are copied before one is used;
 * - how much memory and how many steps it can cost us is bounded here.
 *
 * Frames are the domain's own: Xen maps no others in its name.  What is in
 * them is for the reader to doubt, and what we write there harms nobody but
 * the domain.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <xenctrl.h>
#include <xenforeignmemory.h>
#include <xenstore.h>

#include "area.h"
#include "xenstore-open.h"

#define MAX_CPUS 4096
/* Of frame numbers, 512 in each: 256 MiB of log. */
#define MAX_DIRECTORY 128
#define FRAMES_PER_PAGE (XC_PAGE_SIZE / sizeof(uint64_t))
#define NO_FRAME UINT64_MAX

/* Mapped in one call of xensched_area_poll(). */
#define CPUS_PER_POLL 128

/* A transaction which meets changes of others is done again so often. */
#define TRIES 10

#define PATH_TEXT 96
/* What fits into a node of xenstore, and its end. */
#define NODE_TEXT 4097

enum phase {
    LEAVING, /* an area of a former request is still there */
    ASKED,   /* no answer yet */
    MAPPING, /* some CPUs are mapped */
    MAPPED,
};

/* What a request asks for; also that of a former scheduler. */
struct wanted {
    char sizes[NODE_TEXT]; /* as in the node */
    uint32_t nr_acct;
    uint32_t nr_files;
};

/* What the domain says. */
struct answer {
    bool any; /* there is a directory, so the rest of it counts */
    uint32_t version, nr_cpus, nr_acct, events_built, events;
    uint64_t tsc_khz;
    char sizes[NODE_TEXT];
    char directory[NODE_TEXT];
    char error[200];
};

struct producer {
    uint32_t domid;
    enum phase phase;
    xentoollog_logger *log;
    xenforeignmemory_handle *fmem;
    struct xs_handle *xs;
    struct wanted wanted;
    uint32_t next_cpu; /* with MAPPING */
    char directory[NODE_TEXT]; /* which the frames are from */
    uint64_t *frames;
    size_t nr_frames;
};

static struct producer *domain_of(const struct xensched_area *area)
{
    return area->place;
}

static int domain_failed(struct xensched_error *err, int code,
                         const char *what)
{
    return xensched_fail(err, code, "%s of a domain: %s", what,
                         strerror(code));
}

/* Numbers and lists of them, in decimal, and nothing else. */

static bool parse_number(const char *text, uint64_t max, uint64_t *number)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *number = strtoull(text, &end, 10);

    return !errno && !*end && *number <= max;
}

/* Up to @max numbers, separated by one blank each.  -1: it is no such list. */
static int parse_list(const char *text, uint64_t *numbers, int max)
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

static void path_of(const struct producer *d, const char *node,
                    char path[PATH_TEXT])
{
    snprintf(path, PATH_TEXT, "/local/domain/%u/schedlog%s%s", d->domid,
             *node ? "/" : "", node);
}

/* False: there is no such node, or it has zero bytes in it. */
static bool read_text(struct producer *d, xs_transaction_t t, const char *node,
                      char *text, size_t size)
{
    char path[PATH_TEXT], *value;
    unsigned int length;
    bool good;

    path_of(d, node, path);
    value = xs_read(d->xs, t, path, &length);
    good = value && strlen(value) == length;
    snprintf(text, size, "%s", good ? value : "");
    free(value);

    return good;
}

/* 0 if it isn't one. */
static bool read_number(struct producer *d, xs_transaction_t t,
                        const char *node, uint64_t max, uint64_t *number)
{
    char text[32];
    bool good = read_text(d, t, node, text, sizeof(text)) &&
                parse_number(text, max, number);

    if (!good)
        *number = 0;

    return good;
}

static bool read_number32(struct producer *d, xs_transaction_t t,
                          const char *node, uint32_t *number)
{
    uint64_t value = 0;
    bool good = read_number(d, t, node, UINT32_MAX, &value);

    *number = value;

    return good;
}

static bool write_text(struct producer *d, xs_transaction_t t,
                       const char *node, const char *text)
{
    char path[PATH_TEXT];

    path_of(d, node, path);

    return xs_write(d->xs, t, path, text, strlen(text));
}

static bool write_number(struct producer *d, xs_transaction_t t,
                         const char *node, uint64_t number)
{
    char text[24];

    snprintf(text, sizeof(text), "%llu", (unsigned long long)number);

    return write_text(d, t, node, text);
}

/* dom0 owns it; the domain may read, or write as well. */
static bool give(struct producer *d, xs_transaction_t t, const char *node,
                 unsigned int what)
{
    struct xs_permissions perms[2] = {
        { .id = 0, .perms = XS_PERM_NONE },
        { .id = d->domid, .perms = what },
    };
    char path[PATH_TEXT];

    path_of(d, node, path);

    return xs_set_permissions(d->xs, t, path, perms, 2);
}

static bool remove_node(struct producer *d, xs_transaction_t t,
                        const char *node)
{
    char path[PATH_TEXT];

    path_of(d, node, path);

    return xs_rm(d->xs, t, path) || errno == ENOENT;
}

/*
 * Do all of @call or nothing of it.  Returns 0 or a positive errno value;
 * EAGAIN: somebody (the domain?) changes these nodes all the time.
 */
static int transact(struct producer *d,
                    bool (*call)(struct producer *d, xs_transaction_t t,
                                 void *arg), void *arg)
{
    unsigned int try;

    for (try = 0; try < TRIES; try++) {
        xs_transaction_t t = xs_transaction_start(d->xs);
        bool good;
        int code;

        if (t == XBT_NULL)
            return errno ? errno : EIO;
        errno = 0;
        good = call(d, t, arg);
        code = errno ? errno : EIO;
        if (xs_transaction_end(d->xs, t, !good))
            return good ? 0 : code;
        if (errno != EAGAIN)
            return errno ? errno : EIO;
    }

    return EAGAIN;
}

/* Requests. */

/* @wanted is what the request that there is asks for; false: none, or other. */
static bool read_request(struct producer *d, xs_transaction_t t, void *arg)
{
    struct wanted *wanted = arg;
    uint64_t sizes[XEN_SCHEDLOG_MAX_FILES];
    uint32_t version;
    int nr;

    if (!read_number32(d, t, "request/version", &version) ||
        version != XEN_SCHEDLOG_ABI_VERSION ||
        !read_number32(d, t, "request/nr-acct", &wanted->nr_acct) ||
        !read_text(d, t, "request/sizes", wanted->sizes, NODE_TEXT))
        return false;
    nr = parse_list(wanted->sizes, sizes, XEN_SCHEDLOG_MAX_FILES);
    wanted->nr_files = nr > 0 ? nr : 0;

    return nr > 0;
}

static bool exists(struct producer *d, xs_transaction_t t, const char *node)
{
    char text[8];

    return read_text(d, t, node, text, sizeof(text));
}

struct asking {
    uint32_t events;
    uint32_t lease_ms;
};

static bool write_request(struct producer *d, xs_transaction_t t, void *arg)
{
    const struct asking *a = arg;

    return write_text(d, t, "request", "") &&
           give(d, t, "request", XS_PERM_READ) &&
           write_number(d, t, "request/version", XEN_SCHEDLOG_ABI_VERSION) &&
           write_number(d, t, "request/nr-acct", d->wanted.nr_acct) &&
           write_text(d, t, "request/sizes", d->wanted.sizes) &&
           write_number(d, t, "request/events", a->events) &&
           write_number(d, t, "request/lease-ms", a->lease_ms);
}

/* And an empty folder for the answer. */
static bool write_first_request(struct producer *d, xs_transaction_t t,
                                void *arg)
{
    return remove_node(d, t, "area") && write_text(d, t, "area", "") &&
           give(d, t, "area", XS_PERM_READ | XS_PERM_WRITE) &&
           write_request(d, t, arg);
}

static bool remove_request(struct producer *d, xs_transaction_t t, void *arg)
{
    (void)arg;

    return remove_node(d, t, "request");
}

/* A request needs a lease, also as long as there is nothing to hold. */
static const struct asking nothing_on = { .events = 0, .lease_ms = 10000 };

/*
 * The area of a former scheduler that asked for the same is taken over;
 * another one has to go first.
 */
static int ask(struct producer *d)
{
    bool there = exists(d, XBT_NULL, "area/directory");
    struct wanted former;

    d->phase = ASKED;
    if (!there)
        return transact(d, write_first_request, (void *)&nothing_on);
    if (read_request(d, XBT_NULL, &former) &&
        former.nr_acct == d->wanted.nr_acct &&
        !strcmp(former.sizes, d->wanted.sizes))
        return transact(d, write_request, (void *)&nothing_on);
    d->phase = LEAVING;

    return transact(d, remove_request, NULL);
}

/* Answers. */

/* Printable, since it will be shown to people. */
static void read_error(struct producer *d, xs_transaction_t t, struct answer *a)
{
    size_t i;

    if (!read_text(d, t, "area/error", a->error, sizeof(a->error)))
        return;
    for (i = 0; a->error[i]; i++)
        if (a->error[i] < ' ' || a->error[i] > '~')
            a->error[i] = '?';
}

static bool read_answer(struct producer *d, xs_transaction_t t, void *arg)
{
    struct answer *a = arg;

    memset(a, 0, sizeof(*a));
    read_error(d, t, a);
    read_number32(d, t, "area/version", &a->version);
    a->any = read_text(d, t, "area/directory", a->directory, NODE_TEXT);
    read_number32(d, t, "area/events-built", &a->events_built);
    read_number32(d, t, "area/events", &a->events);
    read_number32(d, t, "area/nr-cpus", &a->nr_cpus);
    read_number32(d, t, "area/nr-acct", &a->nr_acct);
    read_text(d, t, "area/sizes", a->sizes, NODE_TEXT);
    read_number(d, t, "area/tsc-khz", UINT64_MAX, &a->tsc_khz);

    return true;
}

static int nonsense(struct producer *d, struct xensched_error *err,
                    const char *what)
{
    return xensched_fail(err, EPROTO, "domain %u advertises %s", d->domid,
                         what);
}

/* "ENAME words": what it means to us. */
static int their_error(struct producer *d, const struct answer *a,
                       struct xensched_error *err)
{
    static const struct {
        const char *name;
        int code;
    } codes[] = {
        { "E2BIG ", E2BIG }, { "EBUSY ", EBUSY }, { "EEXIST ", EEXIST },
        { "EINVAL ", EINVAL }, { "ENOMEM ", ENOMEM },
        { "EOPNOTSUPP ", EOPNOTSUPP }, { "EPROTO ", EPROTO },
    };
    int code = EIO;
    size_t i;

    for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
        if (!strncmp(a->error, codes[i].name, strlen(codes[i].name)))
            code = codes[i].code;

    return xensched_fail(err, code, "domain %u says: %s", d->domid, a->error);
}

static int check_answer(struct producer *d, const struct answer *a,
                        struct xensched_error *err)
{
    char whose[32];

    snprintf(whose, sizeof(whose), "domain %u", d->domid);
    if (a->version || a->any) {
        int rc = area_check_version(a->version, whose, err);

        if (rc)
            return rc;
    }
    if (*a->error)
        return their_error(d, a, err);
    if (!a->any)
        return 0;
    if (!a->nr_cpus || a->nr_cpus > MAX_CPUS)
        return nonsense(d, err, "an impossible number of CPUs");
    if (a->nr_acct != d->wanted.nr_acct || strcmp(a->sizes, d->wanted.sizes))
        return nonsense(d, err, "an area of another geometry than it was "
                        "asked for");

    return 0;
}

/* As the producers do it: after each other, aligned to size or page. */
static int domain_files(struct xensched_area *area,
                        struct xen_schedlog_file *files)
{
    struct producer *d = domain_of(area);
    uint64_t sizes[XEN_SCHEDLOG_MAX_FILES], end = 0;
    uint32_t i;

    if (parse_list(d->wanted.sizes, sizes, XEN_SCHEDLOG_MAX_FILES) !=
        (int)area->info.nr_files)
        return EINVAL;
    for (i = 0; i < area->info.nr_files; i++) {
        uint64_t size = sizes[i];
        uint64_t align = size < XC_PAGE_SIZE ? size : XC_PAGE_SIZE;

        if (size < XEN_SCHEDLOG_MIN_FILE_SIZE ||
            size > XEN_SCHEDLOG_MAX_FILE_SIZE || (size & (size - 1)))
            return EINVAL;
        end = (end + align - 1) & ~(align - 1);
        files[i].offset = end;
        files[i].size = size;
        end += size;
        if (end > UINT32_MAX)
            return EINVAL;
    }

    return 0;
}

static size_t pages_of(size_t bytes)
{
    return (bytes + XC_PAGE_SIZE - 1) >> XC_PAGE_SHIFT;
}

/* Where in the directory the frames of a region begin, and how many. */
static size_t find_frames(const struct xensched_area *area,
                          enum region region, uint32_t cpu, size_t *nr)
{
    size_t global = pages_of(area_global_bytes(area));
    size_t control = pages_of(area_control_bytes(area));
    size_t state = pages_of(area_state_bytes(area));
    size_t data = pages_of(area_data_bytes(area));
    size_t first = global + cpu * (control + state + data);

    switch (region) {
    case REGION_CONTROL:
        *nr = control;
        return first;
    case REGION_STATE:
        *nr = state;
        return first + control;
    case REGION_DATA:
        *nr = data;
        return first + control + state;
    default:
        *nr = global;
        return 0;
    }
}

/* The only time that directory pages are looked at. */
static int copy_directory(struct producer *d, const xen_pfn_t *pages, size_t nr,
                          struct xensched_error *err)
{
    void *base;

    errno = 0;
    base = xenforeignmemory_map(d->fmem, d->domid, PROT_READ, nr, pages,
                                NULL);
    if (!base)
        return xensched_fail(err, errno, "cannot map the directory of domain "
                             "%u: %s", d->domid, strerror(errno));
    d->frames = malloc(d->nr_frames * sizeof(*d->frames));
    if (d->frames)
        memcpy(d->frames, base, d->nr_frames * sizeof(*d->frames));
    xenforeignmemory_unmap(d->fmem, base, nr);

    return d->frames ? 0 : xensched_fail(err, ENOMEM, "out of memory");
}

static int read_directory(struct xensched_area *area, const struct answer *a,
                          struct xensched_error *err)
{
    struct producer *d = domain_of(area);
    uint64_t numbers[MAX_DIRECTORY];
    xen_pfn_t pages[MAX_DIRECTORY];
    size_t unused;
    int nr = parse_list(a->directory, numbers, MAX_DIRECTORY), i;

    d->nr_frames = find_frames(area, REGION_CONTROL, a->nr_cpus, &unused);
    if (nr <= 0 ||
        (d->nr_frames + FRAMES_PER_PAGE - 1) / FRAMES_PER_PAGE != (size_t)nr)
        return nonsense(d, err, "a directory which is not of the size that "
                        "its area needs");
    for (i = 0; i < nr; i++)
        pages[i] = numbers[i];
    memcpy(d->directory, a->directory, NODE_TEXT);

    return copy_directory(d, pages, nr, err);
}

/* From an answer to the first mapped page. */
static int begin_mapping(struct xensched_area *area, const struct answer *a,
                         struct xensched_error *err)
{
    struct producer *d = domain_of(area);
    struct xen_schedlog_file *files;
    int rc;

    area->info = (struct xensched_area_info){
        .abi_version = a->version,
        .nr_cpus = a->nr_cpus,
        .nr_acct = a->nr_acct,
        .nr_files = d->wanted.nr_files,
        .events_built = a->events_built,
        .events_enabled = a->events,
        .tsc_khz = a->tsc_khz,
    };
    /* Sizes are needed to find frames, frames to map the routes. */
    files = calloc(area->info.nr_files, sizeof(*files));
    area->files = files;
    if (!files)
        return xensched_fail(err, ENOMEM, "out of memory");
    if (domain_files(area, files))
        return nonsense(d, err, "log files of impossible sizes");
    rc = read_directory(area, a, err);
    free(files);
    area->files = NULL;
    if (!rc)
        rc = area_map_global(area, err);
    d->next_cpu = 0;
    d->phase = MAPPING;

    return rc;
}

static int map_some(struct xensched_area *area, struct xensched_error *err)
{
    struct producer *d = domain_of(area);
    uint32_t end = d->next_cpu + CPUS_PER_POLL;
    int rc = area_map_cpus(area, d->next_cpu, end, err);

    if (rc < 0)
        return rc;
    d->next_cpu = end;
    if (end < area->info.nr_cpus)
        return XENSCHED_PART;
    free(d->frames);
    d->frames = NULL;
    d->phase = MAPPED;

    return XENSCHED_MAPPED;
}

/* An answer, checked.  1: there is one. */
static int look(struct producer *d, struct answer *a,
                struct xensched_error *err)
{
    int code = transact(d, read_answer, a), rc;

    if (code)
        return xensched_fail(err, code, "cannot read what domain %u "
                             "advertises: %s", d->domid, strerror(code));
    rc = check_answer(d, a, err);

    return rc ? rc : a->any;
}

static int poll_former(struct producer *d, struct xensched_error *err)
{
    int code = 0;

    if (!exists(d, XBT_NULL, "area/directory"))
        code = ask(d);

    return code ? xensched_fail(err, code, "cannot ask domain %u: %s",
                                d->domid, strerror(code))
                : XENSCHED_NO_ANSWER;
}

static const struct area_ops domain_ops;

int xensched_area_poll(struct xensched_area *area, struct xensched_error *err)
{
    struct producer *d = domain_of(area);
    struct answer a;
    int rc;

    if (area->ops != &domain_ops)
        return XENSCHED_MAPPED;
    switch (d->phase) {
    case LEAVING:
        return poll_former(d, err);
    case ASKED:
        rc = look(d, &a, err);
        if (rc <= 0)
            return rc ? rc : XENSCHED_NO_ANSWER;
        rc = begin_mapping(area, &a, err);
        return rc ? rc : XENSCHED_PART;
    case MAPPING:
        return map_some(area, err);
    default:
        return XENSCHED_MAPPED;
    }
}

/* Once it is mapped. */

static int domain_info(struct xensched_area *area,
                       struct xensched_area_info *info,
                       struct xensched_error *err)
{
    struct producer *d = domain_of(area);
    struct answer a;
    int rc = look(d, &a, err);

    if (rc < 0)
        return rc;
    /* It was given up, or another one is there now. */
    if (!rc || strcmp(a.directory, d->directory) ||
        a.nr_cpus != area->info.nr_cpus)
        *info = (struct xensched_area_info){ .abi_version = a.version };
    else
        *info = area->info;
    info->events_built = a.events_built;
    info->events_enabled = a.events;

    return 0;
}

static int domain_map(struct xensched_area *area, enum region region,
                      uint32_t cpu, size_t bytes, int prot, struct mapping *m)
{
    struct producer *d = domain_of(area);
    size_t first = find_frames(area, region, cpu, &m->pages), i, missing = 0;
    xen_pfn_t *frames;

    (void)bytes;
    /* What was there then is all that there will be. */
    if (!d->frames)
        return ENODEV;
    if (first + m->pages > d->nr_frames)
        return EINVAL;
    frames = calloc(m->pages, sizeof(*frames));
    if (!frames)
        return ENOMEM;
    for (i = 0; i < m->pages; i++) {
        frames[i] = d->frames[first + i];
        missing += d->frames[first + i] == NO_FRAME;
    }
    errno = 0;
    if (!missing)
        m->base = xenforeignmemory_map(d->fmem, d->domid, prot, m->pages,
                                       frames, NULL);
    free(frames);
    if (missing)
        return missing == m->pages ? ENODEV : EINVAL;

    return m->base ? 0 : errno ? errno : EIO;
}

static void domain_unmap(struct xensched_area *area, struct mapping *m)
{
    xenforeignmemory_unmap(domain_of(area)->fmem, m->base, m->pages);
}

static int domain_events(struct xensched_area *area, uint32_t mask,
                         uint32_t lease_ms)
{
    struct producer *d = domain_of(area);
    struct asking asking = { mask, lease_ms };

    return transact(d, write_request,
                    lease_ms ? (void *)&asking : (void *)&nothing_on);
}

static int domain_release(struct xensched_area *area)
{
    return transact(domain_of(area), remove_request, NULL);
}

static void domain_close(struct xensched_area *area)
{
    struct producer *d = domain_of(area);

    if (!d)
        return;
    free(d->frames);
    if (d->xs)
        xs_close(d->xs);
    if (d->fmem)
        xenforeignmemory_close(d->fmem);
    xtl_logger_destroy(d->log);
    free(d);
}

static const struct area_ops domain_ops = {
    .close = domain_close,
    .failed = domain_failed,
    .info = domain_info,
    .files = domain_files,
    .map = domain_map,
    .unmap = domain_unmap,
    .events = domain_events,
    .release = domain_release,
};

static int open_handles(struct producer *d, struct xensched_error *err)
{
    d->log = (xentoollog_logger *)
        xtl_createlogger_stdiostream(stderr, XTL_CRITICAL, 0);
    if (!d->log)
        return xensched_fail(err, ENOMEM, "out of memory");
    errno = 0;
    d->fmem = xenforeignmemory_open(d->log, 0);
    if (!d->fmem)
        return xensched_fail(err, errno, "cannot open /dev/xen/privcmd: %s "
                             "(is this dom0, and root?)", strerror(errno));
    d->xs = xensched_xenstore_open(err);

    return d->xs ? 0 : err->code;
}

static int open_domain(uint32_t domid, struct xensched_area **area,
                       struct xensched_error *err)
{
    struct xensched_area *a = area_new(&domain_ops, err);
    struct producer *d = calloc(1, sizeof(*d));

    if (!a || !d) {
        free(d);
        xensched_area_close(a);
        return xensched_fail(err, ENOMEM, "out of memory");
    }
    d->domid = domid;
    d->phase = ASKED;
    a->place = d;

    return area_hand_out(a, open_handles(d, err), area);
}

int xensched_area_request(uint32_t domid,
                          const struct xensched_geometry *geometry,
                          struct xensched_area **area,
                          struct xensched_error *err)
{
    struct xensched_area *a;
    struct producer *d;
    int rc = open_domain(domid, &a, err), code;
    size_t end = 0;
    uint32_t i;

    if (rc)
        return rc;
    a->writable = true;
    d = domain_of(a);
    d->wanted.nr_acct = geometry->nr_acct;
    d->wanted.nr_files = geometry->nr_files;
    for (i = 0; i < geometry->nr_files && end < NODE_TEXT; i++)
        end += snprintf(d->wanted.sizes + end, NODE_TEXT - end, "%s%u",
                        i ? " " : "", geometry->sizes[i]);
    code = end < NODE_TEXT ? ask(d) : EINVAL;
    if (code)
        rc = xensched_fail(err, code, "cannot ask domain %u: %s", domid,
                           strerror(code));

    return area_hand_out(a, rc, area);
}

int xensched_area_withdraw(uint32_t domid, struct xensched_error *err)
{
    struct xensched_area *a;
    int rc = open_domain(domid, &a, err);

    return rc ? rc : xensched_area_release(a, err);
}

/* The request which is there says what there has to be. */
static int attach(struct xensched_area *area, struct xensched_error *err)
{
    struct producer *d = domain_of(area);
    int rc = XENSCHED_NO_ANSWER;

    if (read_request(d, XBT_NULL, &d->wanted))
        do {
            rc = xensched_area_poll(area, err);
        } while (rc == XENSCHED_PART);
    if (rc == XENSCHED_NO_ANSWER)
        rc = xensched_fail(err, ENODATA, "nothing is logged in domain %u: "
                           "xenschedd has to be running, and to ask it",
                           d->domid);

    return rc < 0 ? rc : 0;
}

int xensched_area_attach_domain(uint32_t domid, struct xensched_area **area,
                                struct xensched_error *err)
{
    struct xensched_area *a;
    int rc = open_domain(domid, &a, err);

    return rc ? rc : area_hand_out(a, attach(a, err), area);
}
