/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides when the logs are read next. */
#include "look.h"

/*
 * What rows tell is forgotten by and by, so they must not lie about for long
 * before they are read.
 */
#define RARELY_MS 1000U

/* Xen looks at the lease eight times, and must have seen a renewal in time. */
#define LOOKS_PER_LEASE 4U

/*
 * What passes its mark while it is looked at is rung for a tick later, which
 * happens, but not time after time.
 */
#define SILENT_LOOKS 3U

static bool is_broken(const struct look *look)
{
    return look->silent >= SILENT_LOOKS;
}

bool look_rung(struct look *look)
{
    bool was_broken = is_broken(look);

    look->silent = 0;
    look->rung = true;

    return was_broken;
}

bool look_done(struct look *look, uint64_t due)
{
    bool was_broken = is_broken(look);

    if (look->rings && !look->rung && due > look->due)
        look->silent++;
    look->due = due;
    look->rung = false;

    return !was_broken && is_broken(look);
}

uint64_t look_longest_ms(const struct look *look)
{
    uint64_t rarely = RARELY_MS;

    if (!look->rings || is_broken(look))
        return look->interval_ms;
    if (look->lease_ms && look->lease_ms / LOOKS_PER_LEASE < rarely)
        rarely = look->lease_ms / LOOKS_PER_LEASE;

    return rarely > look->interval_ms ? rarely : look->interval_ms;
}

uint64_t look_again_ms(const struct look *look, const struct feeds *feeds)
{
    return feeds_are_polled(feeds, look->linux_rings) ? look->interval_ms
                                                      : look_longest_ms(look);
}
