/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libxl_schedlog_files.c
 *
 * Sets up log buffers of the log of scheduling facts, routes events to them,
 * and shows how much was written.  All but the set-up is in memory which Xen
 * shares, so libxl itself checks that no scheduler holds the log.
 */

#include "libxl_osdeps.h"

#include "libxl_internal.h"
#include "libxl_schedlog.h"

/* Rows of 16 bytes; their timestamp is TSC >> 10. */
#define DEFAULT_REGISTER                                                   \
    (XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |                   \
     XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER |           \
     XEN_SCHEDLOG_LCR_TIME_TSC | 10U << XEN_SCHEDLOG_LCR_TSC_SHIFT)

#define STATES_PER_PAGE (XC_PAGE_SIZE / sizeof(struct xen_schedlog_state))

/*
 * Map one page of a region.  Xen checks the permission, and refuses to map its
 * own pages writable.
 */
static int map_page(libxl__gc *gc, uint32_t region, uint32_t cpu,
                    uint32_t page, int prot, void **va)
{
    uint64_t frame;
    xen_pfn_t pfn;
    int got;

    got = xc_schedlog_frames(CTX->xch, region, cpu, page, 1, &frame);
    if (got < 0)
        return libxl__schedlog_failed(gc, "asking Xen for the log's memory");
    if (!got)
        return ERROR_INVAL;

    pfn = frame;
    *va = xc_map_foreign_pages(CTX->xch, DOMID_XEN, prot, &pfn, 1);
    if (!*va) {
        LOGE(ERROR, "mapping the memory of the log");
        return ERROR_FAIL;
    }

    return 0;
}

/* Does this pCPU have a log? */
static bool has_log(libxl__gc *gc, uint32_t cpu)
{
    uint64_t frame;

    return xc_schedlog_frames(CTX->xch, XEN_SCHEDLOG_REGION_STATE, cpu, 0, 1,
                              &frame) == 1;
}

/* The registers of a pCPU's log buffers, mapped. */
static int map_registers(libxl__gc *gc, uint32_t cpu, int prot,
                         volatile uint32_t **registers)
{
    /* There are at most as many log buffers as registers in a page. */
    BUILD_BUG_ON(XEN_SCHEDLOG_MAX_FILES > XC_PAGE_SIZE / sizeof(uint32_t));
    void *va;
    int rc;

    rc = map_page(gc, XEN_SCHEDLOG_REGION_CONTROL, cpu, 0, prot, &va);
    if (!rc)
        *registers = va;

    return rc;
}

/* Those of log buffers first ... end - 1, on each pCPU that has a log. */
static int set_registers(libxl__gc *gc, uint32_t nr_cpus, uint32_t first,
                         uint32_t end, uint32_t value)
{
    volatile uint32_t *registers;
    uint32_t cpu, file;
    int rc;

    for (cpu = 0; cpu < nr_cpus; cpu++) {
        if (!has_log(gc, cpu))
            continue;

        rc = map_registers(gc, cpu, PROT_READ | PROT_WRITE, &registers);
        if (rc) return rc;

        for (file = first; file < end; file++)
            registers[file] = value;
        munmap((void *)registers, XC_PAGE_SIZE);
    }

    return 0;
}

int libxl_schedlog_setup(libxl_ctx *ctx, uint32_t nr_acct,
                         const uint32_t *sizes, int nr_sizes)
{
    GC_INIT(ctx);
    xc_schedlog_info_t info = {};
    uint64_t need_bytes = 0;
    int rc;

    rc = libxl__schedlog_info(gc, &info);
    if (rc) goto out;
    /* The owner of an existing log has chosen its rows. */
    if (info.nr_acct) {
        LOG(ERROR, "there is a log already: give it up first");
        rc = ERROR_DEVICE_EXISTS;
        goto out;
    }

    if (xc_schedlog_setup(ctx->xch, nr_acct, nr_sizes, sizes, &need_bytes)) {
        rc = libxl__schedlog_failed(gc, "setting up the log");
        if (need_bytes)
            LOG(ERROR, "boot Xen with schedlog_max=%"PRIu64"M or more",
                (need_bytes + (1 << 20) - 1) >> 20);
        goto out;
    }

    rc = libxl__schedlog_info(gc, &info);
    if (!rc)
        rc = set_registers(gc, info.nr_cpus, 0, info.nr_files,
                           DEFAULT_REGISTER);

 out:
    GC_FREE;
    return rc;
}

/*
 * Is there a log, and, if @prot allows writing, may the caller change it?  Xen
 * cannot see which program writes to the memory that it shares.
 */
static int check_log(libxl__gc *gc, int prot, xc_schedlog_info_t *info)
{
    int rc = libxl__schedlog_info(gc, info);

    if (rc) return rc;

    if (!info->nr_acct) {
        LOG(ERROR, "no log is set up");
        return ERROR_NOTFOUND;
    }
    if ((prot & PROT_WRITE) && info->lease_ms) {
        LOG(ERROR, "a scheduler holds the log");
        return ERROR_LOCK_FAIL;
    }

    return 0;
}

/* The route's word, mapped; its page is at *va. */
static int map_route(libxl__gc *gc, uint32_t acct, unsigned int event,
                     int prot, void **va, volatile uint64_t **route)
{
    xc_schedlog_info_t info = {};
    size_t offset;
    int rc;

    rc = check_log(gc, prot, &info);
    if (rc) return rc;

    if (acct >= info.nr_acct || event >= LIBXL_SCHEDLOG_NR_EVENTS) {
        LOG(ERROR, "there is no accounting domain %u, or no event %u (the log "
            "has %u accounting domains)", acct, event, info.nr_acct);
        return ERROR_INVAL;
    }

    offset = XEN_SCHEDLOG_ROUTES_OFFSET +
             ((size_t)acct * XEN_SCHEDLOG_NR_EVENTS + event) *
             sizeof(**route);
    rc = map_page(gc, XEN_SCHEDLOG_REGION_GLOBAL, 0, offset >> XC_PAGE_SHIFT,
                  prot, va);
    if (!rc)
        *route = *va + (offset & ~XC_PAGE_MASK);

    return rc;
}

int libxl_schedlog_get_route(libxl_ctx *ctx, uint32_t acct,
                             unsigned int event, libxl_schedlog_route *route)
{
    GC_INIT(ctx);
    volatile uint64_t *shared;
    uint64_t word;
    void *va;
    int rc;

    rc = map_route(gc, acct, event, PROT_READ, &va, &shared);
    if (rc) goto out;

    word = *shared;
    route->logged = word & XEN_SCHEDLOG_ROUTE_VALID;
    route->file = (word >> XEN_SCHEDLOG_ROUTE_FILE_SHIFT) &
                  XEN_SCHEDLOG_ROUTE_FILE_MASK;
    route->threshold = word;
    munmap(va, XC_PAGE_SIZE);

 out:
    GC_FREE;
    return rc;
}

int libxl_schedlog_set_route(libxl_ctx *ctx, uint32_t acct,
                             unsigned int event,
                             const libxl_schedlog_route *route)
{
    GC_INIT(ctx);
    volatile uint64_t *shared;
    uint64_t word = 0;
    void *va;
    int rc;

    if (route->file > XEN_SCHEDLOG_ROUTE_FILE_MASK) {
        rc = ERROR_INVAL;
        goto out;
    }

    rc = map_route(gc, acct, event, PROT_READ | PROT_WRITE, &va, &shared);
    if (rc) goto out;

    if (route->logged)
        word = XEN_SCHEDLOG_ROUTE_VALID |
               (uint64_t)route->file << XEN_SCHEDLOG_ROUTE_FILE_SHIFT |
               route->threshold;
    /* The whole route at once: the hypervisor may read it at any time. */
    *shared = word;
    munmap(va, XC_PAGE_SIZE);

 out:
    GC_FREE;
    return rc;
}

static int check_file(libxl__gc *gc, int prot, uint32_t file,
                      xc_schedlog_info_t *info)
{
    int rc = check_log(gc, prot, info);

    if (rc) return rc;

    if (file >= info->nr_files) {
        LOG(ERROR, "there is no log buffer %u (the log has %u)", file,
            info->nr_files);
        return ERROR_INVAL;
    }

    return 0;
}

int libxl_schedlog_get_register(libxl_ctx *ctx, uint32_t file,
                                uint32_t *value)
{
    GC_INIT(ctx);
    volatile uint32_t *registers;
    xc_schedlog_info_t info = {};
    uint32_t cpu;
    int rc;

    rc = check_file(gc, PROT_READ, file, &info);
    if (rc) goto out;

    for (cpu = 0; cpu < info.nr_cpus && !has_log(gc, cpu); cpu++)
        ;
    rc = map_registers(gc, cpu, PROT_READ, &registers);
    if (rc) goto out;

    *value = registers[file];
    munmap((void *)registers, XC_PAGE_SIZE);

 out:
    GC_FREE;
    return rc;
}

int libxl_schedlog_set_register(libxl_ctx *ctx, uint32_t file, uint32_t value)
{
    GC_INIT(ctx);
    xc_schedlog_info_t info = {};
    int rc;

    rc = check_file(gc, PROT_WRITE, file, &info);
    if (!rc)
        rc = set_registers(gc, info.nr_cpus, file, file + 1, value);

    GC_FREE;
    return rc;
}

static int get_stat(libxl__gc *gc, uint32_t cpu, uint32_t file,
                    libxl_schedlog_stat *stat)
{
    const volatile struct xen_schedlog_state *state;
    void *va;
    int rc;

    rc = map_page(gc, XEN_SCHEDLOG_REGION_STATE, cpu, file / STATES_PER_PAGE,
                  PROT_READ, &va);
    if (rc) return rc;

    state = va;
    state += file % STATES_PER_PAGE;
    stat->written = state->pos;
    stat->row_size = state->row_size;
    munmap(va, XC_PAGE_SIZE);

    return 0;
}

libxl_schedlog_stat *libxl_schedlog_list_stat(libxl_ctx *ctx, int *nr_out)
{
    GC_INIT(ctx);
    libxl_schedlog_stat *stats = NULL;
    xc_schedlog_info_t info = {};
    uint32_t cpu, file;
    int nr = 0, rc;

    rc = libxl__schedlog_info(gc, &info);
    if (rc) goto out;

    for (cpu = 0; cpu < info.nr_cpus; cpu++) {
        if (!has_log(gc, cpu))
            continue;

        stats = libxl__realloc(NOGC, stats,
                               (nr + info.nr_files) * sizeof(*stats));
        for (file = 0; file < info.nr_files; file++) {
            libxl_schedlog_stat_init(&stats[nr]);
            stats[nr].cpu = cpu;
            stats[nr].file = file;
            rc = get_stat(gc, cpu, file, &stats[nr++]);
            if (rc) goto out;
        }
    }

 out:
    if (rc) {
        libxl_schedlog_stat_list_free(stats, nr);
        stats = NULL;
        nr = 0;
    }
    *nr_out = nr;
    GC_FREE;
    return stats;
}

void libxl_schedlog_stat_list_free(libxl_schedlog_stat *list, int nr)
{
    int i;

    for (i = 0; i < nr; i++)
        libxl_schedlog_stat_dispose(&list[i]);
    free(list);
}

/*
 * Local variables:
 * mode: C
 * c-basic-offset: 4
 * indent-tabs-mode: nil
 * End:
 */
