/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The hypervisor's log area, and operations that only the hypervisor has.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xenctrl.h>
#include <xenforeignmemory.h>

#include "area-parts.h"
#include "hypercall.h"

struct hypervisor {
    xentoollog_logger *log;
    xc_interface *xch;
    xenforeignmemory_handle *fmem;
};

static struct hypervisor *xen_of(const struct xensched_area *area)
{
    return area->place;
}

/* Returns the error of a failed call of libxc. */
static int code_of(int rc)
{
    return rc >= 0 ? 0 : errno ? errno : EIO;
}

static int xen_failed(struct xensched_error *err, int code, const char *what)
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
                             "allows; boot it with a larger schedlog_max=",
                             what);
    default:
        return xensched_fail(err, code, "%s: %s", what, strerror(code));
    }
}

static int no_xen(struct xensched_error *err, int code)
{
    if (code == ENOENT || code == ENXIO || code == ENODEV)
        return xensched_fail(err, ENOENT, "no Xen here: /dev/xen/privcmd is "
                             "missing (not booted on Xen, or the module "
                             "xen-privcmd is not loaded)");

    return xen_failed(err, code ? code : EIO,
                      "cannot open /dev/xen/privcmd");
}

static void close_xen(struct xensched_area *area)
{
    struct hypervisor *xen = xen_of(area);

    if (!xen)
        return;
    if (xen->fmem)
        xenforeignmemory_close(xen->fmem);
    if (xen->xch)
        xc_interface_close(xen->xch);
    xtl_logger_destroy(xen->log);
    free(xen);
}

static int xen_info(struct xensched_area *area,
                    struct xensched_area_info *info,
                    struct xensched_error *err)
{
    struct xen_sysctl_schedlog_info xi = { 0 };
    int rc;

    if (hypercall_info(xen_of(area)->xch, &xi))
        return xen_failed(err, errno, "asking Xen for its schedlog");

    rc = area_check_version(xi.abi_version, "the hypervisor", err);
    if (rc)
        return rc;

    *info = (struct xensched_area_info){
        .abi_version = xi.abi_version,
        .nr_cpus = xi.nr_cpus,
        .nr_acct = xi.nr_acct,
        .nr_files = xi.nr_files,
        .events_built = xi.events_built,
        .events_enabled = xi.events_enabled,
        .nr_sites = xi.nr_sites,
        .nr_lost_sites = xi.nr_lost_sites,
        .tsc_khz = xi.tsc_khz,
        .max_bytes = xi.max_bytes,
        .used_bytes = xi.used_bytes,
        .lease_ms = xi.lease_ms,
        .lease_left_ms = xi.lease_left_ms,
        .nr_pmcs = xi.nr_pmcs,
        .doorbell = xi.doorbell_virq,
    };

    return 0;
}

static int xen_setup(struct xensched_area *area,
                     const struct xensched_geometry *g)
{
    return code_of(hypercall_setup(xen_of(area)->xch, g->nr_acct,
                                   g->nr_files, g->sizes,
                                   &area->need_bytes));
}

static int xen_files(struct xensched_area *area,
                     struct xen_schedlog_file *files)
{
    uint32_t nr = area->info.nr_files, have = 0;

    while (have < nr) {
        int got = hypercall_files(xen_of(area)->xch, have, nr - have,
                                  files + have);

        if (got <= 0)
            return got ? code_of(got) : EIO;
        have += got;
    }

    return 0;
}

/* Gets all frames of a region, by several hypercalls. */
static int get_frames(struct xensched_area *area, uint32_t region,
                      uint32_t cpu, xen_pfn_t *frames, size_t nr)
{
    uint64_t part[256];
    size_t have = 0, i;

    while (have < nr) {
        uint32_t want = nr - have < 256 ? nr - have : 256;
        int got = hypercall_frames(xen_of(area)->xch, region, cpu, have,
                                   want, part);

        if (got <= 0)
            return got ? code_of(got) : ENXIO;
        for (i = 0; i < (size_t)got; i++)
            frames[have + i] = part[i];
        have += got;
    }

    return 0;
}

static int xen_map(struct xensched_area *area, enum region region,
                   uint32_t cpu, size_t bytes, int prot, struct mapping *m)
{
    static const uint32_t regions[] = {
        [REGION_GLOBAL] = XEN_SCHEDLOG_REGION_GLOBAL,
        [REGION_CONTROL] = XEN_SCHEDLOG_REGION_CONTROL,
        [REGION_STATE] = XEN_SCHEDLOG_REGION_STATE,
        [REGION_DATA] = XEN_SCHEDLOG_REGION_DATA,
    };
    size_t pages = (bytes + XC_PAGE_SIZE - 1) >> XC_PAGE_SHIFT;
    xen_pfn_t *frames = calloc(pages, sizeof(*frames));
    int code;

    if (!frames)
        return ENOMEM;
    code = get_frames(area, regions[region], cpu, frames, pages);
    if (code)
        goto out;
    errno = 0;
    m->base = xenforeignmemory_map(xen_of(area)->fmem, DOMID_XEN, prot, pages,
                                   frames, NULL);
    if (!m->base)
        code = code_of(-1);
    m->pages = pages;

out:
    free(frames);
    return code;
}

static void xen_unmap(struct xensched_area *area, struct mapping *m)
{
    xenforeignmemory_unmap(xen_of(area)->fmem, m->base, m->pages);
}

static int xen_events(struct xensched_area *area, uint32_t mask,
                      uint32_t lease_ms)
{
    return code_of(hypercall_events(xen_of(area)->xch, mask, lease_ms,
                                    area->cookie));
}

static int xen_release(struct xensched_area *area)
{
    return code_of(hypercall_release(xen_of(area)->xch, area->cookie));
}

static const struct area_ops hypervisor_ops = {
    .close = close_xen,
    .failed = xen_failed,
    .info = xen_info,
    .setup = xen_setup,
    .files = xen_files,
    .map = xen_map,
    .unmap = xen_unmap,
    .events = xen_events,
    .release = xen_release,
};

/* Opens handles on Xen.  Libxc's logger is off, because this library reports errors. */
static int open_xen(struct xensched_area **area, struct xensched_error *err)
{
    struct xensched_area *a = area_new(&hypervisor_ops, err);
    struct hypervisor *xen;
    int rc = 0;

    if (!a)
        return -ENOMEM;
    a->place = xen = calloc(1, sizeof(*xen));
    if (xen)
        xen->log = (xentoollog_logger *)
            xtl_createlogger_stdiostream(stderr, XTL_CRITICAL, 0);
    if (!xen || !xen->log) {
        rc = xensched_fail(err, ENOMEM, "out of memory");
    } else if (!(rc = area_check_pages(err))) {
        errno = 0;
        xen->xch = xc_interface_open(xen->log, xen->log, 0);
        if (xen->xch)
            xen->fmem = xenforeignmemory_open(xen->log, 0);
        if (!xen->fmem)
            rc = no_xen(err, errno);
    }

    return area_hand_out(a, rc, area);
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

int xensched_area_attach(struct xensched_area **area,
                         struct xensched_error *err)
{
    struct xensched_area *a;
    int rc = open_xen(&a, err);

    return rc ? rc : area_hand_out(a, area_attach(a, err), area);
}

int xensched_area_setup(const struct xensched_geometry *geometry,
                        bool replace, uint64_t cookie,
                        struct xensched_area **area,
                        struct xensched_error *err)
{
    struct xensched_area *a;
    int rc = open_xen(&a, err);

    if (rc)
        return rc;
    a->cookie = cookie;

    return area_hand_out(a, area_setup(a, geometry, replace, err), area);
}

/* The cookie for operations that need no area. */
static uint64_t shown_cookie;

void xensched_show_cookie(uint64_t cookie)
{
    shown_cookie = cookie;
}

uint64_t area_shown_cookie(void)
{
    return shown_cookie;
}

int xensched_allow_marks(uint32_t domid, bool allow,
                         struct xensched_error *err)
{
    struct xensched_area *area;
    int rc;

    rc = open_xen(&area, err);
    if (rc)
        return rc;
    if (hypercall_mark(xen_of(area)->xch, domid, allow, shown_cookie)) {
        rc = errno;
        rc = rc == ESRCH
             ? xensched_fail(err, ESRCH, "there is no domain %u", domid)
             : rc == EEXIST ? area_held(area, err)
                            : xen_failed(err, rc, "allowing marks");
    }
    xensched_area_close(area);

    return rc;
}

struct counting {
    unsigned int nr;
    const uint64_t *select;
};

static int call_pmc(struct xensched_area *area, const void *arg)
{
    const struct counting *c = arg;

    return code_of(hypercall_pmc(xen_of(area)->xch, area->cookie, c->nr,
                                 c->select));
}

/* Fails for other areas: only the hypervisor has counters and accounting domains. */
static int is_hypervisors(struct xensched_area *area,
                          struct xensched_error *err)
{
    if (area->ops == &hypervisor_ops)
        return 0;

    return xensched_fail(err, EOPNOTSUPP, "only the hypervisor's log has "
                         "this");
}

int xensched_area_pmc(struct xensched_area *area, unsigned int nr,
                      const uint64_t *select, struct xensched_error *err)
{
    const struct counting c = { nr, select };
    int code, rc = is_hypervisors(area, err);

    if (rc)
        return rc;
    code = area_while_busy(area, call_pmc, &c);
    switch (code) {
    case 0:
        return 0;
    case EEXIST:
        return area_held(area, err);
    case ENODEV:
        return xensched_fail(err, code, "this machine has no performance "
                             "counters which Xen can use");
    case EBUSY:
        return xensched_fail(err, code, "the performance counters are in use: "
                             "turn the events pmc0 to pmc3 off; and boot Xen "
                             "without vpmu and watchdog");
    case EINVAL:
        return xensched_fail(err, code, "Xen does not take these %u event "
                             "selects: it has %u performance counters, or a "
                             "bit is set which may not be", nr,
                             area->info.nr_pmcs);
    default:
        return xen_failed(err, code, "choosing what is counted");
    }
}

int xensched_area_bind(struct xensched_area *area, uint32_t domid,
                       uint16_t acct, struct xensched_error *err)
{
    int rc = is_hypervisors(area, err);

    if (rc)
        return rc;
    if (hypercall_bind(xen_of(area)->xch, domid,
                       XEN_DOMCTL_SCHEDLOG_ALL_VCPUS, acct, area->cookie))
        return xensched_fail(err, errno, "cannot bind domain %u to accounting "
                             "domain %u: %s", domid, acct, strerror(errno));

    return 0;
}
