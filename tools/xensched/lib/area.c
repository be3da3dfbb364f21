/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * area.c - make or find the hypervisor's log area, map it, give it up; see
 * xensched/area.h.
 *
 * Of what is in the mapped pages nothing is used here.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "area.h"

/* The hypervisor says EBUSY while pCPUs come or go: 50 times 10 ms. */
#define BUSY_TRIES 50
#define BUSY_PAUSE_US 10000

int xensched_xen_failed(struct xensched_error *err, int code, const char *what)
{
    switch (code) {
    case ENOSYS:
    case EOPNOTSUPP:
        return xensched_fail(err, code, "%s: this Xen has no schedlog; boot a "
                             "hypervisor which has the xensched patches and "
                             "was built with CONFIG_SCHEDLOG=y", what);
    case EPERM:
    case EACCES:
        return xensched_fail(err, code, "%s: not allowed; this has to be run "
                             "by root in dom0 (with XSM/FLASK, the policy "
                             "must allow schedlog)", what);
    case E2BIG:
        return xensched_fail(err, code, "%s: more memory than the hypervisor "
                             "allows; boot it with a larger schedlog_max= "
                             "than now (default 256M)", what);
    default:
        return xensched_fail(err, code, "%s: %s", what, strerror(code));
    }
}

int xensched_while_busy(struct xensched_area *area,
                        int (*hypercall)(struct xensched_area *area,
                                         const void *arg), const void *arg)
{
    unsigned int try;

    for (try = 0; try < BUSY_TRIES; try++) {
        if (!hypercall(area, arg))
            return 0;
        if (errno != EBUSY)
            return errno ? errno : EIO;
        usleep(BUSY_PAUSE_US);
    }

    return EBUSY;
}

int xensched_held(struct xensched_area *area, struct xensched_error *err)
{
    struct xensched_area_info info;
    int rc = xensched_area_info(area, &info, err);

    if (rc)
        return rc;

    return xensched_fail(err, EEXIST, "another scheduler holds the log (its "
                         "lease ends in %u ms unless renewed); stop it, or, "
                         "if it runs no more, try again when the lease has "
                         "ended", info.lease_left_ms);
}

static void unmap(struct xensched_area *area, struct mapping *m)
{
    if (m->base)
        xenforeignmemory_unmap(area->fmem, m->base, m->pages);
    m->base = NULL;
}

static void unmap_cpu(struct xensched_area *area, struct area_cpu *cpu)
{
    unmap(area, &cpu->control);
    unmap(area, &cpu->state);
    unmap(area, &cpu->data);
}

void xensched_area_close(struct xensched_area *area)
{
    uint32_t cpu;

    if (!area)
        return;
    for (cpu = 0; area->cpus && cpu < area->info.nr_cpus; cpu++)
        unmap_cpu(area, &area->cpus[cpu]);
    unmap(area, &area->global);
    free(area->cpus);
    free(area->files);
    free(area->lcr);
    if (area->fmem)
        xenforeignmemory_close(area->fmem);
    if (area->xch)
        xc_interface_close(area->xch);
    xtl_logger_destroy(area->log);
    free(area);
}

static int no_xen(struct xensched_error *err, int code)
{
    if (code == ENOENT || code == ENXIO || code == ENODEV)
        return xensched_fail(err, ENOENT, "no Xen here: /dev/xen/privcmd is "
                             "missing (not booted on Xen, or the module "
                             "xen-privcmd is not loaded)");

    return xensched_xen_failed(err, code ? code : EIO,
                               "cannot open /dev/xen/privcmd");
}

/* Handles on Xen; errors are ours to report, so libxc's logger is quiet. */
static int open_xen(struct xensched_area **area, struct xensched_error *err)
{
    struct xensched_area *a = calloc(1, sizeof(*a));
    int rc;

    if (!a)
        return xensched_fail(err, ENOMEM, "out of memory");
    a->log = (xentoollog_logger *)
        xtl_createlogger_stdiostream(stderr, XTL_CRITICAL, 0);
    if (!a->log) {
        rc = xensched_fail(err, ENOMEM, "out of memory");
        goto fail;
    }
    errno = 0;
    a->xch = xc_interface_open(a->log, a->log, 0);
    if (a->xch)
        a->fmem = xenforeignmemory_open(a->log, 0);
    if (!a->fmem) {
        rc = no_xen(err, errno);
        goto fail;
    }
    *area = a;

    return 0;

fail:
    xensched_area_close(a);
    return rc;
}

int xensched_area_info(struct xensched_area *area,
                       struct xensched_area_info *info,
                       struct xensched_error *err)
{
    xc_schedlog_info_t xi = { 0 };

    if (xc_schedlog_info(area->xch, &xi))
        return xensched_xen_failed(err, errno, "asking Xen for its schedlog");

    if (xi.abi_version != XEN_SCHEDLOG_ABI_VERSION)
        return xensched_fail(err, EPROTO, "the hypervisor has schedlog ABI "
                             "version %u, this program was built for version "
                             "%u: install tools and hypervisor from the same "
                             "build", xi.abi_version,
                             XEN_SCHEDLOG_ABI_VERSION);

    *info = (struct xensched_area_info){
        .abi_version = xi.abi_version,
        .nr_cpus = xi.nr_cpus,
        .nr_acct = xi.nr_acct,
        .nr_files = xi.nr_files,
        .events_built = xi.events_built,
        .events_enabled = xi.events_enabled,
        .nr_sites = xi.nr_sites,
        .tsc_khz = xi.tsc_khz,
        .max_bytes = xi.max_bytes,
        .used_bytes = xi.used_bytes,
        .lease_ms = xi.lease_ms,
        .lease_left_ms = xi.lease_left_ms,
        .nr_pmcs = xi.nr_pmcs,
    };

    return 0;
}

int xensched_area_ask(struct xensched_area_info *info,
                      struct xensched_error *err)
{
    struct xensched_area *area;
    int rc;

    rc = open_xen(&area, err);
    if (rc)
        return rc;
    rc = xensched_area_info(area, info, err);
    xensched_area_close(area);

    return rc;
}

int xensched_allow_marks(uint32_t domid, bool allow,
                         struct xensched_error *err)
{
    struct xensched_area *area;
    int rc;

    rc = open_xen(&area, err);
    if (rc)
        return rc;
    if (xc_schedlog_mark(area->xch, domid, allow))
        rc = errno == ESRCH
             ? xensched_fail(err, ESRCH, "there is no domain %u", domid)
             : xensched_xen_failed(err, errno, "allowing marks");
    xensched_area_close(area);

    return rc;
}

/* The frames of a region, as xc_schedlog_frames() but all of them. */
static int get_frames(struct xensched_area *area, uint32_t region,
                      uint32_t cpu, xen_pfn_t *frames, size_t nr)
{
    uint64_t part[256];
    size_t have = 0, i;

    while (have < nr) {
        uint32_t want = nr - have < 256 ? nr - have : 256;
        int got = xc_schedlog_frames(area->xch, region, cpu, have, want, part);

        if (got < 0)
            return -errno;
        if (!got)
            return -ENXIO;
        for (i = 0; i < (size_t)got; i++)
            frames[have + i] = part[i];
        have += got;
    }

    return 0;
}

static int map(struct xensched_area *area, uint32_t region, uint32_t cpu,
               size_t bytes, int prot, struct mapping *m)
{
    size_t pages = (bytes + XC_PAGE_SIZE - 1) >> XC_PAGE_SHIFT;
    xen_pfn_t *frames = calloc(pages, sizeof(*frames));
    int rc;

    if (!frames)
        return -ENOMEM;
    rc = get_frames(area, region, cpu, frames, pages);
    if (rc)
        goto out;
    m->base = xenforeignmemory_map(area->fmem, DOMID_XEN, prot, pages, frames,
                                   NULL);
    if (!m->base)
        rc = errno ? -errno : -EIO;
    m->pages = pages;

out:
    free(frames);
    return rc;
}

static int control_prot(const struct xensched_area *area)
{
    return area->writable ? PROT_READ | PROT_WRITE : PROT_READ;
}

static size_t data_bytes(const struct xensched_area *area)
{
    size_t end = 0;
    uint32_t i;

    for (i = 0; i < area->info.nr_files; i++) {
        size_t file_end = (size_t)area->files[i].offset + area->files[i].size;

        if (file_end > end)
            end = file_end;
    }

    return end;
}

/* -ENODEV: this pCPU id has no log, which is fine. */
static int map_cpu(struct xensched_area *area, uint32_t cpu)
{
    struct area_cpu *c = &area->cpus[cpu];
    uint32_t nr_files = area->info.nr_files;
    int rc;

    rc = map(area, XEN_SCHEDLOG_REGION_CONTROL, cpu,
             nr_files * sizeof(uint32_t), control_prot(area), &c->control);
    if (!rc)
        rc = map(area, XEN_SCHEDLOG_REGION_STATE, cpu,
                 nr_files * sizeof(struct xen_schedlog_state), PROT_READ,
                 &c->state);
    if (!rc)
        rc = map(area, XEN_SCHEDLOG_REGION_DATA, cpu, data_bytes(area),
                 PROT_READ, &c->data);
    if (rc)
        unmap_cpu(area, c);

    return rc;
}

/* Map the pCPUs which are not mapped yet.  Returns how many. */
static int map_cpus(struct xensched_area *area, struct xensched_error *err)
{
    uint32_t cpu;
    int rc, mapped = 0;

    for (cpu = 0; cpu < area->info.nr_cpus; cpu++) {
        if (area->cpus[cpu].data.base)
            continue;
        rc = map_cpu(area, cpu);
        if (rc && rc != -ENODEV)
            return xensched_fail(err, -rc, "cannot map the log of pCPU %u: %s",
                                 cpu, strerror(-rc));
        mapped += !rc;
    }

    return mapped;
}

static int get_files(struct xensched_area *area, struct xensched_error *err)
{
    uint32_t nr = area->info.nr_files, have = 0;

    area->files = calloc(nr, sizeof(*area->files));
    if (!area->files)
        return xensched_fail(err, ENOMEM, "out of memory");
    while (have < nr) {
        int got = xc_schedlog_files(area->xch, have, nr - have,
                                    area->files + have);

        if (got <= 0)
            return xensched_xen_failed(err, got ? errno : EIO,
                                       "asking Xen for its log files");
        have += got;
    }

    return 0;
}

static int map_area(struct xensched_area *area, struct xensched_error *err)
{
    size_t bytes = XEN_SCHEDLOG_ROUTES_OFFSET +
                   (size_t)area->info.nr_acct * XEN_SCHEDLOG_NR_EVENTS *
                   sizeof(uint64_t);
    int rc;

    rc = get_files(area, err);
    if (rc)
        return rc;
    rc = map(area, XEN_SCHEDLOG_REGION_GLOBAL, 0, bytes, control_prot(area),
             &area->global);
    if (rc)
        return xensched_fail(err, -rc, "cannot map the routes: %s",
                             strerror(-rc));

    area->cpus = calloc(area->info.nr_cpus, sizeof(*area->cpus));
    area->lcr = calloc(area->info.nr_files, sizeof(*area->lcr));
    if (!area->cpus || !area->lcr)
        return xensched_fail(err, ENOMEM, "out of memory");
    rc = map_cpus(area, err);

    return rc < 0 ? rc : 0;
}

/* Room for pCPU ids which weren't there before. */
static int grow(struct xensched_area *area, uint32_t nr_cpus,
                struct xensched_error *err)
{
    uint32_t had = area->info.nr_cpus;
    struct area_cpu *cpus;

    if (nr_cpus <= had)
        return 0;
    cpus = realloc(area->cpus, nr_cpus * sizeof(*cpus));
    if (!cpus)
        return xensched_fail(err, ENOMEM, "out of memory");
    memset(cpus + had, 0, (nr_cpus - had) * sizeof(*cpus));
    area->cpus = cpus;
    area->info.nr_cpus = nr_cpus;

    return 0;
}

int xensched_area_refresh(struct xensched_area *area,
                          struct xensched_error *err)
{
    struct xensched_area_info info;
    uint32_t file;
    int rc;

    rc = xensched_area_info(area, &info, err);
    if (!rc)
        rc = grow(area, info.nr_cpus, err);
    if (!rc)
        rc = map_cpus(area, err);
    for (file = 0; rc > 0 && file < area->info.nr_files; file++)
        xensched_area_set_lcr(area, file, area->lcr[file]);

    return rc;
}

/* The end of opening one: it is the caller's, or closed if that failed. */
static int hand_out(struct xensched_area *a, int rc,
                    struct xensched_area **area)
{
    if (rc)
        xensched_area_close(a);
    else
        *area = a;

    return rc;
}

int xensched_area_attach(struct xensched_area **area,
                         struct xensched_error *err)
{
    struct xensched_area *a;
    int rc;

    rc = open_xen(&a, err);
    if (rc)
        return rc;
    rc = xensched_area_info(a, &a->info, err);
    if (!rc && !a->info.nr_cpus)
        rc = xensched_fail(err, ENODATA, "nothing is logged on this host: "
                           "start xenschedd first");
    if (!rc)
        rc = map_area(a, err);

    return hand_out(a, rc, area);
}

static bool has_geometry(struct xensched_area *area,
                         const struct xensched_geometry *g)
{
    uint32_t i;
    bool same;

    if (area->info.nr_acct != g->nr_acct || area->info.nr_files != g->nr_files)
        return false;
    same = !get_files(area, NULL);
    for (i = 0; same && i < g->nr_files; i++)
        same = area->files[i].size == g->sizes[i];
    free(area->files);
    area->files = NULL;

    return same;
}

static int other_geometry(struct xensched_area *area,
                          const struct xensched_geometry *g,
                          struct xensched_error *err)
{
    if (area->info.lease_ms)
        return xensched_held(area, err);

    return xensched_fail(err, EBUSY, "there is a schedlog area of another "
                         "geometry already (%u accounting domains and %u log "
                         "files per pCPU, not %u and %u of our sizes); end "
                         "the program which made it, or have it replaced with "
                         "xenschedd --replace-area", area->info.nr_acct,
                         area->info.nr_files, g->nr_acct, g->nr_files);
}

static int call_release(struct xensched_area *area, const void *arg)
{
    (void)arg;

    return xc_schedlog_release(area->xch, area->cookie);
}

static int release(struct xensched_area *area, struct xensched_error *err)
{
    int code = xensched_while_busy(area, call_release, NULL);

    if (code == EEXIST)
        return xensched_held(area, err);

    return code ? xensched_xen_failed(err, code,
                                      "giving up the schedlog area") : 0;
}

/* Make the area, or find that there is one which cannot be taken over. */
static int make(struct xensched_area *area, const struct xensched_geometry *g,
                bool replace, struct xensched_error *err)
{
    unsigned int try;
    int rc;

    for (try = 0; try < BUSY_TRIES; try++) {
        if (!xc_schedlog_setup(area->xch, g->nr_acct, g->nr_files, g->sizes))
            return 0;
        if (errno != EBUSY)
            return xensched_xen_failed(err, errno,
                                       "setting up the schedlog area");

        rc = xensched_area_info(area, &area->info, err);
        if (rc)
            return rc;
        if (area->info.nr_acct && !has_geometry(area, g)) {
            rc = replace ? release(area, err) : other_geometry(area, g, err);
            if (rc)
                return rc;
            continue;
        }
        usleep(BUSY_PAUSE_US);
    }

    return xensched_xen_failed(err, EBUSY, "setting up the schedlog area");
}

int xensched_area_setup(const struct xensched_geometry *geometry,
                        bool replace, uint64_t cookie,
                        struct xensched_area **area,
                        struct xensched_error *err)
{
    struct xensched_area *a;
    int rc;

    rc = open_xen(&a, err);
    if (rc)
        return rc;
    a->writable = true;
    a->cookie = cookie;
    /* Another ABI is found out before anything is changed. */
    rc = xensched_area_info(a, &a->info, err);
    if (!rc)
        rc = make(a, geometry, replace, err);
    if (!rc)
        rc = xensched_area_info(a, &a->info, err);
    if (!rc)
        rc = map_area(a, err);

    return hand_out(a, rc, area);
}

int xensched_area_release(struct xensched_area *area,
                          struct xensched_error *err)
{
    int rc = release(area, err);

    xensched_area_close(area);

    return rc;
}

uint32_t xensched_area_cpus(const struct xensched_area *area)
{
    return area->info.nr_cpus;
}

bool xensched_area_has_cpu(const struct xensched_area *area, uint32_t cpu)
{
    return cpu < area->info.nr_cpus && area->cpus[cpu].data.base;
}

uint32_t xensched_area_files(const struct xensched_area *area)
{
    return area->info.nr_files;
}

uint64_t xensched_area_tsc_khz(const struct xensched_area *area)
{
    return area->info.tsc_khz;
}

const struct xen_schedlog_state *
xensched_area_state(const struct xensched_area *area,
                    uint32_t cpu, uint32_t file)
{
    const struct xen_schedlog_state *states;

    if (!xensched_area_has_cpu(area, cpu) || file >= area->info.nr_files)
        return NULL;
    states = area->cpus[cpu].state.base;

    return states + file;
}

const void *xensched_area_data(const struct xensched_area *area,
                               uint32_t cpu, uint32_t file, uint32_t *size)
{
    const uint8_t *data;

    if (!xensched_area_has_cpu(area, cpu) || file >= area->info.nr_files)
        return NULL;
    data = area->cpus[cpu].data.base;
    *size = area->files[file].size;

    return data + area->files[file].offset;
}
