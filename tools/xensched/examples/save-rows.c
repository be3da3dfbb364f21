/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Writes the rows of any source that ends to a recording, which all commands of
 * xensched can read.
 *
 *   ./save-rows synthetic:rows=1000,pair=service-ns/2/3/1/500000 rows
 */
#include <stdio.h>

#include <xensched/source.h>

/* Returns 0, or a negative errno value. */
static int copy_rows(struct xensched_source *source,
                     struct xensched_recorder *recorder,
                     struct xensched_error *err)
{
    struct xensched_batch batch;
    int rc;

    while ((rc = xensched_source_next(source, &batch, err)) != XENSCHED_END) {
        if (rc < 0)
            return rc;
        if (rc == XENSCHED_BATCH &&
            (rc = xensched_recorder_write(recorder, &batch, err)) < 0)
            return rc;
    }

    return 0;
}

/* A recording introduces a source before its first row. */
static int introduce_source(struct xensched_recorder *recorder,
                            const struct xensched_source *source,
                            struct xensched_error *err)
{
    struct xensched_source_info info = {
        .kind = XENSCHED_KIND_HYPERVISOR,
        .tsc_khz = xensched_source_tsc_khz(source),
        .name = "save-rows",
    };

    return xensched_recorder_source(recorder, 0, &info, err);
}

int main(int argc, char **argv)
{
    struct xensched_source *source;
    struct xensched_recorder *recorder;
    struct xensched_error err;
    int rc;

    if (argc != 3) {
        fprintf(stderr, "usage: save-rows SOURCE RECORDING\n");
        return 2;
    }
    rc = xensched_source_open(argv[1], NULL, &source, &err);
    if (!rc) {
        rc = xensched_recorder_open(argv[2], xensched_source_tsc_khz(source),
                                    0, &recorder, &err);
        if (!rc) {
            struct xensched_error at_end;
            int closed;

            rc = introduce_source(recorder, source, &err);
            if (!rc)
                rc = copy_rows(source, recorder, &err);
            /* Writes the end mark; a failure before is the one to report. */
            closed = xensched_recorder_close(recorder, &at_end);
            if (!rc && closed) {
                rc = closed;
                err = at_end;
            }
        }
        xensched_source_close(source);
    }
    if (rc)
        fprintf(stderr, "save-rows: %s\n", err.text);

    return rc != 0;
}
