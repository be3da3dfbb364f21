/* SPDX-License-Identifier: GPL-2.0-only */
/* Allocates memory, or ends the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"

static void *or_end(void *p)
{
    if (!p) {
        fputs("out of memory\n", stderr);
        abort();
    }

    return p;
}

void *need_memory(size_t nr, size_t size)
{
    return or_end(calloc(nr ? nr : 1, size));
}

void *need_more_memory(void *old, size_t nr, size_t size)
{
    return or_end(reallocarray(old, nr ? nr : 1, size));
}

char *need_string(const char *text)
{
    return or_end(strdup(text));
}
