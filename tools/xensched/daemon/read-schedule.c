/* SPDX-License-Identifier: GPL-2.0-only */
/* Schedules the daemon's reads of the logs.  It knows no event loop, and runs without Xen. */
#include "doorbells.h"

/* The matrix decays with time, so rows must not wait for long before they are read. */
#define RARELY_MS 1000U

/* Xen checks the lease eight times during its length, and must see a renewal in time. */
#define LOOKS_PER_LEASE 4U

/*
 * If a log passes its watermark during a read, the doorbell rings one tick later.  That may
 * happen, but not in this number of reads in a row.
 */
#define SILENT_LOOKS 3U

static bool is_doorbell_broken(const struct read_schedule *read_schedule)
{
    return read_schedule->silent >= SILENT_LOOKS;
}

bool read_schedule_rung(struct read_schedule *read_schedule)
{
    bool was_broken = is_doorbell_broken(read_schedule);

    read_schedule->silent = 0;
    read_schedule->rung = true;

    return was_broken;
}

bool read_schedule_done(struct read_schedule *read_schedule, uint64_t due)
{
    bool was_broken = is_doorbell_broken(read_schedule);

    if (read_schedule->rings && !read_schedule->rung && due > read_schedule->due)
        read_schedule->silent++;
    read_schedule->due = due;
    read_schedule->rung = false;

    return !was_broken && is_doorbell_broken(read_schedule);
}

uint64_t read_schedule_longest_ms(const struct read_schedule *read_schedule)
{
    uint64_t rarely = RARELY_MS;

    if (!read_schedule->rings || is_doorbell_broken(read_schedule))
        return read_schedule->interval_ms;
    if (read_schedule->lease_ms && read_schedule->lease_ms / LOOKS_PER_LEASE < rarely)
        rarely = read_schedule->lease_ms / LOOKS_PER_LEASE;

    return rarely > read_schedule->interval_ms ? rarely : read_schedule->interval_ms;
}

uint64_t read_schedule_next_ms(const struct read_schedule *read_schedule,
                               const struct log_sources *sources)
{
    return log_sources_are_polled(sources, read_schedule->linux_rings)
           ? read_schedule->interval_ms : read_schedule_longest_ms(read_schedule);
}
