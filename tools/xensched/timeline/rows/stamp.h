/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stamp.h - TSC time stamps of rows, made whole.
 *
 * Small rows have 32 bits of the TSC, which come round every now and then
 * (half an hour, with a shift of 10 bits at 2.5 GHz).  The bits above are
 * those which bring the row nearest to one whose time is known.
 */
#ifndef XENSCHED_STAMP_H
#define XENSCHED_STAMP_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/area.h>
#include <xensched/source.h>

struct stamps {
    bool known;         /* is there a reference? */
    uint64_t reference; /* TSC cycles of a row that was seen before */
};

/*
 * Take as reference the first row of @source which has all 64 bits; of a
 * recording with many, of its first.
 */
void stamps_learn_from_source(struct stamps *stamps,
                              struct xensched_source *source);

/* Likewise, the latest one that is in the logs of @area now. */
void stamps_learn_from_area(struct stamps *stamps,
                            const struct xensched_area *area);

/*
 * TSC cycles of @row, which has a TSC time stamp.  It is the next reference.
 * Without one so far the bits above are taken for 0.
 */
uint64_t stamp_cycles(struct stamps *stamps,
                      const struct xensched_layout *layout,
                      const struct xensched_row *row);

#endif /* XENSCHED_STAMP_H */
