/* SPDX-License-Identifier: GPL-2.0-only */
/* area-ebpf.c - see area-ebpf.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xensched/barrier.h>

#include "lib/area.h"
#include "area-ebpf.h"
#include "program.h"

#define EVENTS (1U << XEN_SCHEDLOG_EV_RING_PAGES)

/* Rows have ns. */
#define TSC_KHZ 1000000U

/* Of a log area without log files, which is for a look only. */
#define SMALL_FILE 4096U

/* What the kernel said when it did not take the program. */
static struct xensched_error refusal;

struct log {
    struct program_maps maps;
    struct rings_facts facts;
    struct program *program; /* while the event is on */
    struct mapping numbers;
    uint32_t nr_cpus, nr_acct, nr_files;
    uint32_t *sizes; /* NULL: it has not been set up */
    size_t global_bytes, cpu_bytes;
    uint32_t lease_ms;
};

static struct log *log_of(const struct xensched_area *area)
{
    return area->place;
}

static size_t to_pages(size_t bytes)
{
    size_t page = sysconf(_SC_PAGESIZE);

    return (bytes + page - 1) / page * page;
}

static void close_map(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void unmap(struct xensched_area *area, struct mapping *m)
{
    (void)area;
    munmap(m->base, m->pages * sysconf(_SC_PAGESIZE));
}

static void close_log(struct xensched_area *area)
{
    struct log *log = log_of(area);

    if (!log)
        return;
    program_stop(log->program);
    if (log->numbers.base)
        unmap(area, &log->numbers);
    close_map(&log->maps.global);
    close_map(&log->maps.cpus);
    close_map(&log->maps.own);
    free(log->sizes);
    free(log);
}

static int failed(struct xensched_error *err, int code, const char *what)
{
    if (*refusal.text)
        return xensched_fail(err, code, "%s", refusal.text);
    if (code == EPERM || code == EACCES)
        return xensched_fail(err, code, "%s by eBPF: not allowed; this has to "
                             "be run by root", what);

    return xensched_fail(err, code, "%s by eBPF: %s", what, strerror(code));
}

static int info(struct xensched_area *area, struct xensched_area_info *info,
                struct xensched_error *err)
{
    const struct log *log = log_of(area);

    (void)err;
    *info = (struct xensched_area_info){
        .abi_version = XEN_SCHEDLOG_ABI_VERSION,
        .nr_cpus = log->sizes ? log->nr_cpus : 0,
        .nr_acct = log->nr_acct,
        .nr_files = log->nr_files,
        .events_built = EVENTS,
        .events_enabled = log->program ? EVENTS : 0,
        .nr_sites = 1,
        .tsc_khz = TSC_KHZ,
        .used_bytes = log->sizes ? log->global_bytes +
                                   log->nr_cpus * log->cpu_bytes : 0,
        .lease_ms = log->program ? log->lease_ms : 0,
        .lease_left_ms = log->program ? log->lease_ms : 0,
    };

    return 0;
}

/* Each is aligned to its size, but at most to a page. */
static uint32_t place(uint32_t end, uint32_t size)
{
    uint32_t page = sysconf(_SC_PAGESIZE);
    uint32_t to = size < page ? size : page;

    return (end + to - 1) / to * to;
}

static int list_files(struct xensched_area *area,
                      struct xen_schedlog_file *files)
{
    const struct log *log = log_of(area);
    uint32_t end = 0, i;

    for (i = 0; i < log->nr_files; i++) {
        files[i] = (struct xen_schedlog_file){
            .offset = place(end, log->sizes[i]), .size = log->sizes[i],
        };
        end = files[i].offset + files[i].size;
    }

    return 0;
}

/* Where everything is, from the geometry. */
static void work_out(struct log *log, uint32_t data_bytes)
{
    size_t control = XEN_SCHEDLOG_MARKS_OFFSET(log->nr_files) +
                     log->nr_files * sizeof(uint64_t);
    size_t state = log->nr_files * sizeof(struct xen_schedlog_state);
    size_t routes = XEN_SCHEDLOG_ROUTES_OFFSET + (size_t)log->nr_acct *
                    XEN_SCHEDLOG_NR_EVENTS * sizeof(uint64_t);
    struct rings_facts *f = &log->facts;

    f->acct_mask = log->nr_acct - 1;
    f->file_mask = log->nr_files - 1;
    f->numbers_at = to_pages(routes);
    f->state_at = to_pages(control);
    f->data_at = f->state_at + to_pages(state);
    f->data_bytes = data_bytes;
    log->global_bytes = f->numbers_at + RINGS_NR_DOMIDS * sizeof(uint16_t);
    log->cpu_bytes = f->data_at + to_pages((size_t)data_bytes + RINGS_SPARE);
}

/* What the program knows of each CPU's log files at first. */
static int write_own(struct log *log, const struct xen_schedlog_file *files,
                     size_t bytes)
{
    struct rings_cpu *cpu = calloc(1, bytes);
    uint32_t i;
    int rc = cpu ? 0 : -ENOMEM;

    for (i = 0; cpu && i < log->nr_files; i++)
        cpu->file[i] = (struct rings_file){
            .offset = files[i].offset, .mask = files[i].size - 1,
        };
    for (i = 0; !rc && i < log->nr_cpus; i++)
        rc = program_write(log->maps.own, i, cpu);
    free(cpu);

    return -rc;
}

static int make_maps(struct log *log, const struct xen_schedlog_file *files)
{
    size_t own = sizeof(struct rings_cpu) +
                 log->nr_files * sizeof(struct rings_file);

    log->maps.global = program_map("global", log->global_bytes, 1, true);
    if (log->maps.global < 0)
        return errno;
    log->maps.cpus = program_map("cpus", log->cpu_bytes, log->nr_cpus, true);
    if (log->maps.cpus < 0)
        return errno;
    log->maps.own = program_map("own", own, log->nr_cpus, false);
    if (log->maps.own < 0)
        return errno;

    return write_own(log, files, own);
}

static int map_bytes(int fd, size_t at, size_t bytes, int prot,
                     struct mapping *m)
{
    size_t length = to_pages(bytes);
    void *base = mmap(NULL, length, prot, MAP_SHARED, fd, at);

    if (base == MAP_FAILED)
        return errno ? errno : EIO;
    m->base = base;
    m->pages = length / sysconf(_SC_PAGESIZE);

    return 0;
}

static int setup(struct xensched_area *area, const struct xensched_geometry *g)
{
    struct log *log = log_of(area);
    size_t bytes = g->nr_files * sizeof(*log->sizes);
    const struct xen_schedlog_file *last;
    struct xen_schedlog_file *files;
    int code;

    log->sizes = malloc(bytes);
    files = calloc(g->nr_files, sizeof(*files));
    if (!log->sizes || !files) {
        free(files);
        return ENOMEM;
    }
    memcpy(log->sizes, g->sizes, bytes);
    log->nr_acct = g->nr_acct;
    log->nr_files = g->nr_files;
    list_files(area, files);
    last = &files[g->nr_files - 1];
    work_out(log, last->offset + last->size);
    code = make_maps(log, files);
    free(files);
    if (!code)
        code = map_bytes(log->maps.global, log->facts.numbers_at,
                         RINGS_NR_DOMIDS * sizeof(uint16_t),
                         PROT_READ | PROT_WRITE, &log->numbers);

    return code;
}

static int map_region(struct xensched_area *area, enum region region,
                      uint32_t cpu, size_t bytes, int prot, struct mapping *m)
{
    const struct log *log = log_of(area);
    size_t at = cpu * log->cpu_bytes;

    switch (region) {
    case REGION_GLOBAL:
        return map_bytes(log->maps.global, 0, bytes, prot, m);
    case REGION_CONTROL:
        return map_bytes(log->maps.cpus, at, bytes, prot, m);
    case REGION_STATE:
        return map_bytes(log->maps.cpus, at + log->facts.state_at, bytes, prot,
                         m);
    default:
        return map_bytes(log->maps.cpus, at + log->facts.data_at, bytes, prot,
                         m);
    }
}

static int events(struct xensched_area *area, uint32_t mask, uint32_t lease_ms)
{
    struct log *log = log_of(area);

    refusal.text[0] = '\0';
    if (!mask) {
        program_stop(log->program);
        log->program = NULL;
        return 0;
    }
    log->lease_ms = lease_ms;
    if (log->program)
        return 0;

    /* Whatever it was, its words are in @refusal, which failed() has. */
    return program_start(&log->maps, &log->facts, true, &log->program,
                         &refusal) ? EIO : 0;
}

/* Mappings keep it, and they are gone. */
static int release(struct xensched_area *area)
{
    return events(area, 0, 0);
}

static const struct area_ops ebpf_ops = {
    .close = close_log,
    .failed = failed,
    .info = info,
    .setup = setup,
    .files = list_files,
    .map = map_region,
    .unmap = unmap,
    .events = events,
    .release = release,
};

static int make_log(struct xensched_area *area, uint32_t own,
                    struct xensched_error *err)
{
    int nr = program_nr_cpus();
    struct log *log = calloc(1, sizeof(*log));

    if (!log)
        return xensched_fail(err, ENOMEM, "out of memory");
    area->place = log;
    log->maps = (struct program_maps){ -1, -1, -1 };
    log->facts.own_domid = own;
    if (nr <= 0)
        return xensched_fail(err, nr ? -nr : EIO, "it is not known how many "
                             "CPUs there may be");
    log->nr_cpus = nr;

    return 0;
}

int area_ebpf_setup(const struct xensched_geometry *geometry, uint32_t own,
                    struct xensched_area **area, struct xensched_error *err)
{
    struct xensched_area *a;
    int rc = program_possible(err);

    if (rc)
        return rc;
    refusal.text[0] = '\0';
    a = area_new(&ebpf_ops, err);
    if (!a)
        return -ENOMEM;
    rc = make_log(a, own, err);

    return area_hand_out(a, rc ? rc : area_setup(a, geometry, false, err),
                         area);
}

void area_ebpf_set_number(struct xensched_area *area, uint32_t domid,
                          uint16_t acct)
{
    uint16_t *numbers = log_of(area)->numbers.base;

    shared_store16(&numbers[domid & (RINGS_NR_DOMIDS - 1)], acct);
}

int area_ebpf_check(struct xensched_error *err)
{
    const uint32_t sizes[] = { SMALL_FILE };
    const struct xensched_geometry small = { 2, 1, sizes };
    struct xensched_area *area;
    struct program *program;
    struct log *log;
    int rc = area_ebpf_setup(&small, 0, &area, err);

    if (rc)
        return rc;
    log = log_of(area);
    rc = program_start(&log->maps, &log->facts, false, &program, err);
    if (!rc)
        program_stop(program);
    xensched_area_close(area);

    return rc;
}
