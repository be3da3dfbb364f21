/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints the daemon's decisions, and events of a foreign trace. */
#include <inttypes.h>
#include <stdio.h>

#include "base/json.h"
#include "notes.h"
#include "shown.h"

/* Decisions that are printed. */
#define MOST_DECISIONS 20U

static const char *whose(const struct timeline *t, const struct note *note)
{
    return note->acct < 0 ? "a domain that is not known"
                          : names_of(&t->rows.names, note->acct);
}

json_object *decisions_json(const struct timeline *t)
{
    const struct notes *notes = &t->rows.notes;
    json_object *array = json_object_new_array();
    size_t i;

    for (i = 0; i < notes->nr; i++) {
        json_object *o = json_object_new_object();

        json_add_int(o, "at_ns", notes->note[i].ns);
        json_add_text(o, "domain", whose(t, &notes->note[i]));
        json_add_int(o, "domid", notes->note[i].domid);
        json_add_text(o, "text", notes->note[i].text);
        json_object_array_add(array, o);
    }

    return array;
}

static json_object *events_json(const struct foreign *foreign)
{
    json_object *array = json_object_new_array();
    size_t i;

    for (i = 0; i < foreign->nr; i++) {
        json_object *o = json_object_new_object();

        json_add_int(o, "at_ns", foreign->event[i].ns);
        json_add_text(o, "lane", foreign->lane[foreign->event[i].lane]);
        json_add_text(o, "text", foreign->event[i].text);
        json_object_array_add(array, o);
    }

    return array;
}

json_object *foreign_json(const struct timeline *t)
{
    const struct foreign *foreign = &t->foreign;
    json_object *o = json_object_new_object();

    json_add_text(o, "clock", foreign->by);
    if (foreign->error_ns != FOREIGN_NO_BOUND)
        json_add_int(o, "clock_error_ns", foreign->error_ns);
    json_add_int(o, "outside", foreign->outside);
    json_add_int(o, "left_out", foreign->left_out);
    json_object_object_add(o, "events", events_json(foreign));

    return o;
}

static void print_foreign(const struct foreign *foreign)
{
    printf("events of the other trace: %zu, %" PRIu64 " outside of the "
           "recording; its clock is known %s", foreign->nr, foreign->outside,
           foreign->by);
    if (foreign->error_ns == FOREIGN_NO_BOUND)
        printf(", with an unknown error\n");
    else
        printf(", to %s\n", shown_length(foreign->error_ns));
    if (foreign->left_out)
        printf("and %" PRIu64 " events more than are shown\n",
               foreign->left_out);
}

void notes_print(const struct timeline *t)
{
    const struct notes *notes = &t->rows.notes;
    size_t i;

    if (notes->nr)
        printf("\nwhat xenschedd decided:\n");
    for (i = 0; i < notes->nr && i < MOST_DECISIONS; i++)
        printf("  %s s  %s: %s\n", shown_time(notes->note[i].ns),
               shown_name(whose(t, &notes->note[i])),
               shown_name(notes->note[i].text));
    if (i < notes->nr)
        printf("  and %zu more (--json has all)\n", notes->nr - i);
    if (t->foreign.by)
        print_foreign(&t->foreign);
}
