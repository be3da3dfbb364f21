/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds counters from marks. */
#include <stdlib.h>

#include "counted-regions.h"
#include "base/alloc.h"

struct counts {
    struct counters *counters;
    const struct rows *rows;
    const struct marks *marks;
    unsigned int first;  /* counter that is a count */
    uint32_t *index;     /* of a counter, by text, + 1 */
    size_t next;         /* loss */
};

static struct counter *counter_of(struct counts *c, const struct mark *mark)
{
    struct counters *counters = c->counters;
    struct counter *new;

    if (c->index[mark->text])
        return &counters->counter[c->index[mark->text] - 1];
    if (counters->nr - c->first == COUNTS_MOST) {
        counters->left_out++;
        return NULL;
    }
    new = &counters->counter[counters->nr++];
    *new = (struct counter){
        .kind = COUNTER_MARK,
        .id = mark->acct,
        .name = c->marks->names.text[mark->text].text,
    };
    c->index[mark->text] = counters->nr;

    return new;
}

/* What a guest counted while rows were lost is not known. */
static void forget_counts(struct counts *c, uint64_t ns)
{
    unsigned int i;

    for (; c->next < c->rows->nr_losses &&
           c->rows->loss[c->next].begin_ns < ns; c->next++)
        for (i = c->first; i < c->counters->nr; i++)
            if (c->rows->loss[c->next].events & 1U << XEN_SCHEDLOG_EV_MARK)
                counters_add(&c->counters->counter[i],
                             c->rows->loss[c->next].begin_ns, false, 0);
}

void counts_make(struct counters *counters, const struct rows *rows,
                 const struct marks *marks)
{
    struct counts c = {
        .counters = counters, .rows = rows, .marks = marks,
        .first = counters->nr,
    };
    size_t i;

    c.index = need_memory(marks->names.nr + 1, sizeof(*c.index));
    for (i = 0; i < marks->nr; i++) {
        const struct mark *mark = &marks->mark[i];
        struct counter *counter;

        if (mark->kind != MARK_COUNT)
            continue;
        forget_counts(&c, mark->ns);
        counter = counter_of(&c, mark);
        if (counter)
            counters_add(counter, mark->ns, true, mark->value);
    }
    forget_counts(&c, UINT64_MAX);
    free(c.index);
}
