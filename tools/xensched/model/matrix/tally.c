/* SPDX-License-Identifier: GPL-2.0-only */
/* Adds up equal rows of a batch, so that the model is updated once for each kind. */
#include <string.h>

#include "tally.h"

/* Sums at a time: enough for the guests of a pCPU and their partners, in both directions. */
#define NR_SUMS 64
#define NR_SUMS_BITS 6

/* Event, current and correspondent of a row, which are adjacent, as one number. */
#define IDS_MASK 0xffffffffffffULL
#define NO_IDS UINT64_MAX
#define NO_CORRESPONDENT 0xffff00000000ULL

struct sum {
    uint64_t ids, amount;
    uint64_t most; /* the largest valid counter */
    bool none;     /* there can be no such row */
};

static bool layout_suits(const struct xensched_layout *layout)
{
    return layout->event == 0 && layout->current == 2 &&
           layout->correspondent == 4 && layout->counter_size;
}

static void take_sum(const struct sum *sum, uint32_t cpu,
                     void (*take)(void *arg, const struct xensched_row *row),
                     void *arg)
{
    struct xensched_row row = {
        .counter = sum->amount,
        .cpu = cpu,
        .event = sum->ids,
        .current = sum->ids >> 16,
        .correspondent = sum->ids >> 32,
        .valid = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                 XENSCHED_ROW_CORRESPONDENT | XENSCHED_ROW_COUNTER,
    };

    if (sum->ids != NO_IDS && !sum->none)
        take(arg, &row);
}

static void begin_sum(struct sum *sum, uint64_t ids,
                      const struct tally_validation *validation)
{
    int64_t most = INT64_MAX;

    *sum = (struct sum){ .ids = ids, .most = UINT64_MAX };
    if (validation)
        most = validation->most(validation->arg, ids, ids >> 16, ids >> 32);
    if (most != INT64_MAX)
        sum->most = most;
    sum->none = most < 0;
}

/* Does the event of @ids ignore the correspondent? */
static bool is_alone(uint32_t events, uint64_t ids)
{
    uint16_t event = ids;

    return event < 32 && events >> event & 1;
}

/* Fibonacci hashing, as in cells.c: the high bits depend on all bits. */
static unsigned int index_of(uint64_t ids)
{
    return ids * 0x9e3779b97f4a7c15ULL >> (64 - NR_SUMS_BITS);
}

bool tally_batch(const struct xensched_batch *batch, uint32_t alone,
                 struct tally_validation *validation,
                 void (*take)(void *arg, const struct xensched_row *row),
                 void *arg)
{
    const struct xensched_layout layout = batch->layout;
    const uint8_t *row = batch->rows;
    size_t nr = xensched_batch_rows(batch);
    struct sum sums[NR_SUMS];
    unsigned int i;

    if (!layout_suits(&layout))
        return false;
    for (i = 0; i < NR_SUMS; i++)
        sums[i].ids = NO_IDS;

    for (; nr; nr--, row += layout.size) {
        struct sum *sum;
        uint64_t ids, amount = 0;

        memcpy(&ids, row, sizeof(ids));
        ids &= IDS_MASK;
        if (is_alone(alone, ids))
            ids |= NO_CORRESPONDENT;
        if (layout.counter_size == sizeof(uint32_t))
            memcpy(&amount, row + layout.counter, sizeof(uint32_t));
        else
            memcpy(&amount, row + layout.counter, sizeof(uint64_t));
        sum = &sums[index_of(ids)];
        if (sum->ids != ids) {
            take_sum(sum, batch->cpu, take, arg);
            begin_sum(sum, ids, validation);
        }
        if (validation && (sum->none || amount > sum->most))
            validation->refused++;
        else
            sum->amount += amount;
    }
    for (i = 0; i < NR_SUMS; i++)
        take_sum(&sums[i], batch->cpu, take, arg);

    return true;
}
