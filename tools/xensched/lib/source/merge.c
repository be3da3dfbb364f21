/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Merges the sources of a recording into one order of time.
 *
 * A row waits until no earlier one can come.  For that a recording contains rounds: a round with
 * the host's TSC t comes after all rows that were complete at t.  A row that was being written then
 * is in the next round, so a round makes the rows ready that are older than the beginning of the
 * round before.  Version 1 has no rounds; there a row waits for two seconds' worth of other rows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/merge.h>

#include "merge-queue.h"

/* Rows that are merely late are less than this before their predecessor. */
#define BACK_NS 1000000000ULL

#define MAX_LANES   (1U << 20)
#define NR_BUCKETS  4096U
#define WITHOUT_ROUNDS_NS 2000000000ULL

/* A log buffer of a CPU of a source. */
struct lane {
    struct lane *next;
    uint32_t source, cpu, file;
    uint64_t last_ns;
};

struct source {
    struct xensched_merge_stats stats;
    struct xensched_clock *clocks; /* [nr_clocks], by vCPU */
    size_t nr_clocks;
    bool known;
    uint64_t latest; /* its own TSC, from a row or a round */
};

struct xensched_merge {
    struct xensched_recording *recording;
    const struct xensched_recording_header *header;
    struct merge_queue queue;
    struct lane *lanes[NR_BUCKETS];
    size_t nr_lanes;
    struct source *sources[XENSCHED_MAX_SOURCES];
    uint64_t round_tsc;  /* beginning of the latest round; 0: none */
    uint64_t limit_ns;   /* no earlier row comes */
    uint64_t sorted_ns;    /* all earlier rows were made ready */
    uint64_t delivered_ns; /* the latest time that was delivered */
    struct xensched_record record; /* the record that was read last, */
    size_t row;                    /* of which the next row is this one */
    size_t nr_rows;                /* of this number */
    char *text;          /* of the item that was delivered last */
    int ended;           /* the last result of reading */
    bool over;
    struct xensched_error why;
};

static int no_memory(struct xensched_error *err)
{
    return xensched_fail(err, ENOMEM, "out of memory");
}

static struct source *source_of(struct xensched_merge *m, uint32_t id)
{
    if (id >= XENSCHED_MAX_SOURCES)
        return NULL;
    if (!m->sources[id])
        m->sources[id] = calloc(1, sizeof(struct source));

    return m->sources[id];
}

static struct lane *lane_of(struct xensched_merge *m, uint32_t source,
                            uint32_t cpu, uint32_t file,
                            struct xensched_error *err)
{
    uint64_t hash = ((uint64_t)source << 40 ^ (uint64_t)cpu << 16 ^ file) *
                    0x9e3779b97f4a7c15ULL;
    struct lane **bucket = &m->lanes[hash >> 52], *lane;

    for (lane = *bucket; lane; lane = lane->next)
        if (lane->source == source && lane->cpu == cpu && lane->file == file)
            return lane;
    if (m->nr_lanes == MAX_LANES) {
        xensched_fail(err, EILSEQ, "the recording claims more log buffers than "
                      "there can be");
        return NULL;
    }
    lane = calloc(1, sizeof(*lane));
    if (!lane) {
        no_memory(err);
        return NULL;
    }
    m->nr_lanes++;
    lane->source = source;
    lane->cpu = cpu;
    lane->file = file;
    lane->next = *bucket;
    *bucket = lane;

    return lane;
}

/* Time. */

static uint64_t to_ns(const struct xensched_merge *m, uint64_t tsc)
{
    return xensched_cycles_to_ns(tsc, m->header->tsc_khz);
}

static const struct xensched_clock *clock_of(const struct source *s,
                                             uint32_t cpu)
{
    if (!s->nr_clocks)
        return NULL;
    /* A vCPU without a reading usually has the clock of the first one. */
    if (cpu < s->nr_clocks && s->clocks[cpu].host_khz)
        return &s->clocks[cpu];

    return s->clocks[0].host_khz ? &s->clocks[0] : NULL;
}

/* Extends a time stamp to 64 bits: the value nearest to the known times. */
static uint64_t whole_time(const struct xensched_merge *m, const struct source *s,
                           const struct xensched_clock *clock,
                           const struct xensched_layout *layout, uint64_t time)
{
    unsigned int shift = xensched_layout_tsc_shift(layout);
    uint64_t cycles = time << shift, span, after, near = s->latest;

    if (layout->time_size != 4 || shift >= 32)
        return cycles;
    if (m->round_tsc)
        near = clock ? xensched_clock_to_guest(clock, m->round_tsc)
                     : m->round_tsc;
    if (!near)
        return cycles;
    span = 1ULL << (32 + shift);
    after = (cycles - near) & (span - 1);
    cycles = near + after;
    if (after >= span / 2 && cycles >= span)
        cycles -= span;

    return cycles;
}

/* Sets time_ns and error_ns of @item, whose row is decoded. */
static void set_time(struct xensched_merge *m, struct source *s,
                     const struct xensched_layout *layout,
                     const struct lane *lane, struct xensched_merged *item)
{
    const struct xensched_clock *clock = clock_of(s, item->row.cpu);
    int shift = xensched_layout_tsc_shift(layout);
    uint64_t tsc, error;

    if (!(item->row.valid & XENSCHED_ROW_TIME) || shift < 0) {
        item->time_ns = lane->last_ns > m->limit_ns ? lane->last_ns
                                                    : m->limit_ns;
        item->error_ns = XENSCHED_NO_TIME;
        return;
    }
    tsc = whole_time(m, s, clock, layout, item->row.time);
    s->latest = tsc;
    error = shift < 40 ? (1ULL << shift) - 1 : 0;
    if (clock) {
        tsc = xensched_clock_to_host(clock, tsc);
        error += clock->error;
    }
    item->time_ns = to_ns(m, tsc);
    item->error_ns = to_ns(m, error);
}

/* Records of the recording. */

static int take_loss(struct xensched_merge *m, const struct lane *lane,
                     const struct xensched_batch *batch, uint64_t time_ns,
                     struct xensched_error *err)
{
    struct xensched_merged item = {
        .what = XENSCHED_MERGED_LOSS,
        .source = batch->source,
        .file = batch->file,
        .time_ns = time_ns,
        .row.cpu = batch->cpu,
        .since_ns = lane->last_ns < time_ns ? lane->last_ns : time_ns,
        .lost_rows = batch->lost_rows,
        .lost_bytes = batch->lost_bytes,
    };

    return merge_queue_add(&m->queue, &item, err);
}

/* Handles what precedes the first row, and counts the rows. */
static int begin_rows(struct xensched_merge *m,
                      const struct xensched_batch *batch,
                      struct xensched_error *err)
{
    struct lane *lane;

    if (batch->source >= XENSCHED_MAX_SOURCES)
        return xensched_fail(err, EILSEQ, "the recording has rows of source "
                             "%u, which cannot be", batch->source);
    lane = lane_of(m, batch->source, batch->cpu, batch->file, err);
    if (!lane || !source_of(m, batch->source))
        return lane ? no_memory(err) : err->code;
    m->row = 0;
    m->nr_rows = xensched_batch_rows(batch);
    if (m->nr_rows || !(batch->lost_rows || batch->lost_bytes))
        return 0;

    return take_loss(m, lane, batch, m->limit_ns > lane->last_ns
                                     ? m->limit_ns : lane->last_ns, err);
}

/* Takes as many rows as there is room for. */
static int take_rows(struct xensched_merge *m, struct xensched_error *err)
{
    const struct xensched_batch *batch = &m->record.batch;
    struct xensched_merged item = {
        .what = XENSCHED_MERGED_ROW,
        .source = batch->source,
        .file = batch->file,
    };
    struct source *s = m->sources[batch->source];
    struct lane *lane = lane_of(m, batch->source, batch->cpu, batch->file,
                                err);
    int rc = 0;

    while (!rc && m->row < m->nr_rows && m->queue.nr < MERGE_QUEUE_MAX) {
        xensched_batch_row(batch, m->row, &item.row);
        set_time(m, s, &batch->layout, lane, &item);
        s->stats.backwards += item.time_ns + BACK_NS < lane->last_ns;
        if (!m->row++ && (batch->lost_rows || batch->lost_bytes))
            rc = take_loss(m, lane, batch, item.time_ns, err);
        if (!rc)
            rc = merge_queue_add(&m->queue, &item, err);
        lane->last_ns = item.time_ns;
    }

    return rc;
}

static int take_host(struct xensched_merge *m, struct xensched_error *err)
{
    struct xensched_merged item = { .what = XENSCHED_MERGED_HOST };
    const char *text;
    size_t length;
    char *copy;
    int rc;

    xensched_recording_host(m->recording, &text, &length);
    copy = malloc(length + 1);
    if (!copy)
        return no_memory(err);
    memcpy(copy, text, length + 1);
    item.text = copy;
    item.length = length;
    /* Later rows belong to this host; rows that were being read may, too. */
    item.time_ns = m->limit_ns;
    rc = merge_queue_add(&m->queue, &item, err);
    if (rc)
        free(copy);

    return rc;
}

static int take_clock(struct xensched_merge *m, uint32_t source,
                      const struct xensched_clock *clock,
                      struct xensched_error *err)
{
    struct source *s = source_of(m, source);
    struct xensched_clock *clocks;
    size_t nr = clock->vcpu + 1;

    if (!s)
        return no_memory(err);
    if (nr > s->nr_clocks) {
        clocks = realloc(s->clocks, nr * sizeof(*clocks));
        if (!clocks)
            return no_memory(err);
        memset(clocks + s->nr_clocks, 0,
               (nr - s->nr_clocks) * sizeof(*clocks));
        s->clocks = clocks;
        s->nr_clocks = nr;
    }
    s->clocks[clock->vcpu] = *clock;
    if (!clock->host_khz || !clock->guest_khz)
        s->clocks[clock->vcpu].host_khz = s->clocks[clock->vcpu].guest_khz = 1;
    s->stats.clocks++;

    return 0;
}

static void take_round(struct xensched_merge *m, uint64_t host_tsc)
{
    uint64_t limit_ns = to_ns(m, m->round_tsc);

    if (limit_ns > m->limit_ns)
        m->limit_ns = limit_ns;
    m->round_tsc = host_tsc;
}

static int accept_record(struct xensched_merge *m, const struct xensched_record *record,
                         struct xensched_error *err)
{
    switch (record->what) {
    case XENSCHED_RECORDED_ROWS:
        return begin_rows(m, &record->batch, err);
    case XENSCHED_RECORDED_HOST:
        return take_host(m, err);
    case XENSCHED_RECORDED_CLOCK:
        return take_clock(m, record->source, &record->clock, err);
    case XENSCHED_RECORDED_ROUND:
        take_round(m, record->host_tsc);
        return 0;
    case XENSCHED_RECORDED_SOURCE:
        return source_of(m, record->source) ? 0 : no_memory(err);
    case XENSCHED_RECORDED_SYSTEM_TIME:
        break;
    }

    return 0;
}

/* Are there enough rows to make sorting worthwhile, and are some of them ready? */
static bool is_time(const struct xensched_merge *m)
{
    if (m->queue.nr < MERGE_QUEUE_MIN)
        return false;
    if (m->header->version > 1)
        return m->limit_ns > m->sorted_ns;

    return m->queue.newest_ns >= m->sorted_ns + 2 * WITHOUT_ROUNDS_NS;
}

/* Returns as xensched_recording_read(). */
static int take_next(struct xensched_merge *m, struct xensched_error *err)
{
    int rc = 1;

    if (m->row == m->nr_rows) {
        rc = xensched_recording_read(m->recording, &m->record, err);
        if (rc == 1 && accept_record(m, &m->record, err))
            rc = err->code;
    }
    if (rc == 1 && m->row < m->nr_rows && take_rows(m, err))
        rc = err->code;

    return rc;
}

/* Reads until a row is ready, or to the end. */
static void read_on(struct xensched_merge *m)
{
    while (!m->over && m->queue.at == m->queue.ready) {
        m->ended = take_next(m, &m->why);
        m->over = m->ended != 1;
        if (m->over) {
            merge_queue_sort(&m->queue, UINT64_MAX);
        } else if (m->queue.nr >= MERGE_QUEUE_MAX) {
            merge_queue_sort_half(&m->queue);
        } else if (is_time(m)) {
            if (m->header->version == 1)
                m->limit_ns = m->queue.newest_ns - WITHOUT_ROUNDS_NS;
            merge_queue_sort(&m->queue, m->limit_ns);
            m->sorted_ns = m->limit_ns;
        }
    }
}

static void count_item(struct xensched_merge *m, struct xensched_merged *item)
{
    struct xensched_merge_stats *stats;

    item->late = item->time_ns < m->delivered_ns;
    if (!item->late)
        m->delivered_ns = item->time_ns;
    if (item->what == XENSCHED_MERGED_HOST)
        return;
    stats = &m->sources[item->source]->stats;
    if (item->what == XENSCHED_MERGED_LOSS) {
        stats->lost_rows += item->lost_rows;
        stats->lost_bytes += item->lost_bytes;
        return;
    }
    stats->rows++;
    stats->late += item->late;
    if (item->error_ns == XENSCHED_NO_TIME)
        stats->untimed++;
    else if (item->error_ns > stats->error_ns)
        stats->error_ns = item->error_ns;
}

int xensched_merge_next(struct xensched_merge *m,
                        struct xensched_merged *merged,
                        struct xensched_error *err)
{
    free(m->text);
    m->text = NULL;
    read_on(m);
    if (m->queue.at == m->queue.ready) {
        if (m->ended < 0 && err)
            *err = m->why;
        return m->ended;
    }
    *merged = m->queue.sorted[m->queue.at++];
    m->text = (char *)merged->text;
    count_item(m, merged);

    return 1;
}

/* Opening and closing. */

/* For version 1: finds a complete time stamp, in the first rows that have one. */
static void find_first_stamp(struct xensched_merge *m, const char *path)
{
    struct xensched_recording *recording;
    struct xensched_batch batch;
    struct xensched_row row;
    struct source *s = source_of(m, 0);

    if (!s || xensched_recording_open(path, &recording, NULL))
        return;
    while (!s->latest &&
           xensched_recording_next(recording, &batch, NULL) == 1) {
        if (batch.layout.time_size != 8 || !xensched_batch_rows(&batch) ||
            xensched_layout_tsc_shift(&batch.layout) < 0)
            continue;
        xensched_batch_row(&batch, 0, &row);
        s->latest = row.time << xensched_layout_tsc_shift(&batch.layout);
    }
    xensched_recording_close(recording);
}

int xensched_merge_open(const char *path, struct xensched_merge **merge,
                        struct xensched_error *err)
{
    struct xensched_merge *m = calloc(1, sizeof(*m));
    int rc;

    if (!m)
        return no_memory(err);
    rc = xensched_recording_open(path, &m->recording, err);
    if (rc) {
        xensched_merge_close(m);
        return rc;
    }
    m->header = xensched_recording_header(m->recording);
    m->round_tsc = m->header->start_tsc;
    if (m->header->version == 1)
        find_first_stamp(m, path);
    *merge = m;

    return 0;
}

const struct xensched_recording_header *
xensched_merge_header(const struct xensched_merge *m)
{
    return m->header;
}

uint64_t xensched_merge_utc_ns(const struct xensched_merge *m,
                               uint64_t time_ns)
{
    if (!m->header->start_tsc)
        return 0;

    return m->header->start_ns + (time_ns - to_ns(m, m->header->start_tsc));
}

const struct xensched_source_info *
xensched_merge_source(const struct xensched_merge *m, uint32_t id)
{
    return xensched_recording_source(m->recording, id);
}

void xensched_merge_stats(const struct xensched_merge *m, uint32_t id,
                          struct xensched_merge_stats *stats)
{
    if (id < XENSCHED_MAX_SOURCES && m->sources[id])
        *stats = m->sources[id]->stats;
    else
        memset(stats, 0, sizeof(*stats));
}

void xensched_merge_close(struct xensched_merge *m)
{
    struct lane *lane;
    size_t i;

    if (!m)
        return;
    free(m->text);
    merge_queue_free(&m->queue);
    for (i = 0; i < NR_BUCKETS; i++)
        while ((lane = m->lanes[i])) {
            m->lanes[i] = lane->next;
            free(lane);
        }
    for (i = 0; i < XENSCHED_MAX_SOURCES; i++)
        if (m->sources[i]) {
            free(m->sources[i]->clocks);
            free(m->sources[i]);
        }
    xensched_recording_close(m->recording);
    free(m);
}
