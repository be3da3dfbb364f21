/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts the lines that pass in each microsecond; queue.h has the rule. */
#include <stdbool.h>
#include <string.h>

#include "description.h"
#include "queue.h"

#define NS_PER_US 1000

void queue_init(struct queue *queue, double gbs)
{
    memset(queue, 0, sizeof(*queue));
    queue->lines_per_us = gbs * NS_PER_US / LINE_BYTES;
}

/* Returns the lines that may pass in this microsecond; a fraction is carried over. */
static uint64_t room(const struct queue *queue, uint64_t us)
{
    return (uint64_t)((us + 1) * queue->lines_per_us) - (uint64_t)(us * queue->lines_per_us);
}

static bool pass(struct queue *queue, uint64_t us)
{
    unsigned int slot = us % QUEUE_SLOTS;

    if (queue->slots[slot].us != us) {
        queue->slots[slot].us = us;
        queue->slots[slot].passed = 0;
    }
    if (queue->slots[slot].passed >= room(queue, us))
        return false;
    queue->slots[slot].passed++;

    return true;
}

double queue_wait(struct queue *queue, double now)
{
    uint64_t own = now / NS_PER_US;

    for (uint64_t us = own; us < own + QUEUE_SLOTS / 2; us++)
        if (pass(queue, us))
            return us == own ? 0 : us * (double)NS_PER_US - now;

    return QUEUE_SLOTS / 2 * NS_PER_US;
}
