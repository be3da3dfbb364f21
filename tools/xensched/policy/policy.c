/* SPDX-License-Identifier: GPL-2.0-only */
/* What policies have in common; see policy.h. */
#include <stdio.h>

#include "policy.h"

#define SECONDS 1000000000ULL

const struct policy_settings policy_defaults = {
    .share = 0.6,
    .min_rate = 50,
    .confirm = 2,
    .settle_ns = 5 * SECONDS,
    .stay_ns = 10 * SECONDS,
    .quiet_ns = 60 * SECONDS,
    .least_gain_ns = 250000,
    .misses = 0.001, /* see placement/prices.c */
};

const char *policy_name_of(const struct domain *d,
                           char text[DOMAIN_NAME_TEXT])
{
    if (d->name[0])
        return d->name;
    snprintf(text, DOMAIN_NAME_TEXT, "domain %u", d->domid);

    return text;
}

const char *policy_partner_name(const struct domain *d,
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
