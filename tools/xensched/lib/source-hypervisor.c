/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * source-hypervisor.c - the live area as a source: one reader per pCPU and
 * log file, asked in turn.
 *
 * Without an area the one which is there is looked at, read-only.  A round
 * over all readers asks each of them at most READS_PER_ROUND times and then
 * says XENSCHED_IDLE, so a busy log file cannot hold up the others.  pCPUs
 * which were added to the area are noticed at the end of a round.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "source.h"

/*
 * One read can take everything that is in a log file.  A second is needed
 * when the layout has changed in the middle.
 */
#define READS_PER_ROUND 2

struct log_file {
    uint32_t cpu;
    uint32_t file;
    struct xensched_reader reader;
};

struct hypervisor {
    struct xensched_area *area;
    bool own_area;
    struct log_file *logs;
    size_t nr_logs;
    size_t nr_cpus;     /* whose logs these are */
    size_t at;          /* the log file to be asked next */
    unsigned int reads; /* how often it has been asked in this round */
    void *buffer;
    size_t room;
};

static void hypervisor_close(void *data)
{
    struct hypervisor *h = data;

    if (h->own_area)
        xensched_area_close(h->area);
    free(h->logs);
    free(h->buffer);
    free(h);
}

static int make_room(struct hypervisor *h, size_t size)
{
    void *buffer;

    if (size < XEN_SCHEDLOG_MAX_ROW_SIZE)
        size = XEN_SCHEDLOG_MAX_ROW_SIZE;
    if (size <= h->room)
        return 0;
    buffer = realloc(h->buffer, size);
    if (!buffer)
        return -ENOMEM;
    h->buffer = buffer;
    h->room = size;

    return 0;
}

static int add_log(struct hypervisor *h, uint32_t cpu, uint32_t file,
                   enum xensched_begin begin, struct xensched_error *err)
{
    const struct xen_schedlog_state *state;
    struct log_file *log;
    const void *data;
    uint32_t size;

    state = xensched_area_state(h->area, cpu, file);
    data = xensched_area_data(h->area, cpu, file, &size);
    log = realloc(h->logs, (h->nr_logs + 1) * sizeof(*log));
    if (log)
        h->logs = log;
    if (!log || make_room(h, size))
        return xensched_fail(err, ENOMEM, "out of memory");

    log = &h->logs[h->nr_logs++];
    log->cpu = cpu;
    log->file = file;
    xensched_reader_init(&log->reader, state, data, size, begin);

    return 0;
}

static bool is_known(const struct hypervisor *h, uint32_t cpu)
{
    size_t i;

    for (i = 0; i < h->nr_logs; i++)
        if (h->logs[i].cpu == cpu)
            return true;

    return false;
}

/* All log files of pCPUs which have some and are not known yet. */
static int add_logs(struct hypervisor *h, enum xensched_begin begin,
                    struct xensched_error *err)
{
    uint32_t files = xensched_area_files(h->area);
    uint32_t cpu, file;
    int rc = 0;

    h->nr_cpus = 0;
    for (cpu = 0; cpu < xensched_area_cpus(h->area); cpu++) {
        if (!xensched_area_has_cpu(h->area, cpu))
            continue;
        h->nr_cpus++;
        if (is_known(h, cpu))
            continue;
        for (file = 0; !rc && file < files; file++)
            rc = add_log(h, cpu, file, begin, err);
    }

    return rc;
}

static size_t count_cpus(const struct hypervisor *h)
{
    uint32_t cpu;
    size_t nr = 0;

    for (cpu = 0; cpu < xensched_area_cpus(h->area); cpu++)
        nr += xensched_area_has_cpu(h->area, cpu);

    return nr;
}

/* "From now on" means from the time of opening, not of the first read. */
static void begin(struct hypervisor *h)
{
    struct xensched_batch nothing;
    size_t i;

    for (i = 0; i < h->nr_logs; i++)
        xensched_reader_read(&h->logs[i].reader, h->buffer, h->room,
                             &nothing);
}

static int hypervisor_open(const char *text, struct xensched_area *area,
                           void **data, uint64_t *tsc_khz,
                           struct xensched_error *err)
{
    struct hypervisor *h;
    int rc;

    if (*text)
        return xensched_fail(err, EINVAL,
                             "source 'hypervisor' takes no options");

    h = calloc(1, sizeof(*h));
    if (!h)
        return xensched_fail(err, ENOMEM, "out of memory");

    h->area = area;
    if (!area) {
        rc = xensched_area_attach(&h->area, err);
        if (rc)
            goto fail;
        h->own_area = true;
    }
    rc = add_logs(h, XENSCHED_BEGIN_NOW, err);
    if (rc)
        goto fail;
    begin(h);
    *tsc_khz = xensched_area_tsc_khz(h->area);
    *data = h;

    return 0;

fail:
    hypervisor_close(h);
    return rc;
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);

    return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void next_log(struct hypervisor *h)
{
    h->at++;
    h->reads = 0;
}

static int hypervisor_next(void *data, struct xensched_batch *batch,
                           struct xensched_error *err)
{
    struct hypervisor *h = data;
    int rc = 0;

    while (h->at < h->nr_logs) {
        struct log_file *log = &h->logs[h->at];
        int more = xensched_reader_read(&log->reader, h->buffer, h->room,
                                        batch);

        batch->cpu = log->cpu;
        batch->file = log->file;
        batch->time_ns = now_ns();
        if (more != 1 || ++h->reads == READS_PER_ROUND)
            next_log(h);
        if (batch->length || batch->lost_bytes)
            return XENSCHED_BATCH;
    }
    h->at = 0;
    /* A new pCPU has no past: all that is in its logs is new. */
    if (count_cpus(h) != h->nr_cpus)
        rc = add_logs(h, XENSCHED_BEGIN_OLDEST, err);

    return rc ? rc : XENSCHED_IDLE;
}

static uint64_t hypervisor_nonsense(const void *data)
{
    const struct hypervisor *h = data;
    uint64_t sum = 0;
    size_t i;

    for (i = 0; i < h->nr_logs; i++)
        sum += h->logs[i].reader.stats.nonsense;

    return sum;
}

const struct xensched_source_ops xensched_source_hypervisor = {
    .name = "hypervisor",
    .open = hypervisor_open,
    .next = hypervisor_next,
    .nonsense = hypervisor_nonsense,
    .close = hypervisor_close,
};
