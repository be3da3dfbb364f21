/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts rows per interval, and the most that a reader finds if it reads every n intervals.
 *
 * Such a reader may read at any time, so its rows lie in at most n + 1 intervals: the largest sum
 * of n + 1 consecutive intervals is the most that it can find.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "intervals.h"

/* Far from the wrap of 32-bit time stamps, in either direction. */
#define FIRST_CYCLES (1ULL << 62)

void intervals_init(struct intervals *in, uint64_t length_ns, uint64_t tsc_khz)
{
    memset(in, 0, sizeof(*in));
    in->length_ns = length_ns;
    in->tsc_khz = tsc_khz;
}

void intervals_add_reader(struct intervals *in, uint64_t reader_ns)
{
    uint64_t n = (reader_ns + in->length_ns - 1) / in->length_ns + 1;

    assert(in->nr_readers < INTERVALS_READERS && n <= INTERVALS_WINDOW);
    in->reader_ns[in->nr_readers] = reader_ns;
    in->window[in->nr_readers++] = n;
}

static struct interval_log *add_log(struct intervals *in,
                                    const struct xensched_batch *batch)
{
    struct interval_log *log = calloc(1, sizeof(*log));
    struct interval_log **logs;

    logs = realloc(in->logs, (in->nr_logs + 1) * sizeof(*logs));
    if (!log || !logs) {
        complain("out of memory");
        exit(EXIT_FAILED);
    }
    log->cpu = batch->cpu;
    log->file = batch->file;
    log->stamps.known = true;
    log->stamps.reference = FIRST_CYCLES;
    in->logs = logs;
    in->logs[in->nr_logs++] = log;

    return log;
}

static struct interval_log *find_log(struct intervals *in,
                                     const struct xensched_batch *batch)
{
    size_t i;

    for (i = 0; i < in->nr_logs; i++)
        if (in->logs[i]->cpu == batch->cpu && in->logs[i]->file == batch->file)
            return in->logs[i];

    return add_log(in, batch);
}

static void begin_interval(struct intervals *in, struct interval_log *log)
{
    unsigned int i;

    log->at++;
    for (i = 0; i < in->nr_readers; i++)
        log->sum[i] -= log->bytes[(log->at - in->window[i]) %
                                  INTERVALS_WINDOW];
    log->bytes[log->at % INTERVALS_WINDOW] = 0;
}

/*
 * Clocks of emulated pCPUs can go back slightly, so the interval before the present one still
 * counts as present.
 */
static void go_to(struct intervals *in, struct interval_log *log, uint64_t at)
{
    unsigned int i;

    if (at == log->at || at + 1 == log->at)
        return;
    for (i = 0; i <= INTERVALS_NO_EVENT; i++)
        log->events[i].now = 0;
    if (at > log->at && at - log->at < INTERVALS_WINDOW) {
        while (log->at < at)
            begin_interval(in, log);
        return;
    }
    memset(log->bytes, 0, sizeof(log->bytes));
    memset(log->sum, 0, sizeof(log->sum));
    log->at = at;
}

static void count_row(const struct intervals *in, struct interval_log *log,
                      unsigned int event, uint64_t bytes)
{
    struct interval_event *e = &log->events[event];
    unsigned int i;

    log->rows++;
    e->rows++;
    if (++e->now > e->most)
        e->most = e->now;
    log->bytes[log->at % INTERVALS_WINDOW] += bytes;
    for (i = 0; i < in->nr_readers; i++) {
        log->sum[i] += bytes;
        if (log->sum[i] > log->most[i])
            log->most[i] = log->sum[i];
    }
}

static uint64_t interval_of(struct intervals *in, struct interval_log *log,
                            const struct xensched_batch *batch,
                            const struct xensched_row *row)
{
    unsigned __int128 cycles;

    if (!in->tsc_khz || !(row->valid & XENSCHED_ROW_TIME) ||
        xensched_layout_tsc_shift(&batch->layout) < 0)
        return batch->time_ns / in->length_ns;
    cycles = stamp_cycles(&log->stamps, &batch->layout, row);

    return cycles * 1000000 / in->tsc_khz / in->length_ns;
}

static unsigned int event_of(const struct xensched_row *row)
{
    return row->valid & XENSCHED_ROW_EVENT && row->event < INTERVALS_NO_EVENT
           ? row->event : INTERVALS_NO_EVENT;
}

void intervals_take(struct intervals *in, const struct xensched_batch *batch)
{
    size_t nr = xensched_batch_rows(batch), i;
    struct interval_log *log;
    struct xensched_row row;

    if (!in->first_ns)
        in->first_ns = batch->time_ns;
    in->last_ns = batch->time_ns;
    if (!nr && !batch->lost_bytes)
        return;
    log = find_log(in, batch);
    in->rows += nr;
    in->lost_rows += batch->lost_rows;
    in->lost_bytes += batch->lost_bytes;
    log->lost_rows += batch->lost_rows;
    log->lost_bytes += batch->lost_bytes;
    if (batch->layout.size > log->row_size)
        log->row_size = batch->layout.size;
    for (i = 0; i < nr; i++) {
        xensched_batch_row(batch, i, &row);
        go_to(in, log, interval_of(in, log, batch, &row));
        count_row(in, log, event_of(&row), batch->layout.size);
    }
}

double intervals_number(const struct intervals *in)
{
    return 1 + (double)(in->last_ns - in->first_ns) / in->length_ns;
}

void intervals_free(struct intervals *in)
{
    while (in->nr_logs)
        free(in->logs[--in->nr_logs]);
    free(in->logs);
}
