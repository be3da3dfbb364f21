/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * alloc.h - allocates memory, or ends the program.
 *
 * The daemon may end at any point: its state file has each change of the host before the change,
 * and the next daemon restores it.  The library never uses these functions.
 */
#ifndef XENSCHED_BASE_ALLOC_H
#define XENSCHED_BASE_ALLOC_H

#include <stddef.h>

/* Returns @nr * @size bytes, all 0; never NULL. */
void *need_memory(size_t nr, size_t size);

/* Like realloc(3), for @nr * @size bytes; new bytes are not cleared. */
void *need_more_memory(void *old, size_t nr, size_t size);

/* Like strdup(3). */
char *need_string(const char *text);

/* Returns @array with space for member number @nr; *@room is its capacity. */
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
