/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * works.h - computes the cost per unit of each guest's work in a recording, by the rules of
 * model/work.h.
 *
 * There are no costs if the recording has no service times, or only every nth row of an event
 * that counts.
 */
#ifndef XENSCHED_TIMELINE_WORKS_H
#define XENSCHED_TIMELINE_WORKS_H

#include "model/work.h"
#include "timeline/rows/rows.h"

struct guest_work {
    uint16_t acct;
    struct work work; /* in pages or notifications */
};

struct works {
    struct guest_work *guest; /* by domid */
    size_t nr;
};

void works_make(struct works *works, const struct rows *rows);
void works_free(struct works *works);

#endif /* XENSCHED_TIMELINE_WORKS_H */
