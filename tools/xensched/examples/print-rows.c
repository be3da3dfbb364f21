/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Prints the rows of all sources of a recording in the order of the host's
 * clock, with the bound of each time's error.
 *
 *   xensched record --seconds 1 rows && ./print-rows rows
 */
#include <inttypes.h>
#include <stdio.h>

#include <xensched/event.h>
#include <xensched/merge.h>

static void print_row(const struct xensched_merge *merge,
                      const struct xensched_merged *m)
{
    const struct xensched_source_info *source =
        xensched_merge_source(merge, m->source);
    const char *event = xensched_event_name(m->row.event);

    if (m->error_ns == XENSCHED_NO_TIME)
        printf("%20s", "-");
    else
        printf("%20" PRIu64 " +- %" PRIu64, m->time_ns, m->error_ns);
    printf(" %s CPU %u: %s %u -> %u, %" PRIu64 "\n",
           source ? xensched_kind_name(source->kind) : "?", m->row.cpu,
           event ? event : "?", m->row.current, m->row.correspondent,
           m->row.counter);
}

int main(int argc, char **argv)
{
    struct xensched_merge *merge;
    struct xensched_merged m;
    struct xensched_error err;
    int rc;

    if (argc != 2) {
        fprintf(stderr, "usage: print-rows RECORDING\n");
        return 2;
    }
    if (xensched_merge_open(argv[1], &merge, &err)) {
        fprintf(stderr, "print-rows: %s\n", err.text);
        return 1;
    }
    while ((rc = xensched_merge_next(merge, &m, &err)) == 1)
        if (m.what == XENSCHED_MERGED_ROW)
            print_row(merge, &m);
        else if (m.what == XENSCHED_MERGED_LOSS)
            printf("CPU %u: %" PRIu64 " rows lost\n", m.row.cpu, m.lost_rows);
    xensched_merge_close(merge);
    if (rc < 0)
        fprintf(stderr, "print-rows: %s\n", err.text);

    return rc < 0;
}
