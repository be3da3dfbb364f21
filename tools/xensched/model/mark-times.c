/* SPDX-License-Identifier: GPL-2.0-only */
/* Keeps the times of the latest marks, the newest first. */
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>

#include "mark-times.h"
#include "base/alloc.h"

struct marked {
    uint32_t code;
    uint64_t ns; /* 0: this entry and those after it are empty */
};

struct mark_times {
    unsigned int nr_accts;
    struct marked **marked; /* [acct][MARK_TIMES_CODES]; NULL: no marks yet */
};

struct mark_times *mark_times_new(void)
{
    return need_memory(1, sizeof(struct mark_times));
}

void mark_times_free(struct mark_times *m)
{
    unsigned int i;

    if (!m)
        return;
    for (i = 0; i < m->nr_accts; i++)
        free(m->marked[i]);
    free(m->marked);
    free(m);
}

bool mark_times_takes(uint32_t events)
{
    return events & 1U << XEN_SCHEDLOG_EV_MARK;
}

static struct marked *marked_by(struct mark_times *m, uint16_t acct)
{
    if (acct >= m->nr_accts) {
        m->marked = need_more_memory(m->marked, acct + 1U, sizeof(struct marked *));
        memset(m->marked + m->nr_accts, 0,
               (acct + 1U - m->nr_accts) * sizeof(struct marked *));
        m->nr_accts = acct + 1U;
    }
    if (!m->marked[acct])
        m->marked[acct] = need_memory(MARK_TIMES_CODES, sizeof(struct marked));

    return m->marked[acct];
}

static void add_row(struct mark_times *m, const struct xensched_row *row, uint64_t now_ns)
{
    const uint16_t needed = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                            XENSCHED_ROW_COUNTER;
    struct marked *marked;
    unsigned int i = 0;

    if ((row->valid & needed) != needed || row->event != XEN_SCHEDLOG_EV_MARK)
        return;
    marked = marked_by(m, row->current);
    while (i < MARK_TIMES_CODES - 1 && marked[i].ns && marked[i].code != row->counter)
        i++;
    memmove(marked + 1, marked, i * sizeof(*marked));
    marked[0] = (struct marked){ row->counter, now_ns };
}

void mark_times_add_batch(struct mark_times *m, const struct xensched_batch *batch,
                          uint64_t now_ns)
{
    size_t nr = xensched_batch_rows(batch), i;
    struct xensched_row row;

    for (i = 0; i < nr; i++) {
        xensched_batch_row(batch, i, &row);
        add_row(m, &row, now_ns);
    }
}

uint64_t mark_times_latest(const struct mark_times *m, uint16_t acct, uint32_t code)
{
    const struct marked *marked = acct < m->nr_accts ? m->marked[acct] : NULL;
    unsigned int i;

    for (i = 0; marked && i < MARK_TIMES_CODES && marked[i].ns; i++)
        if (marked[i].code == code)
            return marked[i].ns;

    return 0;
}

void mark_times_forget(struct mark_times *m, uint16_t acct)
{
    if (acct >= m->nr_accts)
        return;
    free(m->marked[acct]);
    m->marked[acct] = NULL;
}
