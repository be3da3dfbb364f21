/* SPDX-License-Identifier: GPL-2.0-only */
/* policy.c - the table of policies; see policy.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/memory.h"
#include "policy.h"

#define SECONDS 1000000000ULL

static const struct policy *const table[] = {
    &policy_driver_affinity,
    &policy_working_set,
    &policy_balance,
    &policy_cache,
};

#define NR_POLICIES (sizeof(table) / sizeof(table[0]))

_Static_assert(NR_POLICIES <= POLICIES_MAX, "no room to choose all policies");

const struct policy_settings policy_defaults = {
    .share = 0.6,
    .min_rate = 50,
    .confirm = 2,
    .settle_ns = 5 * SECONDS,
    .stay_ns = 10 * SECONDS,
    .quiet_ns = 60 * SECONDS,
};

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

const char *policy_name_of(const struct domain *d,
                           char text[DOMAIN_NAME_TEXT])
{
    if (d->name[0])
        return d->name;
    snprintf(text, DOMAIN_NAME_TEXT, "domain %u", d->domid);

    return text;
}

const char *policy_party_of(const struct domain *d,
                            char text[DOMAIN_NAME_TEXT])
{
    if (!d->group[0])
        return policy_name_of(d, text);
    snprintf(text, DOMAIN_NAME_TEXT, "group %s", d->group);

    return text;
}

const char *policy_whose(const struct domain *d, char text[DOMAIN_NAME_TEXT])
{
    if (!d->group[0])
        return "its";
    snprintf(text, DOMAIN_NAME_TEXT, "its group %s's", d->group);

    return text;
}
