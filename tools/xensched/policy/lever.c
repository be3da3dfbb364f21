/* SPDX-License-Identifier: GPL-2.0-only */
/* Chooses between soft and hard affinity. */
#include <stdio.h>
#include <string.h>

#include "lever.h"

const char *pull_name(enum pull pull)
{
    static const char *const names[] = {
        [PULL_NOTHING] = "nothing",
        [PULL_REMIND] = "remind",
        [PULL_HARDEN] = "harden",
        [PULL_SOFTEN] = "soften",
    };

    return names[pull];
}

bool lever_begins_hard(enum affinity_lever allowed)
{
    return allowed == LEVER_HARD;
}

static enum pull soften(const char *why, char text[LEVER_TEXT])
{
    snprintf(text, LEVER_TEXT, "%s", why);

    return PULL_SOFTEN;
}

static bool long_ago(uint64_t then_ns, const struct lever_input *in)
{
    return !then_ns || in->now_ns - then_ns >= in->stay_ns;
}

static enum pull remind(const struct lever_input *in, char text[LEVER_TEXT])
{
    snprintf(text, LEVER_TEXT, "only %.0f %% of its time it is at its place, "
             "where there is room", 100 * in->outcome->share);

    return PULL_REMIND;
}

#define NS_PER_MS 1e6

/* What soft affinity would lose; all of it, if only hard affinity keeps it there. */
static double lost_by_wish(const struct lever_input *in)
{
    double there = in->hard || in->outcome->share < 0 ? 0 : in->outcome->share;

    return in->worth * (1 - there);
}

static bool order_pays(const struct lever_input *in)
{
    return in->worth <= 0 || in->order < lost_by_wish(in);
}

/* It has a wish only, and had time to get there. */
static enum pull insist(const struct lever *lever,
                        const struct lever_input *in, char text[LEVER_TEXT])
{
    bool may_harden = in->allowed != LEVER_SOFT &&
                      long_ago(lever->softened_ns, in);

    if (!lever->reminded || !may_harden || !order_pays(in))
        return lever->reminded && !long_ago(lever->reminded_ns, in)
               ? PULL_NOTHING : remind(in, text);
    snprintf(text, LEVER_TEXT, "the soft affinity alone has no effect (%.0f %% "
             "of its time at its place), and there is room",
             100 * in->outcome->share);
    if (in->worth > 0)
        snprintf(text + strlen(text), LEVER_TEXT - strlen(text), "; it loses "
                 "%.2f ms/s, an order costs %.2f ms/s in waiting",
                 lost_by_wish(in) / NS_PER_MS, in->order / NS_PER_MS);

    return PULL_HARDEN;
}

enum pull lever_decide(struct lever *lever, const struct lever_input *in,
                       char why[LEVER_TEXT])
{
    why[0] = '\0';
    if (in->hard && in->allowed == LEVER_SOFT)
        return soften("its affinity is to be soft", why);
    if (in->hard && !in->room)
        return soften("its place has filled up", why);
    if (in->hard && in->reason && !order_pays(in)) {
        char prices[LEVER_TEXT];

        snprintf(prices, sizeof(prices), "the order costs %.2f ms/s in waiting, "
                 "and to be there is worth %.2f ms/s", in->order / NS_PER_MS,
                 in->worth / NS_PER_MS);
        return soften(prices, why);
    }
    if (in->hard && !in->reason)
        return soften("there is no reason for it to be there currently", why);
    if (in->hard || !in->reason || !in->room_to_go)
        return PULL_NOTHING;
    if (in->allowed == LEVER_HARD && long_ago(lever->softened_ns, in)) {
        snprintf(why, LEVER_TEXT, "there is room again");
        return PULL_HARDEN;
    }
    if (in->outcome->where == OUTCOME_AT_PLACE)
        lever->reminded = false;

    return in->outcome->where == OUTCOME_ELSEWHERE ? insist(lever, in, why)
                                                   : PULL_NOTHING;
}

void lever_pulled(struct lever *lever, enum pull pull, uint64_t now_ns)
{
    if (pull == PULL_SOFTEN)
        lever->softened_ns = now_ns;
    if (pull == PULL_REMIND)
        lever->reminded_ns = now_ns;
    if (pull != PULL_HARDEN)
        lever->reminded = pull == PULL_REMIND;
}
