/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Handles requests about reactions: "on" adds one, "reacted" reports the outcome of its
 * actions, "note" writes a line to the journal.
 */
#include <errno.h>
#include <math.h>

#include "answer.h"

#define MOST_TIMES 1e9
#define MOST_GAP_S 86400.0
#define NOTE_BYTES 1000

static bool get_flag(const json_object *request, const char *key)
{
    json_object *flag = json_member(request, key, json_type_boolean);

    return flag && json_object_get_boolean(flag);
}

/* Reads a number from 0 to @most; missing: @usual. */
static double get_number(const json_object *request, const char *key, double most,
                         double usual)
{
    double number = json_number(request, key, usual);

    return number >= 0 && number <= most ? number : usual;
}

static struct react *need_react(struct subject *s, struct xensched_error *err)
{
    if (!s->react)
        xensched_fail(err, EOPNOTSUPP, "there are no reactions here");

    return s->react;
}

static int add_reaction(struct subject *s, const char *condition,
                        struct xensched_error *err)
{
    struct react_settings wanted = {
        .condition = condition,
        .limits.times = get_number(s->request, "times", MOST_TIMES, 1),
        .limits.gap_ns = 1e9 * get_number(s->request, "every_s", MOST_GAP_S, 1),
        .stop = get_flag(s->request, "stop"),
        .pauses = get_flag(s->request, "pauses"),
        .dry_run = get_flag(s->request, "dry_run"),
    };
    int id = react_add(s->react, &wanted, err);

    /* It may have started since the last reading of the host. */
    if (id == -ESRCH && !core_run_requested(s->core, s->now_ns, err))
        id = react_add(s->react, &wanted, err);

    return id;
}

json_object *answer_on(struct subject *s, struct xensched_error *err)
{
    const char *condition = json_text(s->request, "condition");
    json_object *json;
    int id;

    if (!need_react(s, err))
        return NULL;
    if (!condition) {
        xensched_fail(err, EINVAL, "the request has no \"condition\"");
        return NULL;
    }
    id = add_reaction(s, condition, err);
    if (id < 0)
        return NULL;
    json = json_object_new_object();
    json_add_int(json, "id", id);

    return json;
}

json_object *answer_reacted(struct subject *s, struct xensched_error *err)
{
    double id = get_number(s->request, "id", 4e9, 0);

    if (!need_react(s, err) ||
        react_done(s->react, id, json_text(s->request, "failure"), err))
        return NULL;

    return json_object_new_object();
}

json_object *answer_reactions(struct subject *s, struct xensched_error *err)
{
    json_object *json;

    if (!need_react(s, err))
        return NULL;
    json = json_object_new_object();
    json_object_object_add(json, "reactions", react_list(s->react));

    return json;
}

json_object *answer_note(struct subject *s, struct xensched_error *err)
{
    const char *text = json_text(s->request, "text");
    json_object *details;

    if (!text || !*text || strnlen(text, NOTE_BYTES + 1) > NOTE_BYTES) {
        xensched_fail(err, EINVAL, "a note is a \"text\" of 1 to %u bytes",
                      NOTE_BYTES);
        return NULL;
    }
    details = json_object_new_object();
    json_add_text(details, "text", text);
    journal_write(&s->core->journal, "note", details);

    return json_object_new_object();
}
