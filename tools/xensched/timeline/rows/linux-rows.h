/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * linux-rows.h - the rows of Linux about its threads, in guests, driver domains and dom0, and about
 * the rings that its back ends serve, on the host's clock and in order.
 */
#ifndef XENSCHED_TIMELINE_LINUX_ROWS_H
#define XENSCHED_TIMELINE_LINUX_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include <xensched/recording.h>

#include "cuts.h"
#include "source-clocks.h"

struct linux_log;

struct linux_row {
    uint64_t ns;      /* as in rows.h, after linux_rows_put_in_order() */
    uint64_t counter;
    uint32_t cpu;     /* the vCPU */
    uint16_t source;  /* index */
    uint16_t event;   /* GUEST_SWITCH, GUEST_WAKE, GUEST_NAME, RING_PAGES or
                         RING_SECTORS */
    uint16_t other;   /* of rings: the front end's accounting domain */
};

/* An interval in which rows of a log buffer of a vCPU were lost. */
struct linux_loss {
    uint64_t begin_ns, end_ns;
    uint64_t rows;
    bool threads, rings; /* what the log buffer has rows about */
    const struct linux_log *log;
    uint32_t cpu;
    uint16_t source;
};

struct linux_source {
    struct xensched_source_info info;
    struct source_clocks clocks;
    uint64_t error_ns;            /* bound of its clocks' error */
    uint64_t told;                /* number of clocks in the recording */
};

struct linux_rows {
    struct linux_row *row;
    size_t nr, room;
    struct linux_loss *loss;
    size_t nr_losses, losses_room;
    struct linux_source *source;
    size_t nr_sources, sources_room;
    uint64_t lost_rows;
    uint64_t left_out; /* rows of Linux about something else */
    struct linux_log **bucket;
};

/* Sets the clock of a vCPU of the source @info, for later rows. */
void linux_rows_clock(struct linux_rows *rows,
                      const struct xensched_source_info *info,
                      const struct xensched_clock *clock, uint64_t tsc_khz);

/*
 * Adds a batch of the source @info; @tsc_khz is the host's, @host has a near time by the host's
 * TSC.  Times are keys of @cuts until linux_rows_put_in_order().
 */
void linux_rows_take(struct linux_rows *rows,
                     const struct xensched_source_info *info,
                     const struct xensched_batch *batch, uint64_t tsc_khz,
                     const struct stamps *host, struct cuts *cuts);

/* Notes all rows in @cuts; no rows follow. */
void linux_rows_note(const struct linux_rows *rows, struct cuts *cuts);

/* Converts times to those of the timeline, at most @end_ns. */
void linux_rows_put_in_order(struct linux_rows *rows, const struct cuts *cuts,
                             uint64_t end_ns);
void linux_rows_free(struct linux_rows *rows);

#endif /* XENSCHED_TIMELINE_LINUX_ROWS_H */
