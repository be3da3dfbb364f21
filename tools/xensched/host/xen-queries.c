/* SPDX-License-Identifier: GPL-2.0-only */
/* Queries Xen for event channels, memory and waiting times, and sets credit2's soft_weight. */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenctrl.h>
#include <xenhypfs.h>
#include <xen/vcpu.h>

#include "base/alloc.h"
#include "xen-queries.h"

/* Event channels. */

unsigned int channels_xen_find(xc_interface *xch, uint32_t domid,
                               struct host_channel *channels, unsigned int nr)
{
    xc_evtchn_status_t status;
    unsigned int found = 0;
    uint32_t port;

    /* The first port that Xen does not know is the end. */
    for (port = 1; found < nr; port++) {
        status = (xc_evtchn_status_t){ .dom = domid, .port = port };
        if (xc_evtchn_status(xch, &status))
            break;
        if (status.status == EVTCHNSTAT_interdomain)
            channels[found++] = (struct host_channel){
                port, status.u.interdomain.dom, status.u.interdomain.port,
                status.vcpu
            };
    }

    return found;
}

/* Memory. */

#define TIMES 64

/* Reads all nodes that Xen reports, also those without pCPUs. */
static int get_slit(xc_interface *xch, struct distances *d,
                    struct xensched_error *err)
{
    unsigned int nr = 0, i, all;
    xc_meminfo_t *nodes;
    uint32_t *slit;
    int rc;

    if (xc_numainfo(xch, &nr, NULL, NULL))
        return xensched_fail(err, errno, "cannot ask Xen for its nodes: %s",
                             strerror(errno));
    all = nr * nr;
    nodes = need_memory(nr, sizeof(*nodes));
    slit = need_memory(all, sizeof(*slit));
    rc = xc_numainfo(xch, &nr, nodes, slit);
    distances_init(d, nr);
    for (i = 0; !rc && nr * nr == all && i < all; i++)
        d->slit[i] = slit[i] == XEN_INVALID_NODE_DIST ? 0 : slit[i];
    free(nodes);
    free(slit);

    return 0;
}

int memory_xen_describe(xc_interface *xch, struct distances *d,
                        uint64_t *frames, struct xensched_error *err)
{
    xc_physinfo_t info = { 0 };

    if (xc_physinfo(xch, &info))
        return xensched_fail(err, errno, "cannot ask Xen for its memory: %s",
                             strerror(errno));
    *frames = info.total_pages;

    return get_slit(xch, d, err);
}

/* Returns their number in @found, or -1. */
static int ask_owners(xc_interface *xch, uint64_t *at, uint32_t step,
                      xc_hypercall_buffer_t *found)
{
    DECLARE_HYPERCALL_BUFFER_ARGUMENT(found);
    struct xen_sysctl sysctl = {
        .cmd = XEN_SYSCTL_schedlog,
        .u.schedlog.cmd = XEN_SYSCTL_SCHEDLOG_owners,
        .u.schedlog.u.owners = { .at = *at, .step = step, .nr = HOST_OWNERS },
    };

    set_xen_guest_handle(sysctl.u.schedlog.u.owners.owners, found);
    if (xc_sysctl(xch, &sysctl))
        return -1;
    *at = sysctl.u.schedlog.u.owners.at;

    return sysctl.u.schedlog.u.owners.nr;
}

int memory_xen_owners(xc_interface *xch, uint64_t *at, uint32_t step,
                      struct host_owner *owners, struct xensched_error *err)
{
    DECLARE_HYPERCALL_BUFFER(uint32_t, found);
    int nr = -1, i;

    found = xc_hypercall_buffer_alloc(xch, found, HOST_OWNERS * sizeof(*found));
    if (found)
        nr = ask_owners(xch, at, step, HYPERCALL_BUFFER(found));
    if (nr < 0)
        nr = xensched_fail(err, errno, "cannot ask Xen on which nodes the "
                           "domains' memory is: %s", strerror(errno));
    for (i = 0; i < nr; i++)
        owners[i] = (struct host_owner){
            .domid = found[i] & XEN_SCHEDLOG_OWNER_DOMAIN_MASK,
            .node = found[i] >> XEN_SCHEDLOG_OWNER_NODE_SHIFT,
        };
    xc_hypercall_buffer_free(xch, found);

    return nr;
}

/* Times by RUNSTATE_*. */
struct spent {
    uint64_t ns[4];
};

static void fill_in_times(struct domain_vcpu *vcpu, const struct spent *spent)
{
    vcpu->times = (struct vcpu_times){
        .known = true,
        .ran_ns = spent->ns[RUNSTATE_running],
        .waited_ns = spent->ns[RUNSTATE_runnable],
        .offline_ns = spent->ns[RUNSTATE_offline],
        .all_ns = spent->ns[RUNSTATE_running] + spent->ns[RUNSTATE_runnable] +
                  spent->ns[RUNSTATE_blocked] + spent->ns[RUNSTATE_offline],
    };
}

/*
 * Reads times of vCPUs from @first on to @spent; returns their number; 0: Xen does not report them.
 */
static unsigned int ask_times(xc_interface *xch, uint32_t domid,
                              unsigned int first, xc_hypercall_buffer_t *spent)
{
    DECLARE_HYPERCALL_BUFFER_ARGUMENT(spent);
    struct xen_domctl domctl = {
        .cmd = XEN_DOMCTL_schedlog_times,
        .domain = domid,
        .u.schedlog_times = { .first = first, .nr = TIMES },
    };

    set_xen_guest_handle(domctl.u.schedlog_times.times, spent);

    return xc_domctl(xch, &domctl) ? 0 : domctl.u.schedlog_times.nr;
}

void memory_xen_times(xc_interface *xch, struct domain *d)
{
    DECLARE_HYPERCALL_BUFFER(struct spent, spent);
    unsigned int first = 0, nr, i;

    spent = xc_hypercall_buffer_alloc(xch, spent, TIMES * sizeof(*spent));
    if (!spent)
        return;
    while (first < d->nr_vcpus) {
        nr = ask_times(xch, d->domid, first, HYPERCALL_BUFFER(spent));
        if (!nr)
            break;
        for (i = 0; i < nr && first < d->nr_vcpus; i++)
            fill_in_times(&d->vcpus[first++], &spent[i]);
    }
    xc_hypercall_buffer_free(xch, spent);
}

/* Soft weight. */

#define POOLS "/cpupool"
#define WEIGHT "credit2-soft-weight"

static int fail_weight(struct xensched_error *err, const char *what)
{
    int code = errno ? errno : EIO;

    /* A Xen without hypfs does not have the hypercall. */
    if (code == ENOSYS || code == EOPNOTSUPP)
        code = ENOENT;

    return xensched_fail(err, code, "cannot %s Xen's " WEIGHT ": %s", what,
                         strerror(code));
}

static int read_pool(struct xenhypfs_handle *handle, const char *pool,
                     uint32_t *percent)
{
    char path[64], *text;

    snprintf(path, sizeof(path), POOLS "/%s/" WEIGHT, pool);
    text = xenhypfs_read(handle, path);
    if (!text)
        return -1;
    *percent = strtoul(text, NULL, 0);
    free(text);

    return 0;
}

static int write_pool(struct xenhypfs_handle *handle, const char *pool,
                      uint32_t percent)
{
    char path[64], text[16];

    snprintf(path, sizeof(path), POOLS "/%s/" WEIGHT, pool);
    snprintf(text, sizeof(text), "%" PRIu32, percent);

    return xenhypfs_write(handle, path, text);
}

int soft_weight_read(void *data, uint32_t *percent,
                     struct xensched_error *err)
{
    struct xenhypfs_handle *handle = xenhypfs_open(NULL, 0);
    int rc = 0;

    (void)data;
    if (!handle || read_pool(handle, "0", percent))
        rc = fail_weight(err, "read");
    xenhypfs_close(handle);

    return rc;
}

/* Pool 0 comes first.  A pool that ends meanwhile is no failure. */
static int write_pools(struct xenhypfs_handle *handle, uint32_t percent)
{
    struct xenhypfs_dirent *pools;
    unsigned int i, nr = 0;
    uint32_t before, now;

    if (read_pool(handle, "0", &before) || write_pool(handle, "0", percent))
        return -1;
    pools = xenhypfs_readdir(handle, POOLS, &nr);
    for (i = 0; pools && i < nr; i++)
        if (!read_pool(handle, pools[i].name, &now) && now == before)
            write_pool(handle, pools[i].name, percent);
    free(pools);

    return 0;
}

int soft_weight_write(void *data, uint32_t percent,
                      struct xensched_error *err)
{
    struct xenhypfs_handle *handle = xenhypfs_open(NULL, 0);
    int rc = 0;

    (void)data;
    if (!handle || write_pools(handle, percent))
        rc = fail_weight(err, "change");
    xenhypfs_close(handle);

    return rc;
}
