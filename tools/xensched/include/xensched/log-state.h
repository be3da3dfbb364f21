/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * log-state.h - takes a snapshot of the state of a log buffer, and checks whether a correct
 * producer can have written it.  Only the positions that are read again after a copy are read
 * elsewhere.
 */
#ifndef XENSCHED_LOG_STATE_H
#define XENSCHED_LOG_STATE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <xensched/barrier.h>
#include <xensched/layout.h>

/* Number of times that one call reads a layout that is being changed. */
#ifndef LOG_STATE_TRIES
#define LOG_STATE_TRIES 100
#endif

/*
 * Producers cannot reach positions from here on: at 16 GB/s it takes 18 years.  Refusing them
 * keeps sums of positions from wrapping around.
 */
#define IMPOSSIBLE_POS (1ULL << 63)

struct log_state {
    uint64_t seen_pos; /* the position in the state */
    uint64_t pos;      /* seen_pos, but never below layout_pos */
    uint64_t layout_pos;
    uint32_t layout_gap;
    uint32_t row_size;
    uint32_t seq;
    struct xensched_layout layout;
};

/* Returns 0, or -EAGAIN if the producer is changing the layout. */
static inline int log_state_take(struct log_state *now,
                                 const struct xen_schedlog_state *state)
{
    unsigned int try;

    for (try = 0; try < LOG_STATE_TRIES; try++) {
        now->seq = shared_load_acquire32(&state->layout_seq);
        now->layout_pos = shared_load64(&state->layout_pos);
        now->layout_gap = shared_load32(&state->layout_gap);
        now->row_size = shared_load32(&state->row_size);
        xensched_layout(shared_load32(&state->lcr), &now->layout);
        now->seen_pos = shared_load_acquire64(&state->pos);
        shared_read_fence();
        if (!(now->seq & 1) && shared_load32(&state->layout_seq) == now->seq) {
            /* pos follows the announcement of a layout by a moment. */
            now->pos = now->seen_pos > now->layout_pos ? now->seen_pos
                                                        : now->layout_pos;
            return 0;
        }
    }

    return -EAGAIN;
}

/* Is the state possible for a log buffer of @file_size bytes?  If not, do not use it. */
static inline bool log_state_plausible(const struct log_state *now,
                                       uint32_t file_size)
{
    uint32_t size = now->layout.size;

    if (size > file_size)
        size = 0;

    if (now->row_size != size || now->pos >= IMPOSSIBLE_POS ||
        now->layout_gap >= XEN_SCHEDLOG_MAX_ROW_SIZE ||
        now->layout_gap > now->layout_pos ||
        now->layout_pos - now->layout_gap > now->seen_pos)
        return false;

    return size ? !((now->pos | now->layout_pos) & (size - 1))
                : now->pos == now->layout_pos;
}

#endif /* XENSCHED_LOG_STATE_H */
