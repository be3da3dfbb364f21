/* SPDX-License-Identifier: GPL-2.0-only */
/* Chooses between soft and hard affinity. */
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

static bool long_ago(uint64_t then_ns, const struct lever_input *in)
{
    return !then_ns || in->now_ns - then_ns >= in->stay_ns;
}

/* ns/s that a soft affinity would lose; all of the worth if only a hard one keeps it there. */
static double lost_by_soft(const struct lever_input *in)
{
    double there = in->hard || in->outcome->share < 0 ? 0 : in->outcome->share;

    return in->worth * (1 - there);
}

static bool hard_pays(const struct lever_input *in)
{
    return in->worth <= 0 || in->hard_ns < lost_by_soft(in);
}

/* Handles a domain that has only a soft affinity and had time to arrive. */
static enum pull insist_on_move(const struct lever *lever,
                                const struct lever_input *in, enum pull_code *why)
{
    bool may_harden = in->allowed != LEVER_SOFT &&
                      long_ago(lever->softened_ns, in);

    if (lever->reminded && may_harden && hard_pays(in)) {
        *why = PULL_IGNORED;
        return PULL_HARDEN;
    }
    if (lever->reminded && !long_ago(lever->reminded_ns, in))
        return PULL_NOTHING;
    *why = PULL_ABSENT;

    return PULL_REMIND;
}

/* Finds the reason to remove the hard affinity; PULL_FOR_NOTHING: no reason. */
static enum pull_code against_hard(const struct lever_input *in)
{
    return in->allowed == LEVER_SOFT ? PULL_TO_BE_SOFT
         : !in->room ? PULL_FILLED_UP
         : !in->reason ? PULL_WITHOUT_REASON
         : !hard_pays(in) ? PULL_COSTS_MORE : PULL_FOR_NOTHING;
}

enum pull lever_decide(struct lever *lever, const struct lever_input *in,
                       struct pull_reason *why)
{
    *why = (struct pull_reason){
        .share = in->outcome->share, .hard_ns = in->hard_ns,
        .worth_ns = in->worth, .lost_ns = lost_by_soft(in),
    };
    if (in->hard) {
        why->code = against_hard(in);
        return why->code == PULL_FOR_NOTHING ? PULL_NOTHING : PULL_SOFTEN;
    }
    if (!in->reason || !in->room_to_go)
        return PULL_NOTHING;
    if (in->allowed == LEVER_HARD && long_ago(lever->softened_ns, in)) {
        why->code = PULL_ROOM_AGAIN;
        return PULL_HARDEN;
    }
    if (in->outcome->where == OUTCOME_AT_PLACE)
        lever->reminded = false;

    return in->outcome->where == OUTCOME_ELSEWHERE ? insist_on_move(lever, in, &why->code)
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
