/* SPDX-License-Identifier: GPL-2.0-only */
/* Averages the event wake-delay. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>

#include "waiting.h"
#include "base/alloc.h"

/* Number of rows decoded at a time: 32 bytes each, to stay in the first-level cache. */
#define BLOCK_ROWS 64

#define HALF_LIVES_KNOWN 10

#define NS_PER_S 1e9

struct mean {
    double sum, weight; /* decayed to at_ns */
    uint64_t at_ns;
};

/* By number, up to the highest one so far. */
struct means {
    unsigned int nr;
    struct mean *mean;
};

struct waiting {
    uint64_t half_life_ns;
    struct means delay_of; /* of accounting domains */
};

struct waiting *waiting_new(uint64_t half_life_ns)
{
    struct waiting *waiting = need_memory(1, sizeof(*waiting));

    waiting->half_life_ns = half_life_ns;

    return waiting;
}

void waiting_free(struct waiting *waiting)
{
    if (!waiting)
        return;
    free(waiting->delay_of.mean);
    free(waiting);
}

static void add_delay(struct waiting *waiting, uint16_t acct, double value, uint64_t now_ns)
{
    struct means *means = &waiting->delay_of;
    struct mean *mean;
    double part = 1;

    if (acct >= means->nr) {
        means->mean = need_more_memory(means->mean, acct + 1,
                                       sizeof(*means->mean));
        memset(&means->mean[means->nr], 0,
               (acct + 1 - means->nr) * sizeof(*means->mean));
        means->nr = acct + 1;
    }
    mean = &means->mean[acct];
    if (now_ns > mean->at_ns) {
        part = exp2(-(double)(now_ns - mean->at_ns) / waiting->half_life_ns);
        mean->at_ns = now_ns;
    }
    mean->sum = mean->sum * part + value;
    mean->weight = mean->weight * part + 1;
}

bool waiting_takes(uint32_t events)
{
    return events & 1U << XEN_SCHEDLOG_EV_WAKE_DELAY;
}

static void add_row(struct waiting *waiting, const struct xensched_row *row,
                    uint64_t now_ns)
{
    const uint16_t needed = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                            XENSCHED_ROW_COUNTER;

    if ((row->valid & needed) != needed ||
        row->event != XEN_SCHEDLOG_EV_WAKE_DELAY ||
        row->reason & XEN_SCHEDLOG_REASON_CUT)
        return;
    add_delay(waiting, row->current, row->counter / NS_PER_S, now_ns);
}

void waiting_add_batch(struct waiting *waiting, const struct xensched_batch *batch,
                       uint64_t now_ns)
{
    struct xensched_row rows[BLOCK_ROWS];
    size_t i, nr, first = 0;

    while ((nr = xensched_batch_decode(batch, first, rows, BLOCK_ROWS))) {
        for (i = 0; i < nr; i++)
            add_row(waiting, &rows[i], now_ns);
        first += nr;
    }
}

double waiting_delay_of(const struct waiting *waiting, uint16_t acct, uint64_t now_ns)
{
    const struct means *means = &waiting->delay_of;
    const struct mean *mean = &means->mean[acct];

    if (acct >= means->nr || mean->weight == 0)
        return -1;
    /* Rows may have come after the query's step began. */
    if (now_ns > mean->at_ns &&
        now_ns - mean->at_ns > HALF_LIVES_KNOWN * waiting->half_life_ns)
        return -1;

    return mean->sum / mean->weight;
}

void waiting_forget(struct waiting *waiting, uint16_t acct)
{
    if (acct < waiting->delay_of.nr)
        waiting->delay_of.mean[acct].weight = waiting->delay_of.mean[acct].sum = 0;
}
