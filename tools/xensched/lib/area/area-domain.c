/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The log area of another domain, which advertises its frames in xenstore;
 * docs/internals/linux-log.md has the nodes.
 *
 * The domain is untrusted and may change anything at any time.  Therefore:
 *
 * - nothing waits for it: xensched_area_request() sends the request, xensched_area_poll() checks
 *   for an answer;
 * - the answer is read once into private memory, in one transaction, and has to match the request;
 *   frame numbers are copied before one is used;
 * - the memory and the number of steps that it can cost are limited here.
 *
 * Frames (area-directory.h) have to be the domain's own memory, by Xen's answer before they are
 * mapped (area-domain-xen.h).  Readers do not trust their contents, and what is written to them can
 * harm no other domain.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "area-parts.h"
#include "area-directory.h"
#include "area-domain-xen.h"
#include "area-nodes.h"
#include "xenstore-open.h"

#define MAX_CPUS 4096

/* Number of CPUs that one call of xensched_area_poll() maps. */
#define CPUS_PER_POLL 128

enum phase {
    LEAVING, /* the domain still has the area of a former request */
    ASKED,   /* there is no answer yet */
    MAPPING, /* some CPUs are mapped */
    MAPPED,
};

struct producer {
    struct nodes nodes;
    enum phase phase;
    xentoollog_logger *log;
    struct wanted wanted;
    struct directory directory;
    uint32_t next_cpu; /* in state MAPPING */
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

/* Requests. */

/*
 * An area of a former scheduler that has the requested geometry is taken over; any other one has to
 * be released first.
 */
static int send_request(struct producer *d)
{
    struct wanted former;

    d->phase = ASKED;
    if (!nodes_answered(&d->nodes))
        return nodes_first_request(&d->nodes, &d->wanted);
    if (nodes_read_request(&d->nodes, &former) &&
        former.nr_acct == d->wanted.nr_acct &&
        !strcmp(former.sizes, d->wanted.sizes))
        return nodes_request(&d->nodes, &d->wanted, 0, 0);
    d->phase = LEAVING;

    return nodes_remove_request(&d->nodes);
}

/* Answers. */

static int fail_nonsense(struct producer *d, struct xensched_error *err,
                         const char *what)
{
    return xensched_fail(err, EPROTO, "domain %u advertises %s", d->nodes.domid,
                         what);
}

/* Translates "ENAME words", an error of the domain. */
static int their_error(struct producer *d, const struct node_answer *a,
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

    return xensched_fail(err, code, "domain %u reports: %s", d->nodes.domid, a->error);
}

static int check_answer(struct producer *d, const struct node_answer *a,
                        struct xensched_error *err)
{
    char whose[32];

    snprintf(whose, sizeof(whose), "domain %u", d->nodes.domid);
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
        return fail_nonsense(d, err, "an impossible number of CPUs");
    if (a->nr_acct != d->wanted.nr_acct || strcmp(a->sizes, d->wanted.sizes))
        return fail_nonsense(d, err, "an area of another geometry than it was "
                             "asked for");

    return 0;
}

/* Places files as the producers do: one after the other, aligned to size or page. */
static int domain_files(struct xensched_area *area,
                        struct xen_schedlog_file *files)
{
    struct producer *d = domain_of(area);
    uint64_t sizes[XEN_SCHEDLOG_MAX_FILES], end = 0;
    uint32_t i;

    if (nodes_list(d->wanted.sizes, sizes, XEN_SCHEDLOG_MAX_FILES) !=
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

/* Limits the number of CPUs, because each of them costs memory and time here. */
static int check_cpus(struct producer *d, const struct node_answer *a,
                      struct xensched_error *err)
{
    uint32_t nr;
    int code = domain_vcpus(d->directory.xch, d->nodes.domid, &nr);

    if (code)
        return xensched_fail(err, code, "cannot ask Xen about domain %u: %s",
                             d->nodes.domid, strerror(code));
    if (a->nr_cpus > nr)
        return xensched_fail(err, EPROTO, "domain %u advertises logs of %u "
                             "CPUs, and has %u", d->nodes.domid, a->nr_cpus,
                             nr);

    return 0;
}

/* From an answer to the first mapped page. */
static int begin_mapping(struct xensched_area *area,
                         const struct node_answer *a,
                         struct xensched_error *err)
{
    struct producer *d = domain_of(area);
    struct xen_schedlog_file *files;
    int rc = check_cpus(d, a, err);

    if (rc)
        return rc;
    area->info = (struct xensched_area_info){
        .abi_version = a->version,
        .nr_cpus = a->nr_cpus,
        .nr_acct = a->nr_acct,
        .nr_files = d->wanted.nr_files,
        .events_built = a->events_built,
        .events_enabled = a->events,
        .tsc_khz = a->tsc_khz,
    };
    /* Finding frames needs the sizes, and mapping the routes needs frames. */
    files = calloc(area->info.nr_files, sizeof(*files));
    area->files = files;
    if (!files)
        return xensched_fail(err, ENOMEM, "out of memory");
    if (domain_files(area, files))
        return fail_nonsense(d, err, "log buffers of impossible sizes");
    rc = directory_read(&d->directory, area, a, err);
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
    directory_forget(&d->directory);
    d->phase = MAPPED;

    return XENSCHED_MAPPED;
}

/* Reads and checks an answer.  Returns 1 if there is one. */
static int read_answer(struct producer *d, struct node_answer *a,
                       struct xensched_error *err)
{
    int code = nodes_read_answer(&d->nodes, a), rc;

    if (code)
        return xensched_fail(err, code, "cannot read what domain %u "
                             "advertises: %s", d->nodes.domid, strerror(code));
    rc = check_answer(d, a, err);

    return rc ? rc : a->any;
}

static int poll_former(struct producer *d, struct xensched_error *err)
{
    int code = 0;

    if (!nodes_answered(&d->nodes))
        code = send_request(d);

    return code ? xensched_fail(err, code, "cannot ask domain %u: %s",
                                d->nodes.domid, strerror(code))
                : XENSCHED_NO_ANSWER;
}

static const struct area_ops domain_ops;

/* Does the next step of mapping an area. */
static int map_part(struct xensched_area *area, struct xensched_error *err)
{
    struct producer *d = domain_of(area);
    struct node_answer a;
    int rc;

    switch (d->phase) {
    case LEAVING:
        return poll_former(d, err);
    case ASKED:
        if (!nodes_said_anything(&d->nodes))
            return XENSCHED_NO_ANSWER;
        rc = read_answer(d, &a, err);
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

int xensched_area_poll(struct xensched_area *area, struct xensched_error *err)
{
    struct producer *d = domain_of(area);
    struct xensched_error why;
    int rc;

    if (area->ops != &domain_ops)
        return XENSCHED_MAPPED;
    d->directory.foreign = NO_FRAME;
    rc = map_part(area, err);
    if (rc != -EPERM || d->directory.foreign == NO_FRAME || !err)
        return rc;
    why = *err;

    return xensched_fail(err, EPERM, "%s: frame %#llx is no memory of domain "
                         "%u's own", why.text,
                         (unsigned long long)d->directory.foreign,
                         d->nodes.domid);
}

/* For a mapped area. */

static int domain_info(struct xensched_area *area,
                       struct xensched_area_info *info,
                       struct xensched_error *err)
{
    struct producer *d = domain_of(area);
    struct node_answer a;
    int rc = read_answer(d, &a, err);

    if (rc < 0)
        return rc;
    /* The domain has released the area, or has another one now. */
    if (!rc || strcmp(a.directory, d->directory.text) ||
        a.nr_cpus != area->info.nr_cpus)
        *info = (struct xensched_area_info){ .abi_version = a.version };
    else
        *info = area->info;
    info->events_built = a.events_built;
    info->events_enabled = a.events;

    return 0;
}

/* For a reader; the holder of the log learns it from the toolstack. */
static int domain_check(struct xensched_area *area, struct xensched_error *err)
{
    struct producer *d = domain_of(area);
    uint32_t nr;

    if (domain_vcpus(d->directory.xch, d->nodes.domid, &nr) == ESRCH)
        return xensched_fail(err, ESRCH, "domain %u is gone", d->nodes.domid);
    if (!nodes_is_directory(&d->nodes, d->directory.text))
        return xensched_fail(err, ENODATA, "domain %u has given its log up",
                             d->nodes.domid);

    return 0;
}

static int domain_map(struct xensched_area *area, enum region region,
                      uint32_t cpu, size_t bytes, int prot, struct mapping *m)
{
    (void)bytes;

    return directory_map(&domain_of(area)->directory, area, region, cpu, prot,
                         m);
}

static void domain_unmap(struct xensched_area *area, struct mapping *m)
{
    directory_unmap(&domain_of(area)->directory, m);
}

static int domain_events(struct xensched_area *area, uint32_t mask,
                         uint32_t lease_ms)
{
    struct producer *d = domain_of(area);

    return nodes_request(&d->nodes, &d->wanted, mask, lease_ms);
}

static int domain_release(struct xensched_area *area)
{
    return nodes_remove_request(&domain_of(area)->nodes);
}

static void domain_close(struct xensched_area *area)
{
    struct producer *d = domain_of(area);

    if (!d)
        return;
    directory_forget(&d->directory);
    if (d->nodes.xs)
        xs_close(d->nodes.xs);
    if (d->directory.fmem)
        xenforeignmemory_close(d->directory.fmem);
    if (d->directory.xch)
        xc_interface_close(d->directory.xch);
    xtl_logger_destroy(d->log);
    free(d);
}

static const struct area_ops domain_ops = {
    .close = domain_close,
    .failed = domain_failed,
    .info = domain_info,
    .check = domain_check,
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
    if (area_check_pages(err))
        return -EOPNOTSUPP;
    errno = 0;
    d->directory.fmem = xenforeignmemory_open(d->log, 0);
    if (!d->directory.fmem)
        return xensched_fail(err, errno, "cannot open /dev/xen/privcmd: %s "
                             "(is this dom0, and root?)", strerror(errno));
    d->directory.xch = xc_interface_open(d->log, d->log, 0);
    if (!d->directory.xch)
        return xensched_fail(err, errno, "cannot open /dev/xen/privcmd: %s "
                             "(is this dom0, and root?)", strerror(errno));
    d->nodes.xs = xensched_xenstore_open(err);

    return d->nodes.xs ? 0 : err->code;
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
    d->nodes.domid = d->directory.domid = domid;
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
    code = end < NODE_TEXT ? send_request(d) : EINVAL;
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

/* The existing request determines what has to be there. */
static int attach_producer(struct xensched_area *area, struct xensched_error *err)
{
    struct producer *d = domain_of(area);
    int rc = XENSCHED_NO_ANSWER;

    if (nodes_read_request(&d->nodes, &d->wanted))
        do {
            rc = xensched_area_poll(area, err);
        } while (rc == XENSCHED_PART);
    if (rc == XENSCHED_NO_ANSWER)
        rc = xensched_fail(err, ENODATA, "nothing is logged in domain %u: "
                           "xenschedd has to be running, and to ask it",
                           d->nodes.domid);

    return rc < 0 ? rc : 0;
}

int xensched_area_attach_domain(uint32_t domid, struct xensched_area **area,
                                struct xensched_error *err)
{
    struct xensched_area *a;
    int rc = open_domain(domid, &a, err);

    return rc ? rc : area_hand_out(a, attach_producer(a, err), area);
}
