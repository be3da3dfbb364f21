/* SPDX-License-Identifier: GPL-2.0-only */
/* Keeps the names in marks, with limits for each guest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "mark-names.h"
#include "base/fnv.h"
#include "timeline/rows/row-order.h"

#define NR_BUCKETS 65536U

static void make_plain(char to[MARK_TEXT], const uint8_t *text, size_t size)
{
    size_t i;

    memset(to, 0, MARK_TEXT);
    for (i = 0; i < size && i < MARK_TEXT - 1 && text[i]; i++)
        to[i] = text[i] < ' ' || text[i] > '~' ? '?' : text[i];
}

uint32_t mark_names_text(struct mark_names *names, uint16_t acct,
                         const uint8_t *text, size_t size)
{
    struct mark_text new = { .acct = acct };
    uint32_t *head, i;

    make_plain(new.text, text, size);
    if (!names->bucket)
        names->bucket = need_memory(NR_BUCKETS, sizeof(*names->bucket));
    head = &names->bucket[fnv(fnv(FNV_BEGIN, &acct, sizeof(acct)), new.text,
                              MARK_TEXT) % NR_BUCKETS];
    for (i = *head; i; i = names->text[i - 1].next)
        if (names->text[i - 1].acct == acct &&
            !strcmp(names->text[i - 1].text, new.text))
            return i - 1;
    new.next = *head;
    *list_add(names->text, names->nr, names->room) = new;
    *head = names->nr;

    return names->nr - 1;
}

/* Keeps a name that is marked repeatedly once. */
void mark_names_define(struct mark_names *names, uint16_t acct, uint16_t id,
                       uint64_t ns, uint32_t text)
{
    const struct mark_named *last = names->nr_named
                                    ? &names->named[names->nr_named - 1] : NULL;

    if (last && last->acct == acct && last->id == id && last->text == text)
        return;
    *list_add(names->named, names->nr_named, names->named_room) =
        (struct mark_named){ .ns = ns, .text = text, .acct = acct, .id = id };
}

static uint32_t key_of(const struct mark_named *named)
{
    return (uint32_t)named->acct << 16 | named->id;
}

static bool has_larger_key(const void *a, const void *b)
{
    return key_of(a) > key_of(b);
}

void mark_names_sort(struct mark_names *names)
{
    order_sort(names->named, names->nr_named, sizeof(*names->named),
               has_larger_key);
}

/* Returns the number of definitions before @key at @ns, including those at that time. */
static size_t find_until(const struct mark_names *names, uint32_t key, uint64_t ns)
{
    size_t low = 0, high = names->nr_named;

    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct mark_named *n = &names->named[middle];

        if (key_of(n) < key || (key_of(n) == key && n->ns <= ns))
            low = middle + 1;
        else
            high = middle;
    }

    return low;
}

uint32_t mark_names_of(struct mark_names *names, uint16_t acct, uint16_t id,
                       uint64_t ns)
{
    uint32_t key = (uint32_t)acct << 16 | id;
    size_t i = find_until(names, key, ns);
    char text[16];

    if (i && key_of(&names->named[i - 1]) == key)
        return names->named[i - 1].text;
    if (i < names->nr_named && key_of(&names->named[i]) == key)
        return names->named[i].text;
    snprintf(text, sizeof(text), "#%u", id);

    return mark_names_text(names, acct, (const uint8_t *)text, strlen(text));
}

void mark_names_free(struct mark_names *names)
{
    free(names->text);
    free(names->named);
    free(names->bucket);
    memset(names, 0, sizeof(*names));
}
