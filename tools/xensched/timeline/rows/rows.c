/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a recording as rows on one clock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xensched/recording.h>
#include <xensched/source.h>

#include "base/alloc.h"
#include "row-order.h"
#include "rows.h"
#include "source-clocks.h"

#define NR_BUCKETS 1024U
#define BLOCK 256U

/* Times above this are nonsense, and would not fit into a JavaScript number. */
#define MAX_NS (1ULL << 52)

#define NO_LOSS SIZE_MAX

/* A log buffer of a pCPU. */
struct log {
    struct log *next;
    uint32_t cpu;
    uint16_t file;
    uint32_t events;  /* mask of the events seen in it */
    uint64_t last_ns; /* of its latest row; a key of cuts.h while rows are read */
    struct cuts_log place;
    size_t pending;   /* a loss whose end is unknown yet, or NO_LOSS */
};

struct rows_reading {
    struct rows *rows;
    struct xensched_recording *recording;
    struct stamps stamps;
    struct cuts_log host_clock, system_clock;
    uint64_t nr_hosts;
    uint64_t ahead_ns;  /* the least time from a batch's last row to its reading */
    bool ahead_known;
    struct log *bucket[NR_BUCKETS];
};

static struct log *log_of(struct rows_reading *r, uint32_t cpu, uint16_t file)
{
    struct log **at = &r->bucket[(cpu * 31 + file) % NR_BUCKETS];

    for (; *at; at = &(*at)->next)
        if ((*at)->cpu == cpu && (*at)->file == file)
            return *at;
    *at = need_memory(1, sizeof(**at));
    **at = (struct log){ .cpu = cpu, .file = file, .pending = NO_LOSS };

    return *at;
}

static void free_logs(struct rows_reading *r)
{
    unsigned int i;

    for (i = 0; i < NR_BUCKETS; i++)
        while (r->bucket[i]) {
            struct log *log = r->bucket[i];

            r->bucket[i] = log->next;
            free(log);
        }
}

static uint64_t ns_of(struct rows_reading *r,
                      const struct xensched_layout *layout,
                      const struct xensched_row *row)
{
    uint64_t cycles = stamp_cycles(&r->stamps, layout, row);
    unsigned __int128 ns = cycles;

    if (r->rows->tsc_khz)
        ns = ns * 1000000 / r->rows->tsc_khz;

    return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

static void note_granule(struct rows *rows,
                         const struct xensched_layout *layout)
{
    unsigned __int128 ns = (unsigned __int128)1
                           << xensched_layout_tsc_shift(layout);

    if (rows->tsc_khz)
        ns = ns * 1000000 / rows->tsc_khz;
    if (ns + 1 > rows->granule_ns && ns < MAX_NS)
        rows->granule_ns = ns + 1;
}

static void begin_loss(struct rows_reading *r, struct log *log,
                       const struct xensched_batch *batch)
{
    struct rows *rows = r->rows;
    struct timeline_loss *loss;

    rows->lost_rows += batch->lost_rows;
    if (log->pending == NO_LOSS) {
        log->pending = rows->nr_losses;
        loss = list_add(rows->loss, rows->nr_losses, rows->losses_room);
        *loss = (struct timeline_loss){
            .begin_ns = log->last_ns,
            .end_ns = UINT64_MAX,
            .cpu = log->cpu,
            .file = log->file,
        };
    }
    loss = &rows->loss[log->pending];
    loss->rows += batch->lost_rows;
    loss->bytes += batch->lost_bytes;
}

/* Waits that end without a run look like others, after which a vCPU runs. */
static uint16_t event_of(const struct xensched_row *row)
{
    if (!(row->valid & XENSCHED_ROW_EVENT) || row->reason & XEN_SCHEDLOG_REASON_CUT)
        return ROWS_NO_EVENT;

    return row->event;
}

static void take_row(struct rows_reading *r, struct log *log,
                     const struct xensched_batch *batch,
                     const struct xensched_row *row)
{
    struct rows *rows = r->rows;
    struct timeline_row *to = list_add(rows->row, rows->nr, rows->room);

    *to = (struct timeline_row){
        .ns = cuts_key(&rows->cuts, &log->place,
                       ns_of(r, &batch->layout, row)),
        .counter = row->counter,
        .cpu = row->cpu,
        .file = batch->file,
        .event = event_of(row),
        .current = row->valid & XENSCHED_ROW_CURRENT ? row->current
                                                     : XEN_SCHEDLOG_ACCT_NONE,
        .correspondent = row->valid & XENSCHED_ROW_CORRESPONDENT
                         ? row->correspondent : XEN_SCHEDLOG_ACCT_NONE,
    };
    cuts_note(&rows->cuts, to->ns);
    log->last_ns = to->ns;
    if (to->event < XEN_SCHEDLOG_NR_EVENTS) {
        log->events |= 1U << to->event;
        rows->events |= 1U << to->event;
    }
    if (log->pending != NO_LOSS) {
        rows->loss[log->pending].end_ns = to->ns;
        log->pending = NO_LOSS;
    }
}

/* Notes the least delay of the reader, which reads after rows were written. */
static void note_clock(struct rows_reading *r,
                       const struct xensched_batch *batch, uint64_t last_ns)
{
    uint64_t ahead = batch->time_ns - last_ns;

    if (!r->ahead_known || (int64_t)(ahead - r->ahead_ns) < 0)
        r->ahead_ns = ahead;
    r->ahead_known = true;
}

static void take_rows(struct rows_reading *r, struct log *log,
                      const struct xensched_batch *batch)
{
    struct xensched_row block[BLOCK];
    size_t first = 0, nr, i;

    while ((nr = xensched_batch_decode(batch, first, block, BLOCK))) {
        for (i = 0; i < nr; i++)
            take_row(r, log, batch, &block[i]);
        first += nr;
    }
    note_granule(r->rows, &batch->layout);
    if (first && !log->place.epoch)
        note_clock(r, batch, log->last_ns);
}

static void take_host(struct rows_reading *r)
{
    const char *text;
    size_t length;
    uint64_t nr = xensched_recording_host(r->recording, &text, &length);

    if (nr != r->nr_hosts && text) {
        names_learn(&r->rows->names, text, length);
        notes_learn(&r->rows->notes, text, length);
    }
    r->nr_hosts = nr;
}

/* Returns the source's info unless it is the hypervisor; its CPUs are vCPUs then. */
static const struct xensched_source_info *
linux_of(const struct rows_reading *r, uint32_t source)
{
    const struct xensched_source_info *info =
        xensched_recording_source(r->recording, source);

    return info && info->kind != XENSCHED_KIND_HYPERVISOR ? info : NULL;
}

static void take_batch(struct rows_reading *r,
                       const struct xensched_batch *batch)
{
    const struct xensched_source_info *info = linux_of(r, batch->source);
    struct log *log;

    if (info) {
        linux_rows_take(&r->rows->linux_rows, info, batch, r->rows->tsc_khz,
                        &r->stamps, &r->rows->cuts);
        return;
    }
    log = log_of(r, batch->cpu, batch->file);
    if (batch->lost_rows || batch->lost_bytes)
        begin_loss(r, log, batch);
    if (xensched_layout_tsc_shift(&batch->layout) >= 0)
        take_rows(r, log, batch);
    else
        r->rows->untimed += xensched_batch_rows(batch);
}

static void take_system_time(struct rows_reading *r,
                             const struct xensched_clock *clock)
{
    struct rows *rows = r->rows;

    rows->one_tsc = clock->flags & XENSCHED_CLOCK_ONE_TSC;
    *list_add(rows->system_time, rows->nr_system_times,
              rows->system_times_room) = (struct timeline_system_time){
        .ns = cuts_key(&rows->cuts, &r->system_clock,
                       xensched_cycles_to_ns(clock->host_tsc, rows->tsc_khz)),
        .system_ns = clock->guest_tsc,
    };
}

/* Small time stamps after it are near to it. */
static void take_round(struct rows_reading *r, uint64_t host_tsc)
{
    struct rows *rows = r->rows;

    if (!cuts_clock(&rows->cuts, &r->host_clock,
                    xensched_cycles_to_ns(host_tsc, rows->tsc_khz)))
        return;
    r->stamps.reference = host_tsc;
    r->stamps.known = true;
}

static void accept_record(struct rows_reading *r, const struct xensched_record *record)
{
    const struct xensched_source_info *info;

    take_host(r);
    if (record->what == XENSCHED_RECORDED_ROWS)
        take_batch(r, &record->batch);
    if (record->what == XENSCHED_RECORDED_SYSTEM_TIME)
        take_system_time(r, &record->clock);
    if (record->what == XENSCHED_RECORDED_ROUND)
        take_round(r, record->host_tsc);
    if (record->what != XENSCHED_RECORDED_CLOCK)
        return;
    info = linux_of(r, record->source);
    if (info)
        linux_rows_clock(&r->rows->linux_rows, info, &record->clock,
                         r->rows->tsc_khz);
}

static bool is_later(const void *a, const void *b)
{
    return ((const struct timeline_row *)a)->ns >
           ((const struct timeline_row *)b)->ns;
}

static bool begins_later(const void *a, const void *b)
{
    return ((const struct timeline_loss *)a)->begin_ns >
           ((const struct timeline_loss *)b)->begin_ns;
}

/* The events of a log buffer are known best at the end. */
static void end_losses(struct rows_reading *r)
{
    struct rows *rows = r->rows;
    size_t i;

    for (i = 0; i < rows->nr_losses; i++) {
        struct timeline_loss *loss = &rows->loss[i];

        loss->events = log_of(r, loss->cpu, loss->file)->events;
        if (!loss->events)
            loss->events = ~0U;
        loss->begin_ns = cuts_time(&rows->cuts, loss->begin_ns);
        loss->end_ns = loss->end_ns == UINT64_MAX
                       ? rows->end_ns : cuts_time(&rows->cuts, loss->end_ns);
        if (loss->end_ns < loss->begin_ns)
            loss->end_ns = loss->begin_ns;
    }
}

static void lose_in_cut(struct rows *rows, const struct log *log,
                        const struct window *cut)
{
    *list_add(rows->loss, rows->nr_losses, rows->losses_room) =
        (struct timeline_loss){
            .begin_ns = cut->begin,
            .end_ns = cut->end,
            .cpu = log->cpu,
            .file = log->file,
            .events = log->events,
        };
}

/* A cut counts as a loss of all rows in it. */
static void lose_cuts(struct rows_reading *r)
{
    struct rows *rows = r->rows;
    const struct log *log;
    unsigned int b;
    uint32_t i;

    for (i = 1; i < rows->cuts.nr; i++)
        windows_add(&rows->cut, cuts_end(&rows->cuts, i - 1),
                    rows->cuts.epoch[i].begin_ns);
    for (i = 0; i < rows->cut.nr; i++)
        for (b = 0; b < NR_BUCKETS; b++)
            for (log = r->bucket[b]; log; log = log->next)
                lose_in_cut(rows, log, &rows->cut.window[i]);
}

/* Derives the date of time 0 from that of the recording's begin. */
static void note_date(struct rows_reading *r)
{
    const struct xensched_recording_header *header =
        xensched_recording_header(r->recording);
    struct rows *rows = r->rows;

    if (header->start_tsc && rows->tsc_khz)
        rows->utc_ns = header->start_ns + rows->begin_ns -
                       xensched_cycles_to_ns(header->start_tsc, rows->tsc_khz);
}

/* Before the first cut, system times may be earlier than the first row. */
static void put_system_times_in_order(struct rows *rows)
{
    size_t i;

    for (i = 0; i < rows->nr_system_times; i++) {
        uint64_t key = rows->system_time[i].ns;

        rows->system_time[i].ns = key >> CUTS_KEY_BITS
                                  ? cuts_time(&rows->cuts, key)
                                  : key - rows->begin_ns;
    }
}

static void put_in_order(struct rows_reading *r)
{
    struct rows *rows = r->rows;
    size_t i;

    order_sort(rows->row, rows->nr, sizeof(*rows->row), is_later);
    if (!rows->nr)
        linux_rows_note(&rows->linux_rows, &rows->cuts);
    cuts_settle(&rows->cuts);
    rows->begin_ns = rows->cuts.epoch[0].first;
    for (i = 0; i < rows->nr; i++)
        rows->row[i].ns = cuts_time(&rows->cuts, rows->row[i].ns);
    put_system_times_in_order(rows);
    note_date(r);
    rows->end_ns = rows->nr ? rows->row[rows->nr - 1].ns
                            : cuts_end(&rows->cuts, rows->cuts.nr - 1);
    linux_rows_put_in_order(&rows->linux_rows, &rows->cuts, rows->end_ns);
    rows->read_ns = r->ahead_known ? r->ahead_ns + rows->begin_ns : 0;
    notes_put_in_order(&rows->notes, &rows->names, rows->read_ns, rows->end_ns);
    end_losses(r);
    lose_cuts(r);
    order_sort(rows->loss, rows->nr_losses, sizeof(*rows->loss), begins_later);
}

/*
 * Learns the upper bits of small time stamps, except of files that cannot be read twice, such as a
 * pipe.
 */
static void learn_stamps(struct rows_reading *r, const char *path)
{
    struct xensched_source *source;
    struct stat st;
    char *spec;

    r->stamps.reference = xensched_recording_header(r->recording)->start_tsc;
    r->stamps.known = r->stamps.reference;
    if (r->stamps.known || stat(path, &st) || !S_ISREG(st.st_mode) ||
        asprintf(&spec, "recording:%s", path) < 0)
        return;
    if (!xensched_source_open(spec, NULL, &source, NULL)) {
        stamps_learn_from_source(&r->stamps, source);
        xensched_source_close(source);
    }
    free(spec);
}

int rows_read(struct rows *rows, const char *path, struct xensched_error *err)
{
    struct rows_reading r = { .rows = rows };
    struct xensched_error why;
    struct xensched_record record;
    int rc;

    memset(rows, 0, sizeof(*rows));
    rc = xensched_recording_open(path, &r.recording, err);
    if (rc)
        return rc;
    names_init(&rows->names);
    cuts_init(&rows->cuts);
    learn_stamps(&r, path);
    rows->tsc_khz = xensched_recording_tsc_khz(r.recording);
    rows->granule_ns = 1;
    while ((rc = xensched_recording_read(r.recording, &record, &why)) > 0)
        accept_record(&r, &record);
    if (rc < 0)
        snprintf(rows->defect, sizeof(rows->defect), "%s", why.text);
    put_in_order(&r);
    free_logs(&r);
    xensched_recording_close(r.recording);

    return 0;
}

void rows_sort(struct rows *rows)
{
    order_sort(rows->row, rows->nr, sizeof(*rows->row), is_later);
    order_sort(rows->loss, rows->nr_losses, sizeof(*rows->loss), begins_later);
    if (rows->nr && rows->row[rows->nr - 1].ns > rows->end_ns)
        rows->end_ns = rows->row[rows->nr - 1].ns;
}

void rows_free(struct rows *rows)
{
    free(rows->row);
    free(rows->loss);
    free(rows->system_time);
    cuts_free(&rows->cuts);
    windows_free(&rows->cut);
    linux_rows_free(&rows->linux_rows);
    notes_free(&rows->notes);
    names_free(&rows->names);
    memset(rows, 0, sizeof(*rows));
}
