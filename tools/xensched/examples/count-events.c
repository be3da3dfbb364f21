/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Counts the rows of each event of any source, live or recorded.
 *
 *   ./count-events hypervisor             # of this host, for 10 s; as root
 *   ./count-events recording:rows
 *   ./count-events synthetic:rows=1000,pair=evtchn-send/2/3/1/1
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include <xensched/event.h>
#include <xensched/source.h>

#define SECONDS 10
#define BLOCK   64 /* rows decoded at once */

static uint64_t rows_of_event[XEN_SCHEDLOG_NR_EVENTS];
static uint64_t lost_rows;

static void count_batch(const struct xensched_batch *batch)
{
    struct xensched_row rows[BLOCK];
    size_t first = 0, nr, i;

    lost_rows += batch->lost_rows;
    while ((nr = xensched_batch_decode(batch, first, rows, BLOCK))) {
        for (i = 0; i < nr; i++)
            if (rows[i].valid & XENSCHED_ROW_EVENT &&
                rows[i].event < XEN_SCHEDLOG_NR_EVENTS)
                rows_of_event[rows[i].event]++;
        first += nr;
    }
}

/* Polls ten times per second: a log buffer lasts for longer. */
static void wait_for_rows(void)
{
    struct timespec pause = { .tv_nsec = 100000000 };

    nanosleep(&pause, NULL);
}

int main(int argc, char **argv)
{
    struct xensched_source *source;
    struct xensched_batch batch;
    struct xensched_error err;
    time_t end = time(NULL) + SECONDS;
    unsigned int event;
    int rc;

    if (argc != 2) {
        fprintf(stderr, "usage: count-events SOURCE\n");
        return 2;
    }
    if (xensched_source_open(argv[1], NULL, &source, &err)) {
        fprintf(stderr, "count-events: %s\n", err.text);
        return 1;
    }
    while ((rc = xensched_source_next(source, &batch, &err)) >= 0 &&
           rc != XENSCHED_END && time(NULL) < end) {
        if (rc == XENSCHED_BATCH)
            count_batch(&batch);
        else
            wait_for_rows();
    }
    xensched_source_close(source);
    for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
        if (rows_of_event[event])
            printf("%-12s %" PRIu64 "\n", xensched_event_name(event),
                   rows_of_event[event]);
    printf("%-12s %" PRIu64 "\n", "lost", lost_rows);
    if (rc < 0)
        fprintf(stderr, "count-events: %s\n", err.text);

    return rc < 0;
}
