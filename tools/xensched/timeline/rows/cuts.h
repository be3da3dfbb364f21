/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cuts.h - breaks of a recording's time: points at which the host's clock went back, and windows
 * in which rows were lost.
 */
#ifndef XENSCHED_TIMELINE_CUTS_H
#define XENSCHED_TIMELINE_CUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Times of which rows are missing: sorted windows, of which none touches the next.  A question
 * whether a time is in one costs the logarithm of their number.
 */

struct window {
    uint64_t begin, end;
};

struct windows {
    struct window *window;
    size_t nr, room;
};

/* Adds a window; callers add windows by their begin. */
void windows_add(struct windows *windows, uint64_t begin, uint64_t end);
void windows_free(struct windows *windows);

/* Returns the index of the first window that ends after @ns. */
size_t windows_after(const struct windows *windows, uint64_t ns);

/* Returns the end of the last window that ends at @ns or before; 0: none. */
uint64_t windows_before(const struct windows *windows, uint64_t ns);

/* Returns whether a window shares more than a moment with the time from @begin to @end. */
bool windows_overlap(const struct windows *windows, uint64_t begin, uint64_t end);

/*
 * Points at which the host's clock went back, for example after a suspend: nothing is known of such
 * a moment, and times on its two sides cannot be compared.
 *
 * While rows are read their time is a key: the number of cuts before the row, then its raw time.
 * Keys are in the order in which rows were written.  When all rows are there, time continues after
 * a cut, CUTS_NS after the last row before it.
 */

/* Longer than any notification takes. */
#define CUTS_NS 10000000U

/* A row's raw time is below this, a key's upper bits are the number of cuts. */
#define CUTS_KEY_BITS 52
#define CUTS_MAX 4000U

/* The rows of one log buffer; each log buffer goes back independently. */
struct cuts_log {
    bool begun;
    bool follows; /* it makes no cut, because rows of a guest may be forged */
    uint16_t epoch;
    uint64_t last; /* raw time */
};

/* The time between two cuts. */
struct cuts_epoch {
    uint64_t first, last; /* raw times */
    uint64_t begin_ns;    /* on the timeline; set by cuts_settle() */
};

struct cuts {
    struct cuts_epoch *epoch;
    uint32_t nr;
    uint32_t least; /* all rows from now on are of this epoch or a later one */
};

void cuts_init(struct cuts *cuts);
void cuts_free(struct cuts *cuts);

/* Returns the key of a row of @log at @raw_ns, which is not earlier than the log's last row. */
uint64_t cuts_key(struct cuts *cuts, struct cuts_log *log, uint64_t raw_ns);

/* Notes that a row with this key belongs to the timeline. */
void cuts_note(struct cuts *cuts, uint64_t key);

/*
 * Notes that the host's clock was @raw_ns when all rows so far had been written; @log is the
 * clock's own.  Returns whether it went back.
 */
bool cuts_clock(struct cuts *cuts, struct cuts_log *log, uint64_t raw_ns);

/* Called when all keys are noted. */
void cuts_settle(struct cuts *cuts);

/* Returns the time of a key, within the rows on its side of a cut. */
uint64_t cuts_time(const struct cuts *cuts, uint64_t key);

/* Returns when the rows between two cuts end. */
uint64_t cuts_end(const struct cuts *cuts, uint32_t epoch);

#endif /* XENSCHED_TIMELINE_CUTS_H */
