/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of policies; see policy.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "policy.h"

static const struct policy *const table[] = {
    &policy_placement,
    &policy_driver_affinity,
    &policy_working_set,
    &policy_balance,
    &policy_cache,
};

#define NR_POLICIES (sizeof(table) / sizeof(table[0]))

_Static_assert(NR_POLICIES <= POLICIES_MAX, "no room to choose all policies");

static bool add(struct policies *policies, const char *name)
{
    unsigned int i, k;

    for (i = 0; i < NR_POLICIES; i++)
        if (!strcmp(table[i]->name, name))
            break;
    if (i == NR_POLICIES)
        return false;
    for (k = 0; k < policies->nr; k++)
        if (policies->policy[k] == table[i])
            return false;
    policies->policy[policies->nr++] = table[i];

    return true;
}

bool policies_parse(struct policies *policies, const char *text)
{
    char *copy = need_string(text), *rest = copy, *name;
    bool good = true;

    memset(policies, 0, sizeof(*policies));
    while (good && (name = strsep(&rest, ",")))
        good = add(policies, name);
    free(copy);

    return good;
}

uint32_t policies_events(const struct policies *policies)
{
    uint32_t events = 0;
    unsigned int i;

    for (i = 0; i < policies->nr; i++)
        events |= policies->policy[i]->events;

    return events;
}

void policies_format(const struct policies *policies,
                     char text[POLICIES_TEXT])
{
    size_t length = 0;
    unsigned int i;

    text[0] = '\0';
    for (i = 0; i < policies->nr && length < POLICIES_TEXT; i++)
        length += snprintf(text + length, POLICIES_TEXT - length, "%s%s",
                           i ? ", " : "", policies->policy[i]->name);
}
