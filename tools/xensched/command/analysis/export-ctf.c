/* SPDX-License-Identifier: GPL-2.0-only */
/* Exports a recording as a CTF trace, without deriving a timeline. */
#include <inttypes.h>
#include <stdio.h>

#include "command/command.h"
#include "export-ctf.h"
#include "timeline/ctf/ctf.h"

static int tell_defects(const struct ctf_rows *rows)
{
    if (rows->nr_losses)
        complain("note: %s%" PRIu64 " rows were lost while it was recorded; "
                 "the trace says where", rows->uncounted ? "more than " : "",
                 rows->lost_rows);
    if (rows->untimed)
        complain("note: %" PRIu64 " rows have no TSC time stamp and are left "
                 "out of the trace", rows->untimed);
    if (rows->no_ns)
        complain("note: the frequency of the TSC is not known; times are its "
                 "cycles, not ns");
    if (!*rows->defect)
        return EXIT_OK;
    complain("%s; all before that is in the trace", rows->defect);

    return EXIT_FAILED;
}

int export_ctf(const char *file, const char *path)
{
    struct ctf_rows rows;
    struct xensched_error err;
    int rc;

    if (ctf_rows_read(&rows, file, &err)) {
        complain("%s", err.text);
        return EXIT_FAILED;
    }
    rc = tell_defects(&rows);
    if (rows.went_back) {
        complain("'%s': the host's clock went back, as when a host was "
                 "suspended, which a CTF trace cannot have; use --html or "
                 "--perfetto", file);
        ctf_rows_free(&rows);
        return EXIT_FAILED;
    }
    if (ctf_write(&rows, path, &err)) {
        complain("%s", err.text);
        rc = EXIT_FAILED;
    } else {
        fprintf(stderr, "%s: %" PRIu64 " events; open it with babeltrace2 or "
                "Trace Compass\n", path, rows.nr_rows);
    }
    ctf_rows_free(&rows);

    return rc;
}
