/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Creates or finds a log area, maps it and releases it.  It does not use the contents of the mapped
 * pages.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "area-parts.h"

struct xensched_area *area_new(const struct area_ops *ops,
                               struct xensched_error *err)
{
    struct xensched_area *area = calloc(1, sizeof(*area));

    if (area)
        area->ops = ops;
    else
        xensched_fail(err, ENOMEM, "out of memory");

    return area;
}

/* Size of Xen's pages in bytes. */
#define XEN_PAGE 4096

int area_check_pages(struct xensched_error *err)
{
    int bytes = getpagesize();

    if (bytes == XEN_PAGE)
        return 0;

    return xensched_fail(err, EOPNOTSUPP, "this Linux has pages of %d KiB, and logs "
                         "have pages of 4 KiB; boot a kernel with pages of 4 KiB",
                         bytes / 1024);
}

static void unmap_memory(struct xensched_area *area, struct mapping *m)
{
    if (m->base)
        area->ops->unmap(area, m);
    m->base = NULL;
}

static void unmap_cpu(struct xensched_area *area, struct area_cpu *cpu)
{
    unmap_memory(area, &cpu->control);
    unmap_memory(area, &cpu->state);
    unmap_memory(area, &cpu->data);
}

void area_unmap(struct xensched_area *area)
{
    uint32_t cpu;

    for (cpu = 0; area->cpus && cpu < area->info.nr_cpus; cpu++)
        unmap_cpu(area, &area->cpus[cpu]);
    unmap_memory(area, &area->global);
    free(area->cpus);
    free(area->files);
    free(area->lcr);
    area->cpus = NULL;
    area->files = NULL;
    area->lcr = NULL;
}

void xensched_area_close(struct xensched_area *area)
{
    if (!area)
        return;
    area_unmap(area);
    area->ops->close(area);
    free(area);
}

static int control_prot(const struct xensched_area *area)
{
    return area->writable ? PROT_READ | PROT_WRITE : PROT_READ;
}

size_t area_global_bytes(const struct xensched_area *area)
{
    return XEN_SCHEDLOG_ROUTES_OFFSET + (size_t)area->info.nr_acct *
           XEN_SCHEDLOG_NR_EVENTS * sizeof(uint64_t);
}

size_t area_control_bytes(const struct xensched_area *area)
{
    return XEN_SCHEDLOG_MARKS_OFFSET(area->info.nr_files) +
           area->info.nr_files * sizeof(uint64_t);
}

size_t area_state_bytes(const struct xensched_area *area)
{
    return area->info.nr_files * sizeof(struct xen_schedlog_state);
}

size_t area_data_bytes(const struct xensched_area *area)
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

/* ENODEV: this CPU id has no log, which is no error. */
static int map_cpu(struct xensched_area *area, uint32_t cpu)
{
    struct area_cpu *c = &area->cpus[cpu];
    int code;

    code = area->ops->map(area, REGION_CONTROL, cpu, area_control_bytes(area),
                          control_prot(area), &c->control);
    if (!code)
        code = area->ops->map(area, REGION_STATE, cpu, area_state_bytes(area),
                              PROT_READ, &c->state);
    if (!code)
        code = area->ops->map(area, REGION_DATA, cpu, area_data_bytes(area),
                              PROT_READ, &c->data);
    /* Either all regions of a CPU exist or none. */
    if (code == ENODEV && c->control.base)
        code = EINVAL;
    if (code)
        unmap_cpu(area, c);

    return code;
}

int area_map_cpus(struct xensched_area *area, uint32_t first, uint32_t end,
                  struct xensched_error *err)
{
    int code, mapped = 0;
    uint32_t cpu;

    for (cpu = first; cpu < end && cpu < area->info.nr_cpus; cpu++) {
        if (area->cpus[cpu].data.base)
            continue;
        code = map_cpu(area, cpu);
        if (code && code != ENODEV)
            return xensched_fail(err, code, "cannot map the log of CPU %u: %s",
                                 cpu, strerror(code));
        mapped += !code;
    }

    return mapped;
}

static int get_files(struct xensched_area *area, struct xensched_error *err)
{
    int code;

    area->files = calloc(area->info.nr_files, sizeof(*area->files));
    if (!area->files)
        return xensched_fail(err, ENOMEM, "out of memory");
    code = area->ops->files(area, area->files);
    if (code)
        return area->ops->failed(err, code, "asking for the log buffers");

    return 0;
}

int area_map_global(struct xensched_area *area, struct xensched_error *err)
{
    int rc = get_files(area, err), code;

    if (rc)
        return rc;
    code = area->ops->map(area, REGION_GLOBAL, 0, area_global_bytes(area),
                          control_prot(area), &area->global);
    if (code)
        return xensched_fail(err, code, "cannot map the routes: %s",
                             strerror(code));

    area->cpus = calloc(area->info.nr_cpus, sizeof(*area->cpus));
    area->lcr = calloc(area->info.nr_files, sizeof(*area->lcr));
    if (!area->cpus || !area->lcr)
        return xensched_fail(err, ENOMEM, "out of memory");

    return 0;
}

static int map_area(struct xensched_area *area, struct xensched_error *err)
{
    int rc = area_map_global(area, err);

    if (!rc)
        rc = area_map_cpus(area, 0, area->info.nr_cpus, err);

    return rc < 0 ? rc : 0;
}

/* Makes room for new pCPU ids. */
static int grow_to(struct xensched_area *area, uint32_t nr_cpus,
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
    if (rc)
        return rc;
    area->info.events_built = info.events_built;
    rc = grow_to(area, info.nr_cpus, err);
    if (!rc)
        rc = area_map_cpus(area, 0, area->info.nr_cpus, err);
    for (file = 0; rc > 0 && file < area->info.nr_files; file++)
        xensched_area_set_lcr(area, file, area->lcr[file]);

    return rc;
}

int area_hand_out(struct xensched_area *a, int rc,
                  struct xensched_area **area)
{
    if (rc)
        xensched_area_close(a);
    else
        *area = a;

    return rc;
}

int area_attach(struct xensched_area *area, struct xensched_error *err)
{
    int rc = xensched_area_info(area, &area->info, err);

    if (!rc && !area->info.nr_cpus)
        rc = xensched_fail(err, ENODATA, "nothing is logged here: start "
                           "xenschedd first");
    if (!rc)
        rc = map_area(area, err);

    return rc;
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
        return area_held(area, err);

    return xensched_fail(err, EBUSY, "there is a schedlog area of another "
                         "geometry already (%u accounting domains and %u log "
                         "buffers per pCPU, not %u and %u of these sizes); end "
                         "the program which made it, or have it replaced with "
                         "xenschedd --replace-area", area->info.nr_acct,
                         area->info.nr_files, g->nr_acct, g->nr_files);
}

static int call_release(struct xensched_area *area, const void *arg)
{
    (void)arg;

    return area->ops->release(area);
}

static int release_area(struct xensched_area *area, struct xensched_error *err)
{
    int code = area_while_busy(area, call_release, NULL);

    if (code == EEXIST)
        return area_held(area, err);

    return code ? area->ops->failed(err, code,
                                    "giving up the schedlog area") : 0;
}

/* Makes the area, or finds an area that cannot be taken over. */
static int make_area(struct xensched_area *area, const struct xensched_geometry *g,
                     bool replace, struct xensched_error *err)
{
    unsigned int try;
    int rc;

    for (try = 0; try < AREA_BUSY_TRIES; try++) {
        int code = area->ops->setup(area, g);

        if (!code)
            return 0;
        if (code == E2BIG && area->need_bytes)
            return xensched_fail(err, code, "setting up the schedlog area: "
                                 "more memory than the hypervisor allows; boot "
                                 "it with schedlog_max=%lluM or more",
                                 (unsigned long long)
                                 ((area->need_bytes + (1 << 20) - 1) >> 20));
        if (code != EBUSY)
            return area->ops->failed(err, code, "setting up the schedlog "
                                     "area");

        rc = xensched_area_info(area, &area->info, err);
        if (rc)
            return rc;
        if (area->info.nr_acct && !has_geometry(area, g)) {
            rc = replace ? release_area(area, err) : other_geometry(area, g, err);
            if (rc)
                return rc;
            continue;
        }
        usleep(AREA_BUSY_PAUSE_US);
    }

    return area->ops->failed(err, EBUSY, "setting up the schedlog area");
}

int area_setup(struct xensched_area *area,
               const struct xensched_geometry *geometry, bool replace,
               struct xensched_error *err)
{
    /* Finds another ABI before anything is changed. */
    int rc = xensched_area_info(area, &area->info, err);

    area->writable = true;
    if (!rc)
        rc = make_area(area, geometry, replace, err);
    if (!rc)
        rc = xensched_area_info(area, &area->info, err);
    if (!rc)
        rc = map_area(area, err);

    return rc;
}

int xensched_area_release(struct xensched_area *area,
                          struct xensched_error *err)
{
    int rc;

    area_unmap(area);
    rc = release_area(area, err);
    xensched_area_close(area);

    return rc;
}

uint32_t xensched_area_cpus(const struct xensched_area *area)
{
    return area->info.nr_cpus;
}

bool xensched_area_has_cpu(const struct xensched_area *area, uint32_t cpu)
{
    return area->cpus && cpu < area->info.nr_cpus &&
           area->cpus[cpu].data.base;
}

uint32_t xensched_area_files(const struct xensched_area *area)
{
    return area->info.nr_files;
}

uint32_t xensched_area_doorbell(const struct xensched_area *area)
{
    return area->info.doorbell;
}

int xensched_area_check(struct xensched_area *area, struct xensched_error *err)
{
    struct xensched_area_info info;
    int rc;

    if (area->ops->check)
        return area->ops->check(area, err);
    rc = xensched_area_info(area, &info, err);
    if (!rc && !info.nr_cpus)
        rc = xensched_fail(err, ENODATA, "the log area is gone: its owner "
                           "(xenschedd) has given it up");

    return rc;
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
