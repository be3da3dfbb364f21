/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * journal.h - what the daemon decided and did, and why: one JSON object per
 * line in a file, and the latest ones in memory for clients.
 *
 * A file which is full becomes FILE.1, and that before FILE.2, up to the last
 * one, which goes.  Nothing is written over but that, so a daemon that is
 * killed meanwhile leaves all entries, at worst with a number that is missing;
 * its successor goes on from there.
 *
 * A journal that cannot be written (disk full) is said once and doesn't stop
 * the daemon; what is in memory goes on.  An entry is in the file as a whole or
 * not at all, and where some are missing the next one says how many.
 */
#ifndef XENSCHED_DAEMON_JOURNAL_H
#define XENSCHED_DAEMON_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/error.h>

#include "base/json.h"
#include "policy/plan.h"

#define JOURNAL_MEMORY 256 /* entries */
#define JOURNAL_FILES  4U  /* with the one that is written */

struct journal {
    char *path; /* NULL: there is no file, only what is in memory */
    int fd;
    uint64_t limit; /* bytes of a file; 0: there is none */
    uint64_t size;  /* of the file that is written */
    bool torn;      /* it ends in the middle of a line */
    bool stuck;     /* it could not be renamed; logged already */
    unsigned int failed;  /* entries since it could be written */
    unsigned int missing; /* of these, which the file doesn't tell of yet */
    unsigned int failures; /* entries which are not in a file, ever */
    unsigned int nr;      /* entries, ever */
    json_object *entries[JOURNAL_MEMORY]; /* a ring */
};

/*
 * Open @path for appending; begin another file when it would become larger than
 * @limit bytes (0: never).  @path may be NULL: for a host that is no real one.
 */
int journal_open(struct journal *j, const char *path, uint64_t limit,
                 struct xensched_error *err);
void journal_close(struct journal *j);

/*
 * Append an entry: { "time": ..., "at_ns": CLOCK_MONOTONIC, "what": @what, ...
 * members of @details }.
 * Takes @details over; NULL: there are none.
 */
void journal_write(struct journal *j, const char *what, json_object *details);

/* The same about a domain, with a text in words. */
void journal_domain(struct journal *j, const char *what,
                    const struct domain *domain, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/*
 * The latest entries about the domain with this UUID, at most JOURNAL_MEMORY,
 * oldest first, as a JSON array: what the files have of it, also from daemons
 * before, as long as every entry of this one could be written; else what is in
 * memory.
 */
json_object *journal_about(const struct journal *j, const char *uuid);

/* The latest entries, oldest first, as a JSON array. */
json_object *journal_latest(const struct journal *j, unsigned int max);

#endif /* XENSCHED_DAEMON_JOURNAL_H */
