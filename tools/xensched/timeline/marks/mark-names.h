/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mark-names.h - the names of numbers in marks, per guest.
 *
 * Guests choose the texts.  Of a text 31 characters of plain ASCII are kept, and there are never
 * more texts than rows with one.
 */
#ifndef XENSCHED_TIMELINE_MARK_NAMES_H
#define XENSCHED_TIMELINE_MARK_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define MARK_TEXT 32U

/* A text of a domain, kept once. */
struct mark_text {
    uint16_t acct;
    char text[MARK_TEXT];
    uint32_t next;          /* index + 1 of the next in its bucket */
};

/* A definition: from @ns on @id of @acct has this name. */
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

/* Returns the index of a text of @acct, which has @size bytes. */
uint32_t mark_names_text(struct mark_names *names, uint16_t acct,
                         const uint8_t *text, size_t size);

/* Callers define names in the order of time. */
void mark_names_define(struct mark_names *names, uint16_t acct, uint16_t id,
                       uint64_t ns, uint32_t text);
void mark_names_sort(struct mark_names *names);

/*
 * Returns the name of @id of @acct at @ns: the latest definition before that, else the first one,
 * else "#5".
 */
uint32_t mark_names_of(struct mark_names *names, uint16_t acct, uint16_t id,
                       uint64_t ns);
void mark_names_free(struct mark_names *names);

#endif /* XENSCHED_TIMELINE_MARK_NAMES_H */
