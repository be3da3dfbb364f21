/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * host-notes.h - the daemon's decisions and actions about domains, with their reasons and times:
 * moves, their outcome, restores.  A recording has them from the daemon's journal, with the
 * description of the host.
 *
 * Texts are the recording's and untrusted: the code that shows one makes it harmless.
 */
#ifndef XENSCHED_TIMELINE_HOST_NOTES_H
#define XENSCHED_TIMELINE_HOST_NOTES_H

#include <stddef.h>
#include <stdint.h>

struct names;

struct note {
    uint64_t ns;    /* CLOCK_MONOTONIC; after notes_put_in_order() as in rows.h */
    uint32_t domid;
    int acct;       /* its accounting domain, after notes_put_in_order(), or -1 */
    char *text;     /* "move to 0-3: 98 % of its ..." */
};

struct notes {
    struct note *note; /* by ns */
    size_t nr, room;
    uint64_t last_ns;  /* of the latest note that was learned */
};

/* Learns notes from @text, which describes a host; known notes are ignored. */
void notes_learn(struct notes *notes, const char *text, size_t length);

/*
 * Makes times relative to @read_ns, which is CLOCK_MONOTONIC at time 0, and drops notes before that
 * or after @end_ns.
 */
void notes_put_in_order(struct notes *notes, const struct names *names,
                        uint64_t read_ns, uint64_t end_ns);
void notes_free(struct notes *notes);

#endif /* XENSCHED_TIMELINE_HOST_NOTES_H */
