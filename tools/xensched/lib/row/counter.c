/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Reads log buffers that count.
 *
 * One call takes a snapshot of the state, checks that it is possible and that the log buffer
 * counts, adds up the counters with one load each, and checks that the layout is still the same.
 * It must not write to shared memory, nor copy an entry in pieces.
 */
#include <errno.h>
#include <string.h>

#include <xensched/barrier.h>
#include <xensched/counter.h>
#include <xensched/log-state.h>


/* layout_seq of the first register that was used, and before it. */
#define FIRST_LAYOUT 2
#define NO_LAYOUT 0

static bool is_counting(const struct log_state *now)
{
    return now->row_size && now->layout.counter_size &&
           now->layout.lcr & XEN_SCHEDLOG_LCR_ADD;
}

static uint64_t load_word(const uint8_t *word, unsigned int size)
{
    return size == 8 ? shared_load64((const uint64_t *)word)
                     : shared_load32((const uint32_t *)word);
}

static void add_up(const struct xensched_counter *counter,
                   const struct log_state *now, struct xensched_count *count)
{
    const struct xensched_layout *layout = &now->layout;
    const uint64_t full = layout->counter_size == 8 ? UINT64_MAX : UINT32_MAX;
    const uint8_t *at = counter->data + layout->counter;
    uint32_t i;

    count->rows = counter->size / layout->size;
    for (i = 0; i < count->rows; i++, at += layout->size) {
        uint64_t value = load_word(at, layout->counter_size);

        count->value += value;
        count->saturated |= value == full;
    }
}

static void last_row(const struct xensched_counter *counter,
                     const struct log_state *now, struct xensched_row *row)
{
    uint64_t words[XEN_SCHEDLOG_MAX_ROW_SIZE / sizeof(uint64_t)];
    uint32_t size = now->layout.size, i;
    const uint8_t *bytes = counter->data +
                           ((now->pos - size) & (counter->size - 1));

    if (size == sizeof(uint32_t)) {
        uint32_t word = shared_load32((const uint32_t *)bytes);

        memcpy(words, &word, sizeof(word));
    }
    for (i = 0; i < size / sizeof(words[0]); i++)
        words[i] = shared_load64((const uint64_t *)bytes + i);
    xensched_row_decode(&now->layout, 0, words, row);
}

/* Has the producer only added to the state of the last read? */
static bool goes_on(const struct xensched_counter *counter,
                    const struct log_state *now)
{
    if (!counter->begun)
        return false;

    return now->seq == counter->layout_seq ||
           (counter->layout_seq == NO_LAYOUT && now->seq == FIRST_LAYOUT &&
            now->layout_pos == 0);
}

/* Returns false if a number went back that cannot go back. */
static bool compare_layout(const struct xensched_counter *counter,
                           const struct log_state *now, struct xensched_count *count)
{
    if (!goes_on(counter, now)) {
        count->restarted = true;
        return true;
    }
    /* The sum of several 64-bit counters may wrap around, nothing else may. */
    if (now->pos < counter->pos ||
        (count->value < counter->value &&
         (now->layout.counter_size == 4 || count->rows == 1)))
        return false;
    count->added = count->value - counter->value;
    count->new_events = now->layout.size
                        ? (now->pos - counter->pos) / now->layout.size : 0;

    return true;
}

static int refuse_counter(struct xensched_counter *counter,
                          struct xensched_count *count, int rc)
{
    memset(count, 0, sizeof(*count));
    if (rc != -EAGAIN)
        counter->begun = false;

    return rc;
}

void xensched_counter_init(struct xensched_counter *counter,
                           const struct xen_schedlog_state *state,
                           const void *data, uint32_t size)
{
    memset(counter, 0, sizeof(*counter));
    counter->state = state;
    counter->data = data;
    counter->size = size;
}

int xensched_counter_read(struct xensched_counter *counter,
                          struct xensched_count *count)
{
    struct log_state now;

    memset(count, 0, sizeof(*count));
    if (log_state_take(&now, counter->state))
        return refuse_counter(counter, count, -EAGAIN);
    if (!log_state_plausible(&now, counter->size))
        return refuse_counter(counter, count, -EPROTO);
    if (now.seq != NO_LAYOUT && !is_counting(&now))
        return refuse_counter(counter, count, -EINVAL);

    if (now.seq != NO_LAYOUT) {
        add_up(counter, &now, count);
        count->events = (now.pos - now.layout_pos) / now.layout.size;
        if (count->events)
            last_row(counter, &now, &count->row);
        shared_read_fence();
        if (shared_load32(&counter->state->layout_seq) != now.seq)
            return refuse_counter(counter, count, -EAGAIN);
    }
    if (!compare_layout(counter, &now, count))
        return refuse_counter(counter, count, -EPROTO);

    counter->begun = true;
    counter->layout_seq = now.seq;
    counter->value = count->value;
    counter->pos = now.pos;

    return 0;
}
