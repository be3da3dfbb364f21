/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * foreign.h - reads the events of a CTF trace of another program, such as LTTng in a guest or
 * mirage-profile in a unikernel, on the recording's clock.
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

/* More events would fill the memory, or make a page useless. */
#define FOREIGN_MOST 500000U

#define FOREIGN_NO_BOUND UINT64_MAX

struct foreign_event {
    uint64_t ns;
    char *text;    /* "sched_switch: prev_comm = ..." */
    uint32_t lane;
};

struct foreign {
    struct foreign_event *event; /* by ns; events within the recording */
    size_t nr, room;
    char **lane;                 /* names */
    size_t nr_lanes, lanes_room;
    uint64_t outside;            /* number of events before or after the recording */
    uint64_t left_out;           /* number of events beyond FOREIGN_MOST */
    uint64_t error_ns;           /* bound of the clock's error, or NO_BOUND */
    const char *by;              /* how the clock was mapped, in words */
};

/*
 * Returns -EINVAL if the clock cannot be mapped, and -ENOENT without babeltrace2's plugin.  Keeps
 * the events before a defect, and returns the error, too.
 */
int foreign_read(struct foreign *foreign, const char *path,
                 const struct rows *rows, const struct marks *marks,
                 struct xensched_error *err);
void foreign_free(struct foreign *foreign);

#endif /* XENSCHED_TIMELINE_FOREIGN_H */
