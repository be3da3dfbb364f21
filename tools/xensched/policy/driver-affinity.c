/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest that talks mostly to a driver domain runs best
 * near it: their shared pages stay in one cache and one node's memory, and a
 * notification doesn't cross the interconnect.
 *
 * The place is where the majority of the driver domain's vCPUs are bound to,
 * or where it spends most of its time.  One that is spread attracts no guest.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "policy.h"
#include "talk.h"
#include "whereabouts.h"

static double share_of(const struct talk *talk)
{
    return talk->total > 0 ? talk->rate / talk->total : 0;
}

static bool talks_enough(const struct policy_settings *settings,
                         const struct talk *talk, double fraction)
{
    return talk->driver && talk->rate >= settings->min_rate * fraction &&
           share_of(talk) >= settings->share * fraction;
}

/* "92 % of its 1840 interactions/s are with driver domain Domain-0" */
static void describe_talk(struct opinion *o, const struct domain *d,
                          const struct talk *talk)
{
    char name[DOMAIN_NAME_TEXT], whose[DOMAIN_NAME_TEXT];

    policy_say(o->fact, "%.0f %% of %s %.0f interactions/s are with driver "
               "domain %s", 100 * share_of(talk), policy_whose(d, whose),
               talk->total, policy_name_of(talk->driver, name));
}

/* Why no guest goes to a driver domain that is bound nowhere. */
static void describe_spread(struct opinion *o, const struct whereabouts *w,
                            const struct domain *driver, const char *kind)
{
    char name[DOMAIN_NAME_TEXT], why[OPINION_TEXT];

    whereabouts_describe_spread(w, policy_name_of(driver, name), kind, why,
                                sizeof(why));
    policy_say(o->lacks, "%.110s, but %.400s", o->fact, why);
}

/* What there would have to be for it to be moved; "": nothing is missing. */
static void describe_lack(struct opinion *o, const struct talk *talk,
                          const struct policy_settings *settings)
{
    if (talk->total < settings->min_rate)
        policy_say(o->lacks, "it talks little: %.0f interactions/s, %.0f are "
                   "needed", talk->total, settings->min_rate);
    else if (!talk->driver)
        policy_say(o->lacks, "none of its %.0f interactions/s are with a "
                   "driver domain", talk->total);
    else if (!talks_enough(settings, talk, 1))
        policy_say(o->lacks, "%.180s; %.0f %% and %.0f/s are needed", o->fact,
                   100 * settings->share, settings->min_rate);
}

static void think(const struct policy_settings *settings,
                  const struct policy_input *input, const struct domain *d,
                  const struct talk *talk, struct opinion *o)
{
    const struct topology *t = input->topology;
    struct whereabouts where;

    o->partner = talk->driver;
    o->rate = talk->rate;
    o->share = share_of(talk);
    if (talk->driver)
        describe_talk(o, d, talk);
    describe_lack(o, talk, settings);
    if (!talks_enough(settings, talk, POLICY_STAY_FRACTION))
        return;
    where = whereabouts_find(input, talk->driver - input->domains->domain);
    if (!whereabouts_attracts(&where))
        describe_spread(o, &where, talk->driver, t->places[0].kind);
    if (where.place == TOPOLOGY_UNKNOWN)
        return;
    whereabouts_describe(&where, &t->places[where.place], o->where,
                         sizeof(o->where));
    o->place = where.place;
    o->beside = talk->driver;
    o->want = talks_enough(settings, talk, 1) && whereabouts_attracts(&where)
              ? WANT_GO : WANT_STAY;
}

static void run(void *memory, const struct policy_input *input,
                struct opinion *opinions)
{
    struct talk *talk = talk_with_drivers(input);
    unsigned int i;

    for (i = 0; i < input->domains->nr; i++)
        if (input->standing[i].open)
            think(memory, input, &input->domains->domain[i], &talk[i],
                  &opinions[i]);
    free(talk);
}

/* It remembers nothing but its settings. */
static void *create(const struct policy_settings *settings)
{
    struct policy_settings *copy = need_memory(1, sizeof(*copy));

    *copy = *settings;

    return copy;
}

const struct policy policy_driver_affinity = {
    .name = "driver-affinity",
    .create = create,
    .run = run,
    .destroy = free,
};
