/* SPDX-License-Identifier: GPL-2.0-only */
/* Schedules the daemon's reads of the logs. */
#include "doorbells.h"

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

static bool is_broken(const struct read_schedule *read_schedule)
{
    return read_schedule->silent >= SILENT_LOOKS;
}

bool read_schedule_rung(struct read_schedule *read_schedule)
{
    bool was_broken = is_broken(read_schedule);

    read_schedule->silent = 0;
    read_schedule->rung = true;

    return was_broken;
}

bool read_schedule_done(struct read_schedule *read_schedule, uint64_t due)
{
    bool was_broken = is_broken(read_schedule);

    if (read_schedule->rings && !read_schedule->rung && due > read_schedule->due)
        read_schedule->silent++;
    read_schedule->due = due;
    read_schedule->rung = false;

    return !was_broken && is_broken(read_schedule);
}

uint64_t read_schedule_longest_ms(const struct read_schedule *read_schedule)
{
    uint64_t rarely = RARELY_MS;

    if (!read_schedule->rings || is_broken(read_schedule))
        return read_schedule->interval_ms;
    if (read_schedule->lease_ms && read_schedule->lease_ms / LOOKS_PER_LEASE < rarely)
        rarely = read_schedule->lease_ms / LOOKS_PER_LEASE;

    return rarely > read_schedule->interval_ms ? rarely : read_schedule->interval_ms;
}

uint64_t read_schedule_next_ms(const struct read_schedule *read_schedule,
                               const struct log_sources *sources)
{
    return log_sources_are_polled(sources, read_schedule->linux_rings) ? read_schedule->interval_ms
                                                      : read_schedule_longest_ms(read_schedule);
}
