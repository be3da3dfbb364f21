/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * host-notes.h - what the daemon decided and did about a domain, and why, at the time
 * at which it did: moves, what came of them, what was put back.  A recording has
 * it of the daemon's journal, with what the host is.
 *
 * Texts are the recording's and untrusted: the code that shows one makes it
 * harmless.
 */
#ifndef XENSCHED_TIMELINE_HOST_NOTES_H
#define XENSCHED_TIMELINE_HOST_NOTES_H

#include <stddef.h>
#include <stdint.h>

struct names;

struct note {
    uint64_t ns;    /* CLOCK_MONOTONIC; after notes_put_in_order() as in rows.h */
    uint32_t domid;
    int acct;       /* likewise: its accounting domain, or -1 */
    char *text;     /* "move to 0-3: 98 % of its ..." */
};

struct notes {
    struct note *note; /* by ns */
    size_t nr, room;
    uint64_t last_ns;  /* of those which were learned */
};

/* Learn from @text, which says what a host is; what is known already is not new. */
void notes_learn(struct notes *notes, const char *text, size_t length);

/*
 * Times become those since @read_ns, which is CLOCK_MONOTONIC at time 0; what
 * was before, or after @end_ns, is forgotten.
 */
void notes_put_in_order(struct notes *notes, const struct names *names,
                        uint64_t read_ns, uint64_t end_ns);
void notes_free(struct notes *notes);

#endif /* XENSCHED_TIMELINE_HOST_NOTES_H */
