/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * list.h - room for one more member of an array that grows.
 */
#ifndef XENSCHED_TIMELINE_LIST_H
#define XENSCHED_TIMELINE_LIST_H

#include <stddef.h>

#include "base/alloc.h"

/* @array, with room for member number @nr; *@room is how many it has room for. */
static inline void *list_room(void *array, size_t nr, size_t *room, size_t size)
{
    if (nr < *room)
        return array;
    *room = *room ? 2 * *room : 16;

    return need_more_memory(array, *room, size);
}

#define list_add(array, nr, room) \
    ((array) = list_room((array), (nr), &(room), sizeof(*(array))), \
     &(array)[(nr)++])

#endif /* XENSCHED_TIMELINE_LIST_H */
