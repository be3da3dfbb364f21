/* SPDX-License-Identifier: GPL-2.0-only */
/* Orders the rows and losses of a recording for a CTF trace. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/merge.h>

#include "ctf-rows.h"
#include "base/alloc.h"
#include "timeline/rows/row-order.h"

#define NR_BUCKETS 65536U

#define NO_ITEM SIZE_MAX

static bool is_log(const struct ctf_log *log, const struct xensched_merged *m)
{
    return log->source == m->source && log->cpu == m->row.cpu &&
           log->file == m->file;
}

/* Fails if there are too many logs. */
static int log_of(struct ctf_rows *rows, const struct xensched_merged *m,
                  uint32_t *log, struct xensched_error *err)
{
    uint32_t at = (m->source * 2654435761U ^ m->row.cpu * 31U ^
                   m->file * 40503U) % NR_BUCKETS;

    for (; rows->bucket[at]; at = (at + 1) % NR_BUCKETS)
        if (is_log(&rows->log[rows->bucket[at] - 1], m)) {
            *log = rows->bucket[at] - 1;
            return 0;
        }
    if (rows->nr_logs == CTF_MAX_LOGS)
        return xensched_fail(err, E2BIG, "the recording has more than %u log "
                             "buffers, and a trace would have a file for each",
                             CTF_MAX_LOGS);
    *list_add(rows->log, rows->nr_logs, rows->logs_room) = (struct ctf_log){
        .source = m->source, .cpu = m->row.cpu, .file = m->file,
        .row = NO_ITEM, .loss_end = NO_ITEM,
    };
    *log = rows->nr_logs - 1;
    rows->bucket[at] = rows->nr_logs;

    return 0;
}

static uint16_t domid_of(const struct ctf_rows *rows,
                         const struct xensched_merged *m, unsigned int valid,
                         uint16_t acct)
{
    const struct names_entry *e = &rows->names.entry[acct];

    if (m->source || !(m->row.valid & valid) || !e->text || e->domid > 0x7fff)
        return CTF_NO_DOMID;

    return e->domid;
}

static void add_item(struct ctf_rows *rows, const struct ctf_item *item)
{
    *list_add(rows->item, rows->nr, rows->room) = *item;
}

static uint64_t limit_ns(uint64_t ns)
{
    return ns < CTF_MAX_NS ? ns : CTF_MAX_NS;
}

static void swap_rows(struct ctf_rows *rows, size_t a, size_t b)
{
    struct ctf_item item = rows->item[a];

    rows->item[a] = rows->item[b];
    rows->item[b] = item;
}

/*
 * Chooses the row in the packet of a loss, without which some readers stop: the last row before the
 * loss, unless the packet before would then be empty, and otherwise the first row after it.
 */
static void settle_loss(struct ctf_rows *rows, struct ctf_log *log)
{
    size_t begin = rows->nr - 1;
    uint64_t ns = rows->item[begin].ns;

    log->loss_has_row = log->row != NO_ITEM && rows->item[log->row].ns == ns &&
                        (log->row_in_front || !log->lost_until_ns ||
                         log->lost_until_ns == ns);
    if (log->loss_has_row)
        swap_rows(rows, log->row, begin);
    log->row = NO_ITEM;
}

static void settle_row(struct ctf_rows *rows, struct ctf_log *log)
{
    size_t row = rows->nr - 1, end = log->loss_end;

    log->row_in_front = log->row != NO_ITEM;
    log->row = row;
    log->loss_end = NO_ITEM;
    if (end == NO_ITEM || log->loss_has_row ||
        rows->item[end].ns != rows->item[row].ns)
        return;
    swap_rows(rows, row, end);
    log->row = NO_ITEM;
}

static void take_row(struct ctf_rows *rows, uint32_t log,
                     const struct xensched_merged *m)
{
    if (m->error_ns == XENSCHED_NO_TIME) {
        rows->untimed++;
        return;
    }
    rows->nr_rows++;
    add_item(rows, &(struct ctf_item){
             .ns = limit_ns(m->time_ns),
             .counter = m->row.counter,
             .log = log,
             .event = m->row.event,
             .current = m->row.current,
             .correspondent = m->row.correspondent,
             .current_domid = domid_of(rows, m, XENSCHED_ROW_CURRENT,
                                       m->row.current),
             .correspondent_domid = domid_of(rows, m, XENSCHED_ROW_CORRESPONDENT,
                                             m->row.correspondent),
             .valid = m->row.valid,
             .what = CTF_ROW,
    });
    settle_row(rows, &rows->log[log]);
}

/* Two losses without a row in between are one. */
static void widen_loss(struct ctf_rows *rows, size_t end,
                       const struct xensched_merged *m)
{
    struct ctf_loss *loss = &rows->loss[rows->item[end].counter];

    if (limit_ns(m->time_ns) > loss->end_ns)
        loss->end_ns = rows->item[end].ns = limit_ns(m->time_ns);
    loss->rows = loss->rows && m->lost_rows ? loss->rows + m->lost_rows : 0;
}

/* A loss begins at the row before it, or, without one, at the beginning of the recording. */
static void add_loss(struct ctf_rows *rows, uint32_t index,
                     const struct xensched_merged *m)
{
    struct ctf_log *log = &rows->log[index];
    struct ctf_loss loss = {
        .begin_ns = limit_ns(m->since_ns),
        .end_ns = limit_ns(m->time_ns),
        .rows = m->lost_rows,
    };
    struct ctf_item item = { .log = index, .counter = rows->nr_losses };

    if (loss.begin_ns < log->lost_until_ns)
        loss.begin_ns = log->lost_until_ns;
    if (loss.end_ns < loss.begin_ns)
        loss.end_ns = loss.begin_ns;
    *list_add(rows->loss, rows->nr_losses, rows->losses_room) = loss;
    item.what = CTF_LOSS_BEGINS;
    item.ns = loss.begin_ns;
    add_item(rows, &item);
    settle_loss(rows, log);
    item.what = CTF_LOSS_ENDS;
    item.ns = loss.end_ns;
    add_item(rows, &item);
    log->loss_end = rows->nr - 1;
}

static void take_loss(struct ctf_rows *rows, uint32_t index,
                      const struct xensched_merged *m)
{
    struct ctf_log *log = &rows->log[index];

    rows->lost_rows += m->lost_rows;
    rows->uncounted |= !m->lost_rows;
    if (log->loss_end == NO_ITEM)
        add_loss(rows, index, m);
    else
        widen_loss(rows, log->loss_end, m);
    log->lost_until_ns = rows->loss[rows->item[log->loss_end].counter].end_ns;
}

static int accept_merged(struct ctf_rows *rows, const struct xensched_merge *merge,
                         const struct xensched_merged *m, struct xensched_error *err)
{
    const struct xensched_source_info *info;
    uint32_t log = 0;
    int rc;

    if (m->what == XENSCHED_MERGED_HOST) {
        names_learn(&rows->names, m->text, m->length);
        return 0;
    }
    rc = log_of(rows, m, &log, err);
    if (rc)
        return rc;
    info = xensched_merge_source(merge, m->source);
    if (info && !rows->source[m->source].rows++)
        rows->source[m->source].info = *info;
    if (m->what == XENSCHED_MERGED_ROW)
        take_row(rows, log, m);
    else
        take_loss(rows, log, m);

    return 0;
}

static bool is_later(const void *a, const void *b)
{
    return ((const struct ctf_item *)a)->ns > ((const struct ctf_item *)b)->ns;
}

static void put_in_order(struct ctf_rows *rows)
{
    size_t i;

    for (i = 0; i < rows->nr; i++)
        if (rows->item[i].what != CTF_LOSS_BEGINS &&
            (!rows->begin_ns || rows->item[i].ns < rows->begin_ns))
            rows->begin_ns = rows->item[i].ns;
    for (i = 0; i < rows->nr; i++) {
        struct ctf_item *item = &rows->item[i];

        if (item->what != CTF_LOSS_BEGINS || item->ns >= rows->begin_ns)
            continue;
        item->ns = rows->loss[item->counter].begin_ns = rows->begin_ns;
    }
    order_sort(rows->item, rows->nr, sizeof(*rows->item), is_later);
    if (rows->nr)
        rows->end_ns = rows->item[rows->nr - 1].ns;
}

static void note_clocks(struct ctf_rows *rows,
                        const struct xensched_merge *merge)
{
    uint64_t utc_ns = xensched_merge_utc_ns(merge, 0);
    unsigned int id;

    rows->utc_ns = utc_ns < CTF_MAX_NS ? utc_ns : 0;
    rows->no_ns = !xensched_merge_header(merge)->tsc_khz;
    for (id = 0; id < XENSCHED_MAX_SOURCES; id++) {
        struct xensched_merge_stats stats;

        xensched_merge_stats(merge, id, &stats);
        rows->source[id].error_ns = stats.error_ns;
        rows->source[id].rows = stats.rows;
        /* Rows of a guest may be forged, so only the hypervisor's count. */
        rows->went_back |= !id && stats.backwards;
    }
}

int ctf_rows_read(struct ctf_rows *rows, const char *path,
                  struct xensched_error *err)
{
    struct xensched_merge *merge;
    struct xensched_merged m;
    struct xensched_error why;
    int rc;

    memset(rows, 0, sizeof(*rows));
    rc = xensched_merge_open(path, &merge, err);
    if (rc)
        return rc;
    names_init(&rows->names);
    rows->bucket = need_memory(NR_BUCKETS, sizeof(*rows->bucket));
    rows->source = need_memory(XENSCHED_MAX_SOURCES, sizeof(*rows->source));
    while ((rc = xensched_merge_next(merge, &m, &why)) > 0)
        if (accept_merged(rows, merge, &m, err)) {
            xensched_merge_close(merge);
            ctf_rows_free(rows);
            return err->code;
        }
    if (rc < 0)
        snprintf(rows->defect, sizeof(rows->defect), "%s", why.text);
    note_clocks(rows, merge);
    put_in_order(rows);
    xensched_merge_close(merge);

    return 0;
}

void ctf_rows_free(struct ctf_rows *rows)
{
    free(rows->item);
    free(rows->loss);
    free(rows->log);
    free(rows->bucket);
    free(rows->source);
    names_free(&rows->names);
    memset(rows, 0, sizeof(*rows));
}
