/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * selection.h - selects and sorts the entries of an answer, which may have one for each of a
 * thousand domains.
 */
#ifndef XENSCHED_SELECTION_H
#define XENSCHED_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"

#include "command/arguments.h"

/* The number of entries that fit on a screen. */
#define SELECTION_TOP 20U

/* An order, by a member of entries. */
struct selection_key {
    const char *name; /* of --sort; NULL: the end of a table */
    const char *member;
};

struct selection {
    const char *what;            /* the name of entries, in the plural */
    const char *const *ends;     /* members that name a domain or a group */
    const struct selection_key *keys; /* the first one is the default */
    bool lists_in_order;         /* each list stays together, before the next list */
};

/* Lists of entries in an answer, which are reduced in place. */
#define SELECTION_LISTS 64
struct selection_lists {
    unsigned int nr;
    struct {
        json_object *parent; /* an object... */
        const char *key;     /* ... and the array in it */
    } list[SELECTION_LISTS];
};

void selection_add(struct selection_lists *lists, json_object *parent,
                   const char *key);

/*
 * Keeps in @lists the entries of args->domain_or_group (NULL: all), sorted by args->sort, and of
 * these the first args->top (0: all).  Returns the number of dropped entries; or -1, after a
 * message, if there is nothing about args->domain_or_group.
 */
long selection_apply(const struct selection *selection,
                     struct selection_lists *lists,
                     const struct arguments *args);

/* Returns whether @name is the name, the number, or the group's name of @entry's domain. */
bool selection_is(const json_object *entry, const char *const *ends,
                  const char *name);

/* Returns the number of the key with this name; -1, after a message, if there is none. */
int selection_key(const struct selection_key *keys, const char *name);

#endif /* XENSCHED_SELECTION_H */
