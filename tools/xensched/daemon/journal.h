/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * journal.h - what the daemon decided and did, and why: one JSON object per
 * line in a file, and the latest ones in memory for who asks.
 *
 * A journal that cannot be written (disk full) is said once and doesn't stop
 * the daemon; what is in memory goes on.
 */
#ifndef XENSCHED_DAEMON_JOURNAL_H
#define XENSCHED_DAEMON_JOURNAL_H

#include <stdint.h>

#include <json-c/json.h>

#include <xensched/error.h>

#include "../policy/policy.h"

#define JOURNAL_MEMORY 256 /* entries */

struct journal {
    char *path;
    int fd;
    unsigned int failed; /* entries which are not in the file */
    unsigned int nr;     /* ever */
    json_object *entries[JOURNAL_MEMORY]; /* a ring */
};

/* Open @path for appending. */
int journal_open(struct journal *j, const char *path,
                 struct xensched_error *err);
void journal_close(struct journal *j);

/*
 * Append an entry: { "time": ..., "what": @what, ... members of @details }.
 * Takes @details over; NULL: there are none.
 */
void journal_write(struct journal *j, const char *what, json_object *details);

/* The same about a domain, with a text in words. */
void journal_domain(struct journal *j, const char *what,
                    const struct domain *domain, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The latest entries, oldest first, as a JSON array. */
json_object *journal_latest(const struct journal *j, unsigned int max);

#endif /* XENSCHED_DAEMON_JOURNAL_H */
