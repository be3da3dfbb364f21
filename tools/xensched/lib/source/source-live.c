/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A live area as a source, whatever its producer: one reader per CPU and log buffer, which take
 * turns.
 *
 * Without an area it attaches to the existing one, read-only.  A round over all readers calls each
 * of them at most READS_PER_ROUND times and then returns XENSCHED_IDLE, so a busy log buffer cannot
 * hold up the others.  At the end of a round it notices pCPUs that were added to the area.  A
 * reader that does not own the area also checks then whether a domain has ended or released its
 * log, because mappings keep an ended domain's memory allocated.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <xensched/read-log.h>

#include "lib/area/area-parts.h"
#include "source-kinds.h"

#define NS_PER_S 1000000000ULL

/*
 * A change of the layout takes nanoseconds, or as long as the producer does not run.  A log that
 * still changes after this many rounds will not stop changing.
 */
#define BUSY_ROUNDS 10

/*
 * One read can return everything in a log buffer.  If the layout has changed within it, a second
 * read is needed.
 */
#define READS_PER_ROUND 2

struct log_file {
    uint32_t cpu;
    uint32_t file;
    struct xensched_reader reader;
    uint64_t mark;     /* the latest watermark */
    unsigned int busy; /* consecutive reads during a change of the layout */
};

struct live {
    struct xensched_area *area;
    bool own_area;
    struct log_file *logs;
    size_t nr_logs;
    size_t nr_cpus;     /* that have logs */
    bool *known;        /* [nr_known]: the logs of this CPU were added */
    size_t nr_known;
    size_t at;          /* the log buffer to read next */
    unsigned int reads; /* reads of it in this round */
    uint64_t checked_ns; /* when the area was last found to exist */
    uint64_t due;       /* number of log buffers found past their watermark */
    uint32_t hurry;     /* log buffers whose very next row is to ring */
    uint32_t left;      /* log buffers of another reader */
    void *buffer;
    size_t room;
};

static void live_close(void *data)
{
    struct live *l = data;

    if (l->own_area)
        xensched_area_close(l->area);
    free(l->logs);
    free(l->known);
    free(l->buffer);
    free(l);
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);

    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static int make_room(struct live *l, size_t size)
{
    void *buffer;

    if (size < XEN_SCHEDLOG_MAX_ROW_SIZE)
        size = XEN_SCHEDLOG_MAX_ROW_SIZE;
    if (size <= l->room)
        return 0;
    buffer = realloc(l->buffer, size);
    if (!buffer)
        return -ENOMEM;
    l->buffer = buffer;
    l->room = size;

    return 0;
}

static int add_log(struct live *l, uint32_t cpu, uint32_t file,
                   enum xensched_begin begin, struct xensched_error *err)
{
    const struct xen_schedlog_state *state;
    struct log_file *log;
    const void *data;
    uint32_t size;

    state = xensched_area_state(l->area, cpu, file);
    data = xensched_area_data(l->area, cpu, file, &size);
    log = realloc(l->logs, (l->nr_logs + 1) * sizeof(*log));
    if (log)
        l->logs = log;
    if (!log || make_room(l, size))
        return xensched_fail(err, ENOMEM, "out of memory");

    log = &l->logs[l->nr_logs++];
    log->cpu = cpu;
    log->file = file;
    log->mark = 0;
    log->busy = 0;
    xensched_reader_init(&log->reader, state, data, size, begin);

    return 0;
}

/* Were the log buffers of @cpu added? */
static bool is_known(const struct live *l, uint32_t cpu)
{
    return cpu < l->nr_known && l->known[cpu];
}

static int make_known(struct live *l, uint32_t cpu)
{
    bool *known;

    if (cpu >= l->nr_known) {
        known = realloc(l->known, (cpu + 1) * sizeof(*known));
        if (!known)
            return -ENOMEM;
        memset(known + l->nr_known, 0,
               (cpu + 1 - l->nr_known) * sizeof(*known));
        l->known = known;
        l->nr_known = cpu + 1;
    }
    l->known[cpu] = true;

    return 0;
}

/* Adds all log buffers of new pCPUs. */
static int add_logs(struct live *l, enum xensched_begin begin,
                    struct xensched_error *err)
{
    uint32_t files = xensched_area_files(l->area);
    uint32_t cpu, file;
    int rc = 0;

    l->nr_cpus = 0;
    for (cpu = 0; cpu < xensched_area_cpus(l->area); cpu++) {
        if (!xensched_area_has_cpu(l->area, cpu))
            continue;
        l->nr_cpus++;
        if (is_known(l, cpu))
            continue;
        if (make_known(l, cpu))
            return xensched_fail(err, ENOMEM, "out of memory");
        for (file = 0; !rc && file < files; file++)
            rc = add_log(l, cpu, file, begin, err);
    }

    return rc;
}

static size_t count_cpus(const struct live *l)
{
    uint32_t cpu;
    size_t nr = 0;

    for (cpu = 0; cpu < xensched_area_cpus(l->area); cpu++)
        nr += xensched_area_has_cpu(l->area, cpu);

    return nr;
}

/*
 * The producer rings when a log buffer is half full of new rows, so that there is as much room for
 * rows that come until it is read.  A log buffer that is never written needs no watermark.
 */
static void set_mark(struct live *l, struct log_file *log)
{
    bool hurry = log->file < 32 && l->hurry & 1U << log->file;
    uint64_t mark = log->reader.pos + (hurry ? 1 : log->reader.size / 2);

    if (mark == log->mark)
        return;
    l->due += log->mark && log->reader.pos >= log->mark;
    log->mark = mark;
    xensched_area_set_mark(l->area, log->cpu, log->file, mark);
}

/* "From now on" means from the time of opening, not of the first read. */
static void begin_round(struct live *l)
{
    struct xensched_batch nothing;
    size_t i;

    for (i = 0; i < l->nr_logs; i++) {
        xensched_reader_read(&l->logs[i].reader, l->buffer, l->room,
                             &nothing);
        set_mark(l, &l->logs[i]);
    }
}

/* Opens a source for @area; @own: the area was opened for it. */
static int live_open(struct xensched_area *area, bool own, void **data,
                     uint64_t *tsc_khz, struct xensched_error *err)
{
    struct live *l = calloc(1, sizeof(*l));
    int rc;

    if (!l) {
        if (own)
            xensched_area_close(area);
        return xensched_fail(err, ENOMEM, "out of memory");
    }
    l->area = area;
    l->own_area = own;
    rc = add_logs(l, XENSCHED_BEGIN_NOW, err);
    if (rc) {
        live_close(l);
        return rc;
    }
    begin_round(l);
    l->checked_ns = now_ns();
    *tsc_khz = xensched_area_tsc_khz(area);
    *data = l;

    return 0;
}

static int attach_hypervisor(const char *text, struct xensched_area **area,
                             struct xensched_error *err)
{
    if (*text)
        return xensched_fail(err, EINVAL,
                             "source 'hypervisor' takes no options");

    return xensched_area_attach(area, err);
}

static int attach_linux(const char *text, struct xensched_area **area,
                        struct xensched_error *err)
{
    if (*text)
        return xensched_fail(err, EINVAL, "source 'linux' takes no options");

    return xensched_area_attach_linux(area, err);
}

static int attach_domain(const char *text, struct xensched_area **area,
                         struct xensched_error *err)
{
    unsigned long domid;
    char *end;

    domid = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || domid >= DOMID_FIRST_RESERVED)
        return xensched_fail(err, EINVAL, "source 'domain' takes a domid: "
                             "domain:5");

    return xensched_area_attach_domain(domid, area, err);
}

/* Opens a source for the existing @area, or for the area to which @attach attaches. */
static int open_with(int (*attach)(const char *text,
                                   struct xensched_area **area,
                                   struct xensched_error *err),
                     const char *text, struct xensched_area *area,
                     void **data, uint64_t *tsc_khz,
                     struct xensched_error *err)
{
    bool own = !area;
    int rc = own ? attach(text, &area, err) : 0;

    return rc ? rc : live_open(area, own, data, tsc_khz, err);
}

static void next_log(struct live *l)
{
    l->at++;
    l->reads = 0;
}

/* Ends a round. */
static int end_round(struct live *l, struct xensched_error *err)
{
    uint64_t now = now_ns();
    int rc = 0;

    l->at = 0;
    /* All rows in the logs of a new pCPU are new. */
    if (count_cpus(l) != l->nr_cpus)
        rc = add_logs(l, XENSCHED_BEGIN_OLDEST, err);
    /* The area's owner learns it in other ways. */
    if (rc || l->area->writable || !l->area->ops->check ||
        now - l->checked_ns < NS_PER_S)
        return rc;
    l->checked_ns = now;

    return l->area->ops->check(l->area, err);
}

/* Does this log keep changing? */
static bool is_stuck(struct log_file *log, int rc)
{
    log->busy = rc == -EAGAIN ? log->busy + 1 : 0;

    return log->busy >= BUSY_ROUNDS;
}

static bool is_left(const struct live *l, const struct log_file *log)
{
    return log->file < 32 && l->left & 1U << log->file;
}

static int live_next(void *data, struct xensched_batch *batch,
                           struct xensched_error *err)
{
    struct live *l = data;
    int rc;

    while (l->at < l->nr_logs) {
        struct log_file *log = &l->logs[l->at];
        int more;

        if (is_left(l, log)) {
            next_log(l);
            continue;
        }
        more = xensched_reader_read(&log->reader, l->buffer, l->room, batch);
        if (is_stuck(log, more))
            return xensched_fail(err, EAGAIN, "the layout of log buffer %u of "
                                 "CPU %u is being changed for ever", log->file,
                                 log->cpu);
        if (more != 1 || ++l->reads == READS_PER_ROUND) {
            set_mark(l, log);
            next_log(l);
        }
        if (!batch->length && !batch->lost_bytes)
            continue;
        batch->cpu = log->cpu;
        batch->file = log->file;
        batch->time_ns = now_ns();
        return XENSCHED_BATCH;
    }
    rc = end_round(l, err);

    return rc ? rc : XENSCHED_IDLE;
}

static void live_hurry(void *data, uint32_t files)
{
    struct live *l = data;

    l->hurry = files;
}

static void live_leave(void *data, uint32_t files)
{
    struct live *l = data;

    l->left = files;
}

static uint64_t live_due(const void *data)
{
    const struct live *l = data;

    return l->due;
}

static uint64_t live_nonsense(const void *data)
{
    const struct live *l = data;
    uint64_t sum = 0;
    size_t i;

    for (i = 0; i < l->nr_logs; i++)
        sum += l->logs[i].reader.stats.nonsense;

    return sum;
}

/* A live source, and how to attach to its area. */
#define LIVE(NAME)                                                    \
    static int NAME##_open(const char *text,                          \
                           struct xensched_area *area, void **data,   \
                           uint64_t *tsc_khz,                         \
                           struct xensched_error *err)                \
    {                                                                 \
        return open_with(attach_##NAME, text, area, data, tsc_khz,    \
                         err);                                        \
    }                                                                 \
                                                                      \
    const struct xensched_source_ops xensched_source_##NAME = {       \
        .name = #NAME,                                                \
        .attach = attach_##NAME,                                      \
        .open = NAME##_open,                                          \
        .next = live_next,                                            \
        .nonsense = live_nonsense,                                    \
        .hurry = live_hurry,                                          \
        .leave = live_leave,                                          \
        .due = live_due,                                              \
        .close = live_close,                                          \
    }

LIVE(hypervisor);
LIVE(linux);
LIVE(domain);
