/* SPDX-License-Identifier: GPL-2.0-only */
/* Collects the daemon's decisions in a recording. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "names.h"
#include "host-notes.h"

#define MAX_DEPTH 8
#define MAX_TEXT  500U

/* No recording of useful length has more decisions. */
#define MAX_NOTES 100000U

/* Formats "move to 0-3: REASON", shortened if it is too long. */
static char *copy_words(const json_object *entry)
{
    const char *what = json_text(entry, "what");
    const char *to = json_text(entry, "soft_affinity");
    const char *reason = json_text(entry, "reason");
    char text[MAX_TEXT];

    snprintf(text, sizeof(text), "%s%s%s%s%s", what ? what : "?",
             to ? " to pCPUs " : "", to ? to : "", reason ? ": " : "",
             reason ? reason : "");

    return need_string(text);
}

static void accept_entry(struct notes *notes, const json_object *entry)
{
    double at_ns = json_number(entry, "at_ns", 0);
    double domid = json_number(entry, "domid", -1);
    struct note *note;

    if (!(at_ns > notes->last_ns && at_ns < 1e18) ||
        !(domid >= 0 && domid < 65536) || notes->nr == MAX_NOTES)
        return;
    note = list_add(notes->note, notes->nr, notes->room);
    *note = (struct note){ .ns = at_ns, .domid = domid, .acct = -1,
                           .text = copy_words(entry) };
}

void notes_learn(struct notes *notes, const char *text, size_t length)
{
    json_tokener *parser = json_tokener_new_ex(MAX_DEPTH);
    json_object *host = parser && length < INT32_MAX
                        ? json_tokener_parse_ex(parser, text, length) : NULL;
    json_object *journal = json_member(host, "journal", json_type_array);
    size_t i;

    for (i = 0; journal && i < json_object_array_length(journal); i++)
        accept_entry(notes, json_object_array_get_idx(journal, i));
    for (i = 0; i < notes->nr; i++)
        if (notes->note[i].ns > notes->last_ns)
            notes->last_ns = notes->note[i].ns;
    json_object_put(host);
    if (parser)
        json_tokener_free(parser);
}

static int compare_notes(const void *a, const void *b)
{
    const struct note *x = a, *y = b;

    return x->ns < y->ns ? -1 : x->ns > y->ns;
}

void notes_put_in_order(struct notes *notes, const struct names *names,
                        uint64_t read_ns, uint64_t end_ns)
{
    size_t i, nr = 0;

    for (i = 0; i < notes->nr; i++) {
        struct note *note = &notes->note[i];

        if (!read_ns || note->ns < read_ns || note->ns - read_ns > end_ns) {
            free(note->text);
            continue;
        }
        note->ns -= read_ns;
        note->acct = names_of_domid(names, note->domid);
        notes->note[nr++] = *note;
    }
    notes->nr = nr;
    if (nr)
        qsort(notes->note, nr, sizeof(*notes->note), compare_notes);
}

void notes_free(struct notes *notes)
{
    size_t i;

    for (i = 0; i < notes->nr; i++)
        free(notes->note[i].text);
    free(notes->note);
    memset(notes, 0, sizeof(*notes));
}
