/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds rows of replenish. */
#include <stddef.h>

#include <xensched/event.h>

#include "budgets.h"
#include "timeline/rows/row-order.h"

/* The first row at @ns or later. */
static const struct timeline_row *first_from(const struct rows *rows, uint64_t ns)
{
    return rows->row + (ns ? order_until(rows->row, rows->nr, sizeof(*rows->row),
                                         offsetof(struct timeline_row, ns), ns - 1) : 0);
}

const struct timeline_row *budgets_next(const struct timeline *t, uint16_t acct, uint64_t begin,
                                        uint64_t end, const struct timeline_row *row)
{
    const struct rows *rows = &t->rows;
    const struct timeline_row *last = rows->row + rows->nr;

    if (!(rows->events & 1U << XEN_SCHEDLOG_EV_REPLENISH))
        return NULL;
    for (row = row ? row + 1 : first_from(rows, begin);
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
