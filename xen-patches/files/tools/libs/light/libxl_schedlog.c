/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libxl_schedlog.c
 *
 * Shows an operator the log of scheduling facts: the events that Xen has and
 * those that are on, and the accounting domains to which they are charged; log
 * buffers are in libxl_schedlog_files.c.  Schedulers read rows, with libxenctrl
 * and xen/schedlog.h.
 *
 * While a lease runs, only its holder can change the log: see
 * XEN_SYSCTL_SCHEDLOG_events.  The caller of these functions never is the
 * holder, so they fail then.
 */

#include "libxl_osdeps.h"

#include "libxl_internal.h"
#include "libxl_schedlog.h"

static const struct {
    const char *name, *kind;
} events[LIBXL_SCHEDLOG_NR_EVENTS] = {
#define EVENT(NAME, name, kind) [XEN_SCHEDLOG_EV_##NAME] = { name, #kind },
    XEN_SCHEDLOG_EVENTS(EVENT)
#undef EVENT
};

const char *libxl_schedlog_event_name(unsigned int event)
{
    return event < LIBXL_SCHEDLOG_NR_EVENTS ? events[event].name : NULL;
}

const char *libxl_schedlog_event_kind(unsigned int event)
{
    return event < LIBXL_SCHEDLOG_NR_EVENTS ? events[event].kind : NULL;
}

int libxl_schedlog_event_from_name(const char *name, unsigned int *event)
{
    unsigned int i;

    for (i = 0; i < LIBXL_SCHEDLOG_NR_EVENTS; i++) {
        if (events[i].name && !strcmp(events[i].name, name)) {
            *event = i;
            return 0;
        }
    }

    return ERROR_INVAL;
}

int libxl__schedlog_failed(libxl__gc *gc, const char *what)
{
    switch (errno) {
    case ENOSYS:
    case EOPNOTSUPP:
        LOGE(ERROR, "%s: this hypervisor does not support it", what);
        return ERROR_NI;
    case EEXIST:
        LOG(ERROR, "%s: a scheduler holds the log", what);
        return ERROR_LOCK_FAIL;
    case EBUSY:
        LOGE(ERROR, "%s: there is another log, or pCPUs come or go", what);
        return ERROR_NOT_READY;
    case ENOENT:
    case ENODEV:
        LOG(ERROR, "%s: no log is set up", what);
        return ERROR_NOTFOUND;
    case EINVAL:
    case E2BIG:
        LOGE(ERROR, "%s", what);
        return ERROR_INVAL;
    case ESRCH:
        LOG(ERROR, "%s: no such domain", what);
        return ERROR_DOMAIN_NOTFOUND;
    default:
        LOGE(ERROR, "%s", what);
        return ERROR_FAIL;
    }
}

int libxl__schedlog_info(libxl__gc *gc, xc_schedlog_info_t *info)
{
    if (xc_schedlog_info(CTX->xch, info))
        return libxl__schedlog_failed(gc, "asking Xen for its schedlog");

    if (info->abi_version != XEN_SCHEDLOG_ABI_VERSION) {
        LOG(ERROR, "the hypervisor's schedlog has ABI version %u, not %u",
            info->abi_version, XEN_SCHEDLOG_ABI_VERSION);
        return ERROR_VERSION;
    }

    return 0;
}

static int get_sizes(libxl__gc *gc, libxl_schedlog_info *info, uint32_t nr)
{
    xen_schedlog_file_t *files;
    uint32_t have, i;
    int got;

    GCNEW_ARRAY(files, nr);
    for (have = 0; have < nr; have += got) {
        got = xc_schedlog_files(CTX->xch, have, nr - have, files + have);
        if (got <= 0)
            return libxl__schedlog_failed(gc, "asking Xen for its log buffers");
    }

    info->sizes = libxl__calloc(NOGC, nr, sizeof(*info->sizes));
    info->num_sizes = nr;
    for (i = 0; i < nr; i++)
        info->sizes[i] = files[i].size;

    return 0;
}

int libxl_schedlog_get_info(libxl_ctx *ctx, libxl_schedlog_info *info)
{
    GC_INIT(ctx);
    xc_schedlog_info_t xi = {};
    int rc;

    rc = libxl__schedlog_info(gc, &xi);
    if (rc) goto out;

    info->nr_cpus = xi.nr_cpus;
    info->nr_acct = xi.nr_acct;
    info->events_built = xi.events_built;
    info->events_enabled = xi.events_enabled;
    info->nr_sites = xi.nr_sites;
    info->nr_pmcs = xi.nr_pmcs;
    info->max_bytes = xi.max_bytes;
    info->used_bytes = xi.used_bytes;
    info->lease_ms = xi.lease_ms;
    info->lease_left_ms = xi.lease_left_ms;
    rc = xi.nr_acct ? get_sizes(gc, info, xi.nr_files) : 0;

 out:
    GC_FREE;
    return rc;
}

int libxl_schedlog_release(libxl_ctx *ctx)
{
    GC_INIT(ctx);
    int rc = 0;

    if (xc_schedlog_release(ctx->xch, 0))
        rc = libxl__schedlog_failed(gc, "giving up the log");

    GC_FREE;
    return rc;
}

int libxl_schedlog_set_events(libxl_ctx *ctx, uint32_t mask)
{
    GC_INIT(ctx);
    int rc = 0;

    if (xc_schedlog_events(ctx->xch, mask, 0, 0))
        rc = libxl__schedlog_failed(gc, "switching events");

    GC_FREE;
    return rc;
}

int libxl_schedlog_bind(libxl_ctx *ctx, uint32_t domid, int vcpu,
                        uint32_t acct)
{
    GC_INIT(ctx);
    int rc = 0;

    if (acct >= XEN_SCHEDLOG_MAX_ACCT)
        rc = ERROR_INVAL;
    else if (xc_schedlog_bind(ctx->xch, domid,
                              vcpu < 0 ? XEN_DOMCTL_SCHEDLOG_ALL_VCPUS : vcpu,
                              acct, 0))
        rc = libxl__schedlog_failed(gc, "binding to an accounting domain");

    GC_FREE;
    return rc;
}

int libxl_schedlog_get_binding(libxl_ctx *ctx, uint32_t domid, int vcpu,
                               uint32_t *acct)
{
    GC_INIT(ctx);
    uint16_t bound;
    int rc = 0;

    if (xc_schedlog_binding(ctx->xch, domid, vcpu, &bound))
        rc = libxl__schedlog_failed(gc, "asking for the accounting domain");
    else
        *acct = bound;

    GC_FREE;
    return rc;
}

/*
 * Local variables:
 * mode: C
 * c-basic-offset: 4
 * indent-tabs-mode: nil
 * End:
 */
