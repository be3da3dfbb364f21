/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * foreign-clock.h - maps a guest's clock, or its date, to the recording's clock; see foreign.h.
 */
#ifndef XENSCHED_TIMELINE_FOREIGN_CLOCK_H
#define XENSCHED_TIMELINE_FOREIGN_CLOCK_H

#include "timeline/marks/marks.h"

/* The known properties of a trace's clock. */
struct foreign_clock {
    const char *name;      /* "": none */
    const char *host;      /* the guest that the trace names; "": none */
    bool has_date;
};

/* An instant by both clocks, with an error of at most error_ns. */
struct foreign_anchor {
    uint64_t ns;       /* since the recording's first row; may be "negative" */
    uint64_t clock_ns; /* the trace's clock then, or its date */
    uint64_t error_ns;
};

struct foreign_clocks {
    struct foreign_anchor *anchor; /* by clock_ns; at least one */
    size_t nr, room;
    bool by_date;      /* clock_ns are dates */
    uint64_t error_ns; /* the largest, or FOREIGN_NO_BOUND */
    const char *by;    /* the method, in words */
};

int foreign_clocks_find(struct foreign_clocks *clocks,
                        const struct foreign_clock *clock,
                        const struct rows *rows, const struct marks *marks,
                        struct xensched_error *err);
void foreign_clocks_free(struct foreign_clocks *clocks);

/* Converts @clock_ns to the recording's time; returns false if it is before the first row. */
bool foreign_clocks_ns(const struct foreign_clocks *clocks, uint64_t clock_ns,
                       uint64_t *ns);

#endif /* XENSCHED_TIMELINE_FOREIGN_CLOCK_H */
