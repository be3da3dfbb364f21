/* SPDX-License-Identifier: GPL-2.0-only */
/* Holds the default settings, and names domains in reasons. */
#include <stdio.h>

#include "policy.h"

#define SECONDS 1000000000ULL

const struct policy_settings policy_defaults = {
    .confirm = 2,
    .settle_ns = 5 * SECONDS,
    .stay_ns = 10 * SECONDS,
    .quiet_ns = 60 * SECONDS,
    .least_gain_ns = 250000,
    .misses = 0.001, /* see placement/prices.c */
    .counts_misses = true,
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
