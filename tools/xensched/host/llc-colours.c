/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads Xen's options about colours of the last-level cache, and compares sets of colours. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/text.h"
#include "llc-colours.h"

/* Parses a boolean option of Xen: "name", "name=on", "no-name", "name=0". */
static bool is_off(const char *value)
{
    static const char *const words[] = { "no", "off", "false", "disable", "0" };
    size_t i;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (!strcasecmp(value, words[i]))
            return true;

    return false;
}

struct colouring {
    int on; /* -1: no option sets it */
    bool size, ways;
    char *dom0;
};

static void read_option(struct colouring *c, const char *name, const char *value)
{
    if (!strcmp(name, "llc-coloring"))
        c->on = !is_off(value);
    else if (!strcmp(name, "no-llc-coloring"))
        c->on = is_off(value);
    else if (!strcmp(name, "llc-size"))
        c->size = true;
    else if (!strcmp(name, "llc-nr-ways"))
        c->ways = true;
    if (strcmp(name, "dom0-llc-colors"))
        return;
    free(c->dom0);
    c->dom0 = need_string(value);
}

static void read_options(struct colouring *c, const char *command_line)
{
    char *line = need_string(command_line), *rest = NULL, *word;

    for (word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');

        if (value)
            *value++ = '\0';
        read_option(c, word, value ?: "");
    }
    free(line);
}

bool llc_colours_of_dom0(const char *command_line, struct llc_colours *dom0)
{
    struct colouring c = { .on = -1 };
    bool on;

    read_options(&c, command_line);
    on = c.on > 0 || (c.on && c.size && c.ways);
    if (on) {
        *dom0 = (struct llc_colours){ .domid = 0 };
        cpumap_init(&dom0->named, LLC_COLOURS_MAX);
        dom0->all = !c.dom0 || !cpumap_parse(&dom0->named, c.dom0);
    }
    free(c.dom0);

    return on;
}

bool llc_colours_shared(const struct llc_colours *a, const struct llc_colours *b)
{
    struct cpumap both;
    bool shared;

    if (a->all || b->all)
        return true;
    cpumap_init_copy(&both, &a->named);
    cpumap_and(&both, &b->named);
    shared = !cpumap_empty(&both);
    cpumap_free(&both);

    return shared;
}

const char *llc_colours_text(const struct llc_colours *colours)
{
    char text[CPUMAP_TEXT];

    if (colours->all)
        return "all";
    cpumap_format(&colours->named, text, sizeof(text));

    return text_format("%s", text);
}
