/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Formats text into temporary buffers, and cleans text that comes from outside: names of
 * domains, answers of a daemon, files of users.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "text.h"

#define NR_TEXTS 32U

static void append_formatted(char *text, const char *format, va_list args)
{
    size_t length = strlen(text), room = TEXT_BYTES - length;
    int more = vsnprintf(text + length, room, format, args);

    if (more >= 0 && (size_t)more >= room)
        memcpy(text + TEXT_BYTES - 4, "...", 4);
}

char *text_format(const char *format, ...)
{
    static char texts[NR_TEXTS][TEXT_BYTES];
    static unsigned int next;
    char *text = texts[next++ % NR_TEXTS];
    va_list args;

    text[0] = '\0';
    va_start(args, format);
    append_formatted(text, format, args);
    va_end(args);

    return text;
}

void text_append(char *text, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    append_formatted(text, format, args);
    va_end(args);
}

void printable(char *text)
{
    unsigned char *c;

    for (c = (unsigned char *)text; *c; c++) {
        /* U+0080 to U+009f in UTF-8, which some terminals also obey */
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

/* UTF-8. */

#define REPLACEMENT "\xef\xbf\xbd"

/* The smallest character for each number of bytes. */
static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };

/* Returns the length that the first byte of a sequence declares; 0: invalid. */
static size_t announced_length(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first <= 0xdf)
        return 2;
    if (first >= 0xe0 && first <= 0xef)
        return 3;

    return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

/* Returns the length of the sequence at @text; 0: not UTF-8. */
static size_t sequence_length(const char *text)
{
    size_t length = announced_length(*text), i;
    uint32_t c;

    if (length < 2)
        return length;
    c = (unsigned char)*text & (0xff >> (length + 1));
    for (i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (text[i] & 0x3f);
    }

    return c < smallest[length] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)
           ? 0 : length;
}

bool utf8_is_valid(const char *text)
{
    size_t length = 1;

    for (; *text && length; text += length)
        length = sequence_length(text);

    return length;
}

char *utf8_made_valid(const char *text)
{
    char *copy = need_memory(3 * strlen(text) + 1, 1), *to = copy;

    while (*text) {
        size_t length = sequence_length(text);

        if (length) {
            memcpy(to, text, length);
            to += length;
            text += length;
        } else {
            memcpy(to, REPLACEMENT, 3);
            to += 3;
            text++;
        }
    }

    return copy;
}
