/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Lists what a recording contains: header, sources, and the number of batches
 * and lost rows of each, in the order of the file.
 *
 *   xensched record --seconds 1 rows && ./list-sources rows
 */
#include <inttypes.h>
#include <stdio.h>

#include <xensched/recording.h>

struct totals {
    uint64_t batches, rows, lost_rows;
};

static struct totals totals[XENSCHED_MAX_SOURCES];

static void add_batch(const struct xensched_batch *batch)
{
    struct totals *t = &totals[batch->source];

    t->batches++;
    t->rows += xensched_batch_rows(batch);
    t->lost_rows += batch->lost_rows;
}

static void print_sources(const struct xensched_recording *recording)
{
    uint32_t id;

    for (id = 0; id < XENSCHED_MAX_SOURCES; id++) {
        const struct xensched_source_info *info =
            xensched_recording_source(recording, id);

        if (info)
            printf("source %u: %s, %s: %" PRIu64 " batches, %" PRIu64
                   " rows, %" PRIu64 " lost\n", id,
                   xensched_kind_name(info->kind), info->name,
                   totals[id].batches, totals[id].rows, totals[id].lost_rows);
    }
}

int main(int argc, char **argv)
{
    const struct xensched_recording_header *header;
    struct xensched_recording *recording;
    struct xensched_record record;
    struct xensched_error err;
    int rc;

    if (argc != 2) {
        fprintf(stderr, "usage: list-sources RECORDING\n");
        return 2;
    }
    if (xensched_recording_open(argv[1], &recording, &err)) {
        fprintf(stderr, "list-sources: %s\n", err.text);
        return 1;
    }
    header = xensched_recording_header(recording);
    printf("version %u, TSC of %" PRIu64 " kHz\n", header->version,
           header->tsc_khz);
    while ((rc = xensched_recording_read(recording, &record, &err)) == 1)
        if (record.what == XENSCHED_RECORDED_ROWS)
            add_batch(&record.batch);
    print_sources(recording);
    xensched_recording_close(recording);
    if (rc < 0)
        fprintf(stderr, "list-sources: %s\n", err.text);

    return rc < 0;
}
