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
 * Times of which rows are missing, for questions whether a time is one of them:
 * in order, and none touches the next one.  A question costs the logarithm of their number.
 */

struct window {
    uint64_t begin, end;
};

struct windows {
    struct window *window;
    size_t nr, room;
};

/* Callers add windows by their begin. */
void windows_add(struct windows *windows, uint64_t begin, uint64_t end);
void windows_free(struct windows *windows);

/* The index of the first window that ends after @ns. */
size_t windows_after(const struct windows *windows, uint64_t ns);

/* When the last window that ends at @ns or before ends; 0: there is none. */
uint64_t windows_before(const struct windows *windows, uint64_t ns);

/* Does a window have more than a moment in common with the time from @begin to @end? */
bool windows_overlap(const struct windows *windows, uint64_t begin, uint64_t end);

/*
 * Where the host's clock went back, since the host was suspended, say: nothing is
 * known of such a moment, and times on its two sides cannot be compared.
 *
 * While rows are read their time is a key: the number of cuts before the row, then its raw time.
 * Keys are in the order in which rows were written.  When all rows are there, times go on
 * behind a cut CUTS_NS after the last one in front of it.
 */

/* Longer than any notification is under way. */
#define CUTS_NS 10000000U

/* A row's raw time is below this, a key's upper bits are the number of cuts. */
#define CUTS_KEY_BITS 52
#define CUTS_MAX 4000U

/* The rows of one log file; each log file goes back by itself. */
struct cuts_log {
    bool begun;
    bool follows; /* it makes no cut: rows of a guest may be forged */
    uint16_t epoch;
    uint64_t last; /* raw time */
};

/* Between two cuts. */
struct cuts_epoch {
    uint64_t first, last; /* raw times */
    uint64_t begin_ns;    /* of the timeline; as of cuts_settle() */
};

struct cuts {
    struct cuts_epoch *epoch;
    uint32_t nr;
    uint32_t least; /* all rows from now on are of this one or later */
};

void cuts_init(struct cuts *cuts);
void cuts_free(struct cuts *cuts);

/* The key of a row of @log at @raw_ns, which is not earlier than the log's last row. */
uint64_t cuts_key(struct cuts *cuts, struct cuts_log *log, uint64_t raw_ns);

/* A row with this key belongs to the timeline. */
void cuts_note(struct cuts *cuts, uint64_t key);

/*
 * The host's clock was @raw_ns when all rows that came so far had been written; @log is the
 * clock's own.  Returns whether it went back.
 */
bool cuts_clock(struct cuts *cuts, struct cuts_log *log, uint64_t raw_ns);

/* All keys are noted. */
void cuts_settle(struct cuts *cuts);

/* The time of a key, not outside the rows on its side of a cut. */
uint64_t cuts_time(const struct cuts *cuts, uint64_t key);

/* When the rows between two cuts end. */
uint64_t cuts_end(const struct cuts *cuts, uint32_t epoch);

#endif /* XENSCHED_TIMELINE_CUTS_H */
