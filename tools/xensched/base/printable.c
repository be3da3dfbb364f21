/* SPDX-License-Identifier: GPL-2.0-only */
/* Replaces control characters in text from outside. */
#include "printable.h"

void printable(char *text)
{
    unsigned char *c;

    for (c = (unsigned char *)text; *c; c++) {
        /* U+0080 to U+009f in UTF-8, which some terminals obey as well */
        if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f)
            c[0] = c[1] = '?';
        else if (*c < ' ' || *c == 0x7f)
            *c = '?';
    }
}

size_t printable_width(const char *text)
{
    size_t width = 0;

    for (; *text; text++)
        if ((*text & 0xc0) != 0x80)
            width++;

    return width;
}
