/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks regions.  The number is a part of the instruction, so each number has a function of 4
 * bytes, mark and return.  The machine model exists for x86 only: elsewhere a mark does nothing.
 */
#include <err.h>
#include <stdlib.h>

#include "region.h"

#ifdef __x86_64__

extern const char region_marks[];

__asm__(".text\n"
        "region_marks:\n"
        ".set region_id_of, 0\n"
        ".rept 64\n"
        ".byte 0x0f, 0x1f, 0xc0 + region_id_of\n"
        "ret\n"
        ".set region_id_of, region_id_of + 1\n"
        ".endr\n");

void region(unsigned int id)
{
    ((void (*)(void))(region_marks + 4 * id))();
}

#else

void region(unsigned int id)
{
    (void)id;
}

#endif

unsigned int region_id(const char *text)
{
    char *end;
    unsigned long id = strtoul(text, &end, 10);

    if (end == text || *end || id >= REGIONS)
        errx(2, "%s: a region is 1 ... %d, or 0 for its end", text,
             REGIONS - 1);

    return id;
}
