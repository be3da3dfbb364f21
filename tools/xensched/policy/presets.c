/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps the names of former policies to parts of placement.
 *
 * A former policy had one aim.  For two releases, its name stays as a preset: the terms with
 * this aim, and the partners that count.  Several names add up.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>

#include "base/alloc.h"
#include "placement/term.h"
#include "policy.h"

#define TALK   (1U << TERM_TALK | 1U << TERM_WAKES | 1U << TERM_MOVING)
#define WAIT   (1U << TERM_WAITING | 1U << TERM_SMT | 1U << TERM_MOVING)
#define CACHE  (1U << TERM_CACHE | 1U << TERM_MOVING)

static const struct preset table[] = {
    { "placement", (1U << NR_TERMS) - 1, PARTNERS_ALL, 0 },
    { "driver-affinity", TALK, PARTNERS_BACK_ENDS, 0 },
    { "working-set", TALK, PARTNERS_ALL, 0 },
    { "balance", WAIT, PARTNERS_NONE, 0 },
    { "cache", CACHE, PARTNERS_NONE, 1U << XEN_SCHEDLOG_EV_PMC0 },
};

#define NR_PRESETS (sizeof(table) / sizeof(table[0]))

_Static_assert(NR_PRESETS <= POLICIES_MAX, "no room to choose all presets");

static bool add_preset(struct policies *policies, const char *name)
{
    unsigned int i, k;

    for (i = 0; i < NR_PRESETS; i++)
        if (!strcmp(table[i].name, name))
            break;
    if (i == NR_PRESETS)
        return false;
    for (k = 0; k < policies->nr; k++)
        if (policies->preset[k] == &table[i])
            return false;
    policies->preset[policies->nr++] = &table[i];

    return true;
}

bool policies_parse(struct policies *policies, const char *text)
{
    char *copy = need_string(text), *rest = copy, *name;
    bool good = true;

    memset(policies, 0, sizeof(*policies));
    while (good && (name = strsep(&rest, ",")))
        good = add_preset(policies, name);
    free(copy);

    return good;
}

bool policies_has_term(const struct policies *policies, unsigned int term)
{
    unsigned int i;

    for (i = 0; i < policies->nr; i++)
        if (policies->preset[i]->terms >> term & 1)
            return true;

    return false;
}

bool policies_has_partner(const struct policies *policies, bool back_end)
{
    enum partners least = back_end ? PARTNERS_BACK_ENDS : PARTNERS_ALL;
    unsigned int i;

    for (i = 0; i < policies->nr; i++)
        if (policies->preset[i]->partners >= least)
            return true;

    return false;
}

uint32_t policies_events(const struct policies *policies)
{
    uint32_t events = 0;
    unsigned int i;

    for (i = 0; i < policies->nr; i++)
        events |= policies->preset[i]->events;

    return events;
}

bool policies_former(const struct policies *policies, char names[POLICIES_TEXT])
{
    struct policies former = { 0 };
    unsigned int i;

    for (i = 0; i < policies->nr; i++)
        if (policies->preset[i] != &table[0])
            former.preset[former.nr++] = policies->preset[i];
    policies_format(&former, names);

    return former.nr;
}

void policies_format(const struct policies *policies,
                     char text[POLICIES_TEXT])
{
    size_t length = 0;
    unsigned int i;

    text[0] = '\0';
    for (i = 0; i < policies->nr && length < POLICIES_TEXT; i++)
        length += snprintf(text + length, POLICIES_TEXT - length, "%s%s",
                           i ? ", " : "", policies->preset[i]->name);
}
