/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mark-names.h - what the numbers in marks are called, by the guest that makes
 * them.
 *
 * A guest says what it likes.  All that is kept of a text is 31 characters of
 * plain ASCII, and there are never more texts than rows that say one.
 */
#ifndef XENSCHED_TIMELINE_MARK_NAMES_H
#define XENSCHED_TIMELINE_MARK_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define MARK_TEXT 32U

/* A text of a domain: the same one is there once. */
struct mark_text {
    uint16_t acct;
    char text[MARK_TEXT];
    uint32_t next;          /* in its bucket, + 1 */
};

/* From @ns on @id of @acct is called so. */
struct mark_named {
    uint64_t ns;
    uint32_t text;          /* index */
    uint16_t acct, id;
};

struct mark_names {
    struct mark_text *text;
    size_t nr, room;
    struct mark_named *named; /* by acct, id and ns, once they are sorted */
    size_t nr_named, named_room;
    uint32_t *bucket;       /* index of a text + 1 */
};

/* The index of what @acct says, of @size bytes. */
uint32_t mark_names_text(struct mark_names *names, uint16_t acct,
                         const uint8_t *text, size_t size);

/* To be told in the order of time. */
void mark_names_define(struct mark_names *names, uint16_t acct, uint16_t id,
                       uint64_t ns, uint32_t text);
void mark_names_sort(struct mark_names *names);

/*
 * What @id of @acct is called at @ns: as was said last before that, else as is
 * said first; else "#5".
 */
uint32_t mark_names_of(struct mark_names *names, uint16_t acct, uint16_t id,
                       uint64_t ns);
void mark_names_free(struct mark_names *names);

#endif /* XENSCHED_TIMELINE_MARK_NAMES_H */
