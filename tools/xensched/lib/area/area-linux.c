/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The log area of the Linux on which the caller runs: /dev/xensched-log of the module xensched_log.
 * Its operations are the same as the hypervisor's.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <uapi/xensched_log.h>

#include "area-parts.h"

struct device {
    int fd;
};

static int fd_of(const struct xensched_area *area)
{
    const struct device *device = area->place;

    return device->fd;
}

static int device_failed(struct xensched_error *err, int code,
                         const char *what)
{
    switch (code) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
        return xensched_fail(err, ENOENT, "%s: there is no " AREA_LINUX_DEVICE "; load "
                             "the module xensched_log", what);
    case EPERM:
    case EACCES:
        return xensched_fail(err, code, "%s: not allowed; this has to be run "
                             "by root", what);
    case EOPNOTSUPP:
        return xensched_fail(err, code, "%s: no module that is loaded has "
                             "sites of all these events", what);
    case E2BIG:
        return xensched_fail(err, code, "%s: more memory than the module "
                             "allows; give it a larger max_mib", what);
    case ETIMEDOUT:
        return xensched_fail(err, code, "%s: the module asked xenstore for the "
                             "accounting domains and got no answer; is "
                             "xenstored running?", what);
    default:
        return xensched_fail(err, code, "%s of " AREA_LINUX_DEVICE ": %s", what,
                             strerror(code));
    }
}

static void device_close(struct xensched_area *area)
{
    if (!area->place)
        return;
    close(fd_of(area));
    free(area->place);
}

static int call_device(struct xensched_area *area, unsigned long request,
                       void *argument)
{
    if (!ioctl(fd_of(area), request, argument))
        return 0;

    return errno ? errno : EIO;
}

static int device_info(struct xensched_area *area,
                       struct xensched_area_info *info,
                       struct xensched_error *err)
{
    struct xensched_log_info li = { 0 };
    int code = call_device(area, XENSCHED_LOG_INFO, &li), rc;

    if (code)
        return device_failed(err, code, "asking for the log");
    rc = area_check_version(li.abi_version, "the module xensched_log", err);
    if (rc)
        return rc;

    *info = (struct xensched_area_info){
        .abi_version = li.abi_version,
        .nr_cpus = li.nr_cpus,
        .nr_acct = li.nr_acct,
        .nr_files = li.nr_files,
        .events_built = li.events_built,
        .events_enabled = li.events_enabled,
        .nr_sites = li.nr_sites,
        .tsc_khz = li.tsc_khz,
        .max_bytes = li.max_bytes,
        .used_bytes = li.used_bytes,
        .lease_ms = li.lease_ms,
        .lease_left_ms = li.lease_left_ms,
        .nr_pmcs = li.nr_pmcs,
        .doorbell = li.doorbell,
    };

    return 0;
}

static int device_setup(struct xensched_area *area,
                        const struct xensched_geometry *g)
{
    struct xensched_log_setup setup = {
        .nr_acct = g->nr_acct,
        .nr_files = g->nr_files,
        .sizes = (uintptr_t)g->sizes,
    };

    return call_device(area, XENSCHED_LOG_SETUP, &setup);
}

static int device_files(struct xensched_area *area,
                        struct xen_schedlog_file *files)
{
    uint32_t nr = area->info.nr_files, have = 0;

    while (have < nr) {
        struct xensched_log_files op = {
            .first = have,
            .nr = nr - have,
            .files = (uintptr_t)(files + have),
        };
        int code = call_device(area, XENSCHED_LOG_FILES, &op);

        if (code || !op.nr)
            return code ? code : EIO;
        have += op.nr;
    }

    return 0;
}

static int device_map(struct xensched_area *area, enum region region,
                      uint32_t cpu, size_t bytes, int prot, struct mapping *m)
{
    size_t page = sysconf(_SC_PAGESIZE);
    void *base;

    m->pages = (bytes + page - 1) / page;
    base = mmap(NULL, m->pages * page, prot, MAP_SHARED, fd_of(area),
                XENSCHED_LOG_OFFSET(region, cpu));
    if (base == MAP_FAILED)
        return errno ? errno : EIO;
    m->base = base;

    return 0;
}

static void device_unmap(struct xensched_area *area, struct mapping *m)
{
    (void)area;
    munmap(m->base, m->pages * sysconf(_SC_PAGESIZE));
}

static int device_events(struct xensched_area *area, uint32_t mask,
                         uint32_t lease_ms)
{
    struct xensched_log_events op = {
        .events = mask,
        .lease_ms = lease_ms,
        .cookie = area->cookie,
    };

    return call_device(area, XENSCHED_LOG_EVENTS, &op);
}

static int device_release(struct xensched_area *area)
{
    struct xensched_log_release op = { .cookie = area->cookie };

    return call_device(area, XENSCHED_LOG_RELEASE, &op);
}

static const struct area_ops device_ops = {
    .close = device_close,
    .failed = device_failed,
    .info = device_info,
    .setup = device_setup,
    .files = device_files,
    .map = device_map,
    .unmap = device_unmap,
    .events = device_events,
    .release = device_release,
};

static int open_device(struct xensched_area **area, struct xensched_error *err)
{
    struct xensched_area *a = area_new(&device_ops, err);
    struct device *device;
    int rc = 0;

    if (!a)
        return -ENOMEM;
    device = calloc(1, sizeof(*device));
    if (!device) {
        rc = xensched_fail(err, ENOMEM, "out of memory");
        return area_hand_out(a, rc, area);
    }
    device->fd = open(AREA_LINUX_DEVICE, O_RDWR | O_CLOEXEC);
    if (device->fd >= 0) {
        a->place = device;
    } else {
        rc = device_failed(err, errno, "opening the log");
        free(device);
    }

    return area_hand_out(a, rc, area);
}

int xensched_area_attach_linux(struct xensched_area **area,
                               struct xensched_error *err)
{
    struct xensched_area *a;
    int rc = open_device(&a, err);

    return rc ? rc : area_hand_out(a, area_attach(a, err), area);
}

int xensched_area_setup_linux(const struct xensched_geometry *geometry,
                              bool replace, uint64_t cookie,
                              struct xensched_area **area,
                              struct xensched_error *err)
{
    struct xensched_area *a;
    int rc = open_device(&a, err);

    if (rc)
        return rc;
    a->cookie = cookie;

    return area_hand_out(a, area_setup(a, geometry, replace, err), area);
}
