/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses a reaction of the configuration. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/option.h"
#include "base/alloc.h"
#include "reaction/reaction.h"
#include "reaction-line.h"

#define MAX_TIMES  1000000000ULL
#define MAX_GAP_S  86400

static bool is_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    return !strncmp(text, word, length) &&
           (!text[length] || strchr(" ;", text[length]));
}

/* Parses a word before the condition.  False: it is none of these. */
static bool take_prefix(const char *word, struct react_settings *wanted)
{
    uint64_t number;

    if (!strcmp(word, "dry-run")) {
        wanted->dry_run = true;
    } else if (!strncmp(word, "times=", 6) &&
               option_number(word + 6, 1, MAX_TIMES, &number)) {
        wanted->limits.times = number;
    } else {
        return !strncmp(word, "every=", 6) &&
               option_duration(word + 6, OPTION_S, 0, MAX_GAP_S * OPTION_S,
                               &wanted->limits.gap_ns);
    }

    return true;
}

static char *skip_prefixes(char *line, struct react_settings *wanted)
{
    char word[32];

    for (;;) {
        size_t length;

        line += strspn(line, " ");
        length = strcspn(line, " ");
        if (length >= sizeof(word))
            return line;
        memcpy(word, line, length);
        word[length] = '\0';
        if (!take_prefix(word, wanted))
            return line;
        line += length;
    }
}

/* Finds the blank before "do" and its actions, outside of quoted names; or NULL. */
static char *find_actions(char *line)
{
    const char *word = line + strspn(line, " "), *end;

    while (*word && (end = condition_word_end(word))) {
        word = end + strspn(end, " ");
        if (word > end && !strncmp(word, "do ", 3))
            return (char *)word - 1;
    }

    return NULL;
}

/* Finds actions that pause ("stop" first, or "pause" anywhere), or fill a disk. */
static void look_at_actions(const char *actions, struct react_settings *wanted)
{
    const char *at = actions;

    wanted->stop = is_word(at + strspn(at, " "), "stop");
    while (at) {
        at += strspn(at, "; ");
        wanted->pauses = wanted->pauses || is_word(at, "pause") ||
                       is_word(at, "stop");
        if (!wanted->limits.times && reaction_leaves_files(at))
            wanted->limits.times = REACTION_MOST_FILES;
        at = strchr(at, ';');
    }
}

int reaction_line_parse(char *line, struct react_settings *wanted,
                        struct xensched_error *err)
{
    struct condition condition;
    char *actions;

    *wanted = (struct react_settings){ .limits = { .gap_ns = REACTION_GAP_NS } };
    line = skip_prefixes(line, wanted);
    actions = find_actions(line);
    if (!actions)
        return xensched_fail(err, EINVAL, "the reaction '%s' has no 'do' with an action",
                             line);
    *actions = '\0';
    actions += strlen(" do ");
    wanted->condition = line;
    wanted->actions = actions;
    look_at_actions(actions, wanted);

    return condition_parse(line, &condition, err);
}

int react_check(const char *lines, uint32_t *events, struct xensched_error *err)
{
    char *copy = need_string(lines), *rest = copy, *line;
    struct condition condition;
    struct react_settings wanted;
    int rc = 0;

    *events = 0;
    while (!rc && (line = strsep(&rest, "\n"))) {
        if (!line[strspn(line, " ")])
            continue;
        rc = reaction_line_parse(line, &wanted, err);
        if (!rc && !condition_parse(wanted.condition, &condition, err))
            *events |= condition_events(&condition);
    }
    free(copy);

    return rc;
}
