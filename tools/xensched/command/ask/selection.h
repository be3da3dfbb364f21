/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * selection.h - of an answer with an entry for each of a thousand domains,
 * those entries which a user wants to see, in the order wanted.
 */
#ifndef XENSCHED_SELECTION_H
#define XENSCHED_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"

#include "command/arguments.h"

/* As many fit on a screen. */
#define SELECTION_TOP 20U

/* An order, by a member of entries. */
struct selection_key {
    const char *name; /* what --sort calls it; NULL: the end of a table */
    const char *member;
};

struct selection {
    const char *what;            /* entries are called, in the plural */
    const char *const *ends;     /* members which name a domain or a group */
    const struct selection_key *keys; /* the first one is the default */
    bool lists_in_order;         /* all of a list before the next list */
};

/* Lists of entries which are in an answer; each is reduced where it is. */
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
 * Keeps in @lists the entries of args->domain_or_group (NULL: all), sorted by args->sort, and
 * of those the first args->top (0: all).  Returns how many others there were; or -1, after a
 * message, if there is nothing about args->domain_or_group.
 */
long selection_apply(const struct selection *selection,
                     struct selection_lists *lists,
                     const struct arguments *args);

/* Is @name the name, the number, or the name of the group, of @entry's domain? */
bool selection_is(const json_object *entry, const char *const *ends,
                  const char *name);

/* The number of the key with this name; -1 after a message if there is none. */
int selection_key(const struct selection_key *keys, const char *name);

#endif /* XENSCHED_SELECTION_H */
