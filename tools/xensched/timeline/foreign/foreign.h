/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * foreign.h - the events of a CTF trace of another program, such as LTTng in
 * a guest or mirage-profile in a unikernel, on the recording's clock.
 *
 * The trace's clock is related to the host's by the first of these that exists:
 *
 * - the marks that the guest made of its clocks (xensched-mark clock);
 * - for a clock without a date, Xen's system time, which mini-os gives unikernels, if the
 *   recording has that;
 * - the dates of both machines, which differ by an unknown time.
 *
 * babeltrace2's library reads the trace, whose texts are untrusted.
 */
#ifndef XENSCHED_TIMELINE_FOREIGN_H
#define XENSCHED_TIMELINE_FOREIGN_H

#include "timeline/marks/marks.h"

/* What would fill the memory, or a page that would be of no use. */
#define FOREIGN_MOST 500000U

#define FOREIGN_NO_BOUND UINT64_MAX

struct foreign_event {
    uint64_t ns;
    char *text;    /* "sched_switch: prev_comm = ..." */
    uint32_t lane;
};

struct foreign {
    struct foreign_event *event; /* by ns; those within the recording */
    size_t nr, room;
    char **lane;                 /* names */
    size_t nr_lanes, lanes_room;
    uint64_t outside;            /* before or after the recording */
    uint64_t left_out;           /* more than FOREIGN_MOST */
    uint64_t error_ns;           /* bound of the clock's error, or NO_BOUND */
    const char *by;              /* how its clock is known, in words */
};

/*
 * -EINVAL: its clock cannot be known.  -ENOENT: babeltrace2's plugin is not there.
 * What was read before a defect is there, and the error too.
 */
int foreign_read(struct foreign *foreign, const char *path,
                 const struct rows *rows, const struct marks *marks,
                 struct xensched_error *err);
void foreign_free(struct foreign *foreign);

#endif /* XENSCHED_TIMELINE_FOREIGN_H */
