/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the points at which the host's clock went back, and continues time after them; and joins
 * windows of loss that touch.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cuts.h"
#include "row-order.h"

/* Windows of loss. */

void windows_add(struct windows *windows, uint64_t begin, uint64_t end)
{
    struct window *last = windows->nr ? &windows->window[windows->nr - 1]
                                      : NULL;

    if (!last || begin > last->end)
        *list_add(windows->window, windows->nr, windows->room) =
            (struct window){ begin, end };
    else if (end > last->end)
        last->end = end;
}

void windows_free(struct windows *windows)
{
    free(windows->window);
    memset(windows, 0, sizeof(*windows));
}

size_t windows_after(const struct windows *windows, uint64_t ns)
{
    return order_until(windows->window, windows->nr, sizeof(*windows->window),
                       offsetof(struct window, end), ns);
}

uint64_t windows_before(const struct windows *windows, uint64_t ns)
{
    size_t nr = windows_after(windows, ns);

    return nr ? windows->window[nr - 1].end : 0;
}

bool windows_overlap(const struct windows *windows, uint64_t begin, uint64_t end)
{
    size_t i = windows_after(windows, begin);

    return i < windows->nr && windows->window[i].begin < end;
}

/* Cuts. */

#define RAW_MASK ((1ULL << CUTS_KEY_BITS) - 1)

/* Rows of a log buffer are in order, except for late stamps. */
#define BACK_NS 1000000000ULL

/* The first row of a log buffer is this near to others, or there are no others. */
#define NEAR_NS 10000000000ULL

static void add_epoch(struct cuts *cuts)
{
    cuts->epoch = need_more_memory(cuts->epoch, cuts->nr + 1,
                                   sizeof(*cuts->epoch));
    cuts->epoch[cuts->nr++] = (struct cuts_epoch){ .first = UINT64_MAX };
}

void cuts_init(struct cuts *cuts)
{
    memset(cuts, 0, sizeof(*cuts));
    add_epoch(cuts);
}

void cuts_free(struct cuts *cuts)
{
    free(cuts->epoch);
    memset(cuts, 0, sizeof(*cuts));
}

/* Returns the epoch of a log buffer's first row. */
static uint32_t nearest_cut(const struct cuts *cuts, uint64_t raw)
{
    uint32_t i;

    for (i = cuts->nr; i-- > cuts->least;) {
        const struct cuts_epoch *e = &cuts->epoch[i];

        if (e->first != UINT64_MAX && raw + NEAR_NS >= e->first &&
            raw <= e->last + NEAR_NS)
            return i;
    }

    return cuts->least;
}

static bool went_back(const struct cuts_log *log, uint64_t raw)
{
    return log->begun && raw + BACK_NS < log->last;
}

static bool may_go_on(const struct cuts *cuts, const struct cuts_log *log)
{
    return log->epoch + 1U < cuts->nr ||
           (!log->follows && log->epoch < CUTS_MAX);
}

uint64_t cuts_key(struct cuts *cuts, struct cuts_log *log, uint64_t raw_ns)
{
    uint64_t raw = raw_ns < RAW_MASK ? raw_ns : RAW_MASK;

    if (!log->begun)
        log->epoch = nearest_cut(cuts, raw);
    else if (log->epoch < cuts->least)
        log->epoch = cuts->least;
    else if (went_back(log, raw) && may_go_on(cuts, log))
        log->epoch++;
    if (log->epoch == cuts->nr)
        add_epoch(cuts);
    log->begun = true;
    log->last = raw;

    return (uint64_t)log->epoch << CUTS_KEY_BITS | raw;
}

void cuts_note(struct cuts *cuts, uint64_t key)
{
    struct cuts_epoch *e = &cuts->epoch[key >> CUTS_KEY_BITS];
    uint64_t raw = key & RAW_MASK;

    if (raw < e->first)
        e->first = raw;
    if (raw > e->last)
        e->last = raw;
}

bool cuts_clock(struct cuts *cuts, struct cuts_log *log, uint64_t raw_ns)
{
    bool back = went_back(log, raw_ns);

    cuts_key(cuts, log, raw_ns);
    if (back)
        cuts->least = log->epoch;

    return back;
}

/* Later times are nonsense, and would not fit into a JavaScript number. */
static uint64_t limit_ns(uint64_t ns)
{
    return ns <= RAW_MASK ? ns : RAW_MASK;
}

void cuts_settle(struct cuts *cuts)
{
    uint64_t begin = 0;
    uint32_t i;

    for (i = 0; i < cuts->nr; i++) {
        struct cuts_epoch *e = &cuts->epoch[i];

        if (e->first == UINT64_MAX)
            e->first = e->last = 0;
        e->begin_ns = begin;
        begin = cuts_end(cuts, i) + CUTS_NS;
    }
}

uint64_t cuts_time(const struct cuts *cuts, uint64_t key)
{
    const struct cuts_epoch *e = &cuts->epoch[key >> CUTS_KEY_BITS];
    uint64_t raw = key & RAW_MASK;

    if (raw < e->first)
        raw = e->first;
    if (raw > e->last)
        raw = e->last;

    return limit_ns(raw - e->first + e->begin_ns);
}

uint64_t cuts_end(const struct cuts *cuts, uint32_t epoch)
{
    const struct cuts_epoch *e = &cuts->epoch[epoch];

    return limit_ns(e->begin_ns + (e->last - e->first));
}
