/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * journal.h - keeps the daemon's decisions, actions and reasons: one JSON object per line in a
 * file, and the latest ones in memory for clients.
 *
 * A full file becomes FILE.1, the former FILE.1 becomes FILE.2, and so on; the last one is
 * removed.  Only the last one is ever overwritten, so a daemon that is killed meanwhile leaves all
 * entries, at worst with a gap in the numbers of the files, and its successor continues.
 *
 * If the journal cannot be written (disk full), the daemon logs that once and continues with the
 * entries in memory.  An entry is in the file as a whole or not at all; after a gap, the next
 * entry contains the number of missing ones.
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
    char *path; /* NULL: no file, entries are in memory only */
    int fd;
    uint64_t limit; /* bytes of a file; 0: no limit */
    uint64_t size;  /* of the current file */
    bool torn;      /* the file ends in the middle of a line */
    bool stuck;     /* the file could not be renamed; logged already */
    unsigned int failed;  /* entries since the last successful write */
    unsigned int missing; /* of these, the ones that no later entry has counted */
    unsigned int failures; /* all entries that are in no file */
    unsigned int nr;      /* all entries */
    json_object *entries[JOURNAL_MEMORY]; /* a ring */
};

/*
 * Opens @path for appending.  Before the file grows beyond @limit bytes (0: no limit), another one
 * begins.  @path is NULL for a host that is not a real one.
 */
int journal_open(struct journal *j, const char *path, uint64_t limit,
                 struct xensched_error *err);
void journal_close(struct journal *j);

/*
 * Appends an entry: { "time": ..., "at_ns": CLOCK_MONOTONIC, "what": @what, ... members of
 * @details }.  Owns and frees @details; NULL: there are none.
 */
void journal_write(struct journal *j, const char *what, json_object *details);

/* Returns details that name @domain and have @reason. */
json_object *journal_details(const struct domain *domain, const char *reason);

/* Appends an entry about a domain, with a text as its reason. */
void journal_domain(struct journal *j, const char *what,
                    const struct domain *domain, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/*
 * The latest entries about the domain with this UUID, at most JOURNAL_MEMORY, oldest first, as a
 * JSON array.  They come from the files, which include those of earlier daemons, if every entry of
 * this daemon could be written, and otherwise from memory.
 */
json_object *journal_about(const struct journal *j, const char *uuid);

/* The latest entries, oldest first, as a JSON array. */
json_object *journal_latest(const struct journal *j, unsigned int max);

#endif /* XENSCHED_DAEMON_JOURNAL_H */
