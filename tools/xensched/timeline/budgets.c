/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds rows of replenish. */
#include <xensched/event.h>

#include "budgets.h"

/* The first row at @ns or later: rows are in the order of their times. */
static size_t first_from(const struct rows *rows, uint64_t ns)
{
    size_t low = 0, high = rows->nr;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (rows->row[middle].ns < ns)
            low = middle + 1;
        else
            high = middle;
    }

    return low;
}

const struct timeline_row *budgets_next(const struct timeline *t, uint16_t acct, uint64_t begin,
                                        uint64_t end, const struct timeline_row *row)
{
    const struct rows *rows = &t->rows;
    const struct timeline_row *last = rows->row + rows->nr;

    if (!(rows->events & 1U << XEN_SCHEDLOG_EV_REPLENISH))
        return NULL;
    for (row = row ? row + 1 : rows->row + first_from(rows, begin);
         row < last && row->ns <= end; row++)
        if (row->event == XEN_SCHEDLOG_EV_REPLENISH && row->current == acct)
            return row;

    return NULL;
}

uint64_t budgets_missed(const struct timeline *t, uint16_t acct, uint64_t *periods)
{
    const struct timeline_row *row = NULL;
    uint64_t missed = 0;

    *periods = 0;
    while ((row = budgets_next(t, acct, 0, UINT64_MAX, row)) != NULL) {
        struct xensched_replenish replenish;

        xensched_replenish(row->counter, &replenish);
        missed += replenish.missed;
        ++*periods;
    }

    return missed;
}
