/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * alloc.h - allocate memory, or end the program.
 *
 * The daemon can end at any point: its state file has each change of the host before it
 * is made, and the daemon's restart puts it right.  The library never uses this.
 */
#ifndef XENSCHED_BASE_ALLOC_H
#define XENSCHED_BASE_ALLOC_H

#include <stddef.h>

/* @nr * @size bytes, all 0; never NULL. */
void *need_memory(size_t nr, size_t size);

/* As realloc(3), for @nr * @size bytes; what is added is not cleared. */
void *need_more_memory(void *old, size_t nr, size_t size);

/* As strdup(3). */
char *need_string(const char *text);

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

#endif /* XENSCHED_BASE_ALLOC_H */
