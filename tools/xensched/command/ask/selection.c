/* SPDX-License-Identifier: GPL-2.0-only */
/* Sorts and limits the entries of an answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "model/domain.h"
#include "base/alloc.h"
#include "selection.h"

struct item {
    json_object *entry; /* holds a reference */
    unsigned int list;
    size_t place; /* its position in the daemon's answer */
    bool in_order;
    double number; /* value of the key; the greatest is first */
    const char *text;
};

void selection_add(struct selection_lists *lists, json_object *parent,
                   const char *key)
{
    if (lists->nr == SELECTION_LISTS ||
        !json_member(parent, key, json_type_array))
        return;
    lists->list[lists->nr].parent = parent;
    lists->list[lists->nr++].key = key;
}

int selection_key(const struct selection_key *keys, const char *name)
{
    char names[100] = "";
    size_t length = 0;
    int i;

    for (i = 0; keys[i].name; i++) {
        if (!name || !strcmp(keys[i].name, name))
            return i;
        if (length < sizeof(names))
            length += snprintf(names + length, sizeof(names) - length, "%s%s",
                               i ? ", " : "", keys[i].name);
    }
    complain("--sort: '%s' is none of %s", name, names);

    return -1;
}

bool selection_is(const json_object *entry, const char *const *ends,
                  const char *name)
{
    bool by_number;
    uint32_t domid;

    by_number = domain_is_number(name, &domid);
    for (; *ends; ends++) {
        json_object *number = json_member(entry, *ends, json_type_int);
        const char *text = json_text(entry, *ends);

        if (by_number ? number && json_object_get_int64(number) == domid
                      : text && !strcmp(text, name))
            return true;
    }

    return false;
}

static int compare_items(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int difference = 0;

    if (x->in_order && x->list != y->list)
        return x->list < y->list ? -1 : 1;
    if (x->text && y->text)
        difference = strcmp(x->text, y->text);
    if (!difference)
        difference = (x->number < y->number) - (x->number > y->number);
    if (!difference)
        difference = (x->list > y->list) - (x->list < y->list);
    if (!difference)
        difference = (x->place > y->place) - (x->place < y->place);

    return difference;
}

static struct item item_of(const struct selection *s, const char *member,
                           json_object *entry, unsigned int list, size_t place)
{
    return (struct item){
        .entry = json_object_get(entry),
        .list = list,
        .place = place,
        .in_order = s->lists_in_order,
        .number = json_number(entry, member, -1),
        .text = json_text(entry, member),
    };
}

static struct item *collect_items(const struct selection *s,
                                  const struct selection_lists *lists,
                                  const char *name, const char *member, size_t *nr)
{
    struct item *items = NULL;
    size_t room = 0, i;
    unsigned int l;

    *nr = 0;
    for (l = 0; l < lists->nr; l++) {
        json_object *array = json_member(lists->list[l].parent,
                                         lists->list[l].key, json_type_array);

        room += json_object_array_length(array);
        items = need_more_memory(items, room + 1, sizeof(*items));
        for (i = 0; i < json_object_array_length(array); i++) {
            json_object *entry = json_object_array_get_idx(array, i);

            if (!name || selection_is(entry, s->ends, name))
                items[(*nr)++] = item_of(s, member, entry, l, i);
        }
    }

    return items;
}

/* Puts the first @left of @items into the lists, in place of the former entries. */
static void replace_lists(const struct selection_lists *lists,
                          const struct item *items, size_t nr, size_t left)
{
    json_object *arrays[SELECTION_LISTS];
    unsigned int l;
    size_t i;

    for (l = 0; l < lists->nr; l++)
        arrays[l] = json_object_new_array();
    for (i = 0; i < nr; i++)
        if (i < left)
            json_object_array_add(arrays[items[i].list], items[i].entry);
        else
            json_object_put(items[i].entry);
    for (l = 0; l < lists->nr; l++)
        json_object_object_add(lists->list[l].parent, lists->list[l].key,
                               arrays[l]);
}

long selection_apply(const struct selection *s, struct selection_lists *lists,
                     const struct arguments *args)
{
    int key = selection_key(s->keys, args->sort);
    struct item *items;
    size_t nr, left;

    if (key < 0)
        return -1;
    items = collect_items(s, lists, args->domain_or_group, s->keys[key].member, &nr);
    if (args->domain_or_group && !nr)
        complain("there is nothing about a domain or group '%s'", args->domain_or_group);
    if (nr)
        qsort(items, nr, sizeof(*items), compare_items);
    left = args->top && args->top < nr ? args->top : nr;
    replace_lists(lists, items, nr, left);
    free(items);

    return args->domain_or_group && !nr ? -1 : (long)(nr - left);
}
