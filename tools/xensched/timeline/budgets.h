/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * budgets.h - finds the ends of periods of rtds, each of which is a row of replenish.
 *
 * A row names a domain, not a vCPU.
 */
#ifndef XENSCHED_TIMELINE_BUDGETS_H
#define XENSCHED_TIMELINE_BUDGETS_H

#include "timeline.h"

/* The first such row of @acct in [@begin, @end], or the next one after @row; NULL: none. */
const struct timeline_row *budgets_next(const struct timeline *t, uint16_t acct, uint64_t begin,
                                        uint64_t end, const struct timeline_row *row);

/* Returns the number of deadlines that @acct missed, of *@periods. */
uint64_t budgets_missed(const struct timeline *t, uint16_t acct, uint64_t *periods);

#endif /* XENSCHED_TIMELINE_BUDGETS_H */
