/* SPDX-License-Identifier: GPL-2.0-only */
/* Collects rows of Linux in the order of the host's clock. */
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>

#include "linux-rows.h"
#include "base/alloc.h"
#include "row-order.h"

#define BLOCK      256U
#define NR_BUCKETS 4096U
#define NO_LOSS    SIZE_MAX

#define RINGS   (1U << XEN_SCHEDLOG_EV_RING_PAGES | \
                 1U << XEN_SCHEDLOG_EV_RING_SECTORS)
#define THREADS (1U << XEN_SCHEDLOG_EV_GUEST_SWITCH | \
                 1U << XEN_SCHEDLOG_EV_GUEST_WAKE | \
                 1U << XEN_SCHEDLOG_EV_GUEST_NAME)

/* A log buffer of a vCPU. */
struct linux_log {
    struct linux_log *next;
    uint32_t cpu, file;
    uint16_t source;
    bool others;      /* its first rows are about something else */
    bool threads, rings;
    struct cuts_log place;
    uint64_t last_ns;
    size_t pending;   /* a loss whose end is unknown yet, or NO_LOSS */
};

static uint16_t source_of(struct linux_rows *rows,
                          const struct xensched_source_info *info)
{
    size_t i;

    for (i = 0; i < rows->nr_sources; i++)
        if (rows->source[i].info.id == info->id)
            return i;
    *list_add(rows->source, rows->nr_sources, rows->sources_room) =
        (struct linux_source){ .info = *info };

    return i;
}

static struct linux_log *log_of(struct linux_rows *rows, uint16_t source,
                                uint32_t cpu, uint32_t file)
{
    struct linux_log **at;

    if (!rows->bucket)
        rows->bucket = need_memory(NR_BUCKETS, sizeof(*rows->bucket));
    at = &rows->bucket[(source * 961U + cpu * 31U + file) % NR_BUCKETS];
    for (; *at; at = &(*at)->next)
        if ((*at)->source == source && (*at)->cpu == cpu &&
            (*at)->file == file)
            return *at;
    *at = need_memory(1, sizeof(**at));
    **at = (struct linux_log){ .cpu = cpu, .file = file, .source = source,
                               .place.follows = true, .pending = NO_LOSS };

    return *at;
}

/* Clocks. */

void linux_rows_clock(struct linux_rows *rows,
                      const struct xensched_source_info *info,
                      const struct xensched_clock *clock, uint64_t tsc_khz)
{
    uint64_t error_ns = xensched_cycles_to_ns(clock->error, tsc_khz);
    uint16_t source = source_of(rows, info);
    struct linux_source *s = &rows->source[source];

    if (clock->vcpu >= XENSCHED_MAX_VCPUS)
        return;
    source_clocks_learn(&s->clocks, clock);
    s->told++;
    if (error_ns > s->error_ns)
        s->error_ns = error_ns;
}

/* Rows. */

static void begin_loss(struct linux_rows *rows, struct linux_log *log,
                       const struct xensched_batch *batch)
{
    struct linux_loss *loss;

    if (log->pending == NO_LOSS) {
        log->pending = rows->nr_losses;
        loss = list_add(rows->loss, rows->nr_losses, rows->losses_room);
        *loss = (struct linux_loss){
            .begin_ns = log->last_ns,
            .end_ns = UINT64_MAX,
            .log = log,
            .cpu = log->cpu,
            .source = log->source,
        };
    }
    rows->loss[log->pending].rows += batch->lost_rows;
}

static void take_row(struct linux_rows *rows, struct linux_log *log,
                     const struct xensched_row *row, uint64_t ns)
{
    log->last_ns = ns;
    if (1U << row->event & RINGS)
        log->rings = true;
    else
        log->threads = true;
    if (log->pending != NO_LOSS)
        rows->loss[log->pending].end_ns = ns;
    log->pending = NO_LOSS;
    *list_add(rows->row, rows->nr, rows->room) = (struct linux_row){
        .ns = ns,
        .counter = row->counter,
        .cpu = row->cpu,
        .source = log->source,
        .event = row->event,
        .other = row->valid & XENSCHED_ROW_CORRESPONDENT
                 ? row->correspondent : XEN_SCHEDLOG_ACCT_NONE,
    };
}

static bool is_about(const struct xensched_row *row, uint32_t events)
{
    return row->valid & XENSCHED_ROW_EVENT &&
           row->event < XEN_SCHEDLOG_NR_EVENTS && events & 1U << row->event;
}

static uint64_t ns_of(struct linux_source *s, const struct xensched_batch *batch,
                      const struct xensched_row *row, uint64_t tsc_khz)
{
    return xensched_cycles_to_ns(source_clocks_cycles(&s->clocks, batch->cpu,
                                                      &batch->layout, row),
                                 tsc_khz ? tsc_khz : 1000000);
}

void linux_rows_take(struct linux_rows *rows,
                     const struct xensched_source_info *info,
                     const struct xensched_batch *batch, uint64_t tsc_khz,
                     const struct stamps *host, struct cuts *cuts)
{
    uint16_t source = source_of(rows, info);
    struct linux_source *s = &rows->source[source];
    struct linux_log *log = log_of(rows, source, batch->cpu, batch->file);
    bool timed = xensched_layout_tsc_shift(&batch->layout) >= 0;
    bool wide = timed && batch->layout.time_size == 8 &&
                batch->layout.counter_size == 8;
    uint32_t events = (wide ? THREADS : 0) | (timed ? RINGS : 0);
    struct xensched_row block[BLOCK];
    size_t first = 0, nr, i;

    rows->lost_rows += batch->lost_rows;
    if (batch->lost_rows || batch->lost_bytes)
        begin_loss(rows, log, batch);
    source_clocks_know_time(&s->clocks, batch->cpu, host);
    while ((nr = xensched_batch_decode(batch, first, block, BLOCK))) {
        for (i = 0; i < nr; i++)
            if (is_about(&block[i], events))
                take_row(rows, log, &block[i],
                         cuts_key(cuts, &log->place,
                                  ns_of(s, batch, &block[i], tsc_khz)));
            else
                rows->left_out++;
        first += nr;
    }
    log->others |= first && !log->threads && !log->rings;
}

/* Order. */

static bool is_later(const void *a, const void *b)
{
    return ((const struct linux_row *)a)->ns > ((const struct linux_row *)b)->ns;
}

static bool begins_later(const void *a, const void *b)
{
    return ((const struct linux_loss *)a)->begin_ns >
           ((const struct linux_loss *)b)->begin_ns;
}

void linux_rows_note(const struct linux_rows *rows, struct cuts *cuts)
{
    size_t i;

    for (i = 0; i < rows->nr; i++)
        cuts_note(cuts, rows->row[i].ns);
}

static uint64_t time_within(const struct cuts *cuts, uint64_t key, uint64_t end_ns)
{
    uint64_t ns = key == UINT64_MAX ? end_ns : cuts_time(cuts, key);

    return ns < end_ns ? ns : end_ns;
}

/* A cut counts as a loss of all rows in it. */
static void lose_cuts(struct linux_rows *rows, const struct cuts *cuts)
{
    const struct linux_log *log;
    unsigned int b;
    uint32_t i;

    for (i = 1; i < cuts->nr; i++)
        for (b = 0; rows->bucket && b < NR_BUCKETS; b++)
            for (log = rows->bucket[b]; log; log = log->next)
                *list_add(rows->loss, rows->nr_losses, rows->losses_room) =
                    (struct linux_loss){
                        .begin_ns = cuts_end(cuts, i - 1),
                        .end_ns = cuts->epoch[i].begin_ns,
                        .log = log,
                        .cpu = log->cpu,
                        .source = log->source,
                    };
}

/* Forgets losses of a log buffer that has only other rows. */
static void forget_other_losses(struct linux_rows *rows)
{
    size_t i, nr = 0;

    for (i = 0; i < rows->nr_losses; i++) {
        struct linux_loss *loss = &rows->loss[i];
        const struct linux_log *log = loss->log;
        bool nothing = !log->threads && !log->rings;

        loss->threads = log->threads || nothing;
        loss->rings = log->rings || nothing;
        if (!nothing || !log->others)
            rows->loss[nr++] = *loss;
    }
    rows->nr_losses = nr;
}

void linux_rows_put_in_order(struct linux_rows *rows, const struct cuts *cuts,
                             uint64_t end_ns)
{
    size_t i;

    order_sort(rows->row, rows->nr, sizeof(*rows->row), is_later);
    for (i = 0; i < rows->nr; i++)
        rows->row[i].ns = time_within(cuts, rows->row[i].ns, end_ns);
    for (i = 0; i < rows->nr_losses; i++) {
        struct linux_loss *loss = &rows->loss[i];

        loss->begin_ns = time_within(cuts, loss->begin_ns, end_ns);
        loss->end_ns = time_within(cuts, loss->end_ns, end_ns);
        if (loss->end_ns < loss->begin_ns)
            loss->end_ns = loss->begin_ns;
    }
    lose_cuts(rows, cuts);
    forget_other_losses(rows);
    order_sort(rows->loss, rows->nr_losses, sizeof(*rows->loss), begins_later);
}

void linux_rows_free(struct linux_rows *rows)
{
    size_t i;

    for (i = 0; i < rows->nr_sources; i++)
        source_clocks_free(&rows->source[i].clocks);
    for (i = 0; rows->bucket && i < NR_BUCKETS; i++)
        while (rows->bucket[i]) {
            struct linux_log *log = rows->bucket[i];

            rows->bucket[i] = log->next;
            free(log);
        }
    free(rows->bucket);
    free(rows->source);
    free(rows->row);
    free(rows->loss);
    memset(rows, 0, sizeof(*rows));
}
