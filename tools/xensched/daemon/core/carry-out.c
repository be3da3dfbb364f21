/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Carries out a plan, as the daemon's mode and the limit on moves allow, and journals the outcome.
 */
#include <stdio.h>
#include <string.h>

#include "base/fnv.h"
#include "daemon/act/decision-json.h"
#include "core-parts.h"
#include "core.h"

static const char *const modes[] = {
    [MODE_OBSERVE] = "observe",
    [MODE_ADVISE] = "advise",
    [MODE_ACT] = "act",
};

const char *mode_name(enum mode mode)
{
    return modes[mode];
}

int mode_find(const char *name)
{
    unsigned int i;

    for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
        if (!strcmp(modes[i], name))
            return i;

    return -1;
}

static void soft_text(const struct decision *decision, char text[CPUMAP_TEXT])
{
    text[0] = '\0';
    if (decision->verb == MOVE)
        cpumap_format(&decision->soft, text, CPUMAP_TEXT);
}

static void journal_decision(struct core *core, const char *what, const struct domain *d,
                             const struct decision *decision, const char *reason)
{
    json_object *details = journal_details(d, reason);

    json_add_decision(details, decision);
    journal_write(&core->journal, what, details);
}

/* In mode advise a proposal is journaled when it is new, not in each run. */
static void journal_proposal(struct core *core, const struct domain *d,
                             const struct decision *decision)
{
    struct member *member = accounting_find(&core->accounting, d);
    char soft[CPUMAP_TEXT], reason[REASON_TEXT], proposal[REASON_TEXT + CPUMAP_TEXT + 32];
    uint64_t hash;

    if (!member)
        return;
    soft_text(decision, soft);
    hash = fnv(FNV_BEGIN, soft, strlen(soft));
    if (member->journaled == decision->verb && member->journaled_soft == hash)
        return;
    member->journaled = decision->verb;
    member->journaled_soft = hash;
    if (decision->verb != MOVE || core->mode != MODE_ADVISE)
        return;
    reason_text(decision, d, &core->topology, reason);
    snprintf(proposal, sizeof(proposal), "soft affinity %s: %s", soft, reason);
    journal_decision(core, "propose", d, decision, proposal);
}

static void carry_out_move(struct core *core, struct domain *d,
                           struct decision *decision)
{
    char reason[REASON_TEXT];
    struct xensched_error err;

    reason_text(decision, d, &core->topology, reason);
    if (actuator_move(&core->actuator, d, decision, reason, &err))
        return;
    core->moves++;
    decision->done = true;
    d->affinity = AFFINITY_OURS;
    d->ours_hard = decision->hard;
    cpumap_free(&d->ours);
    cpumap_init_copy(&d->ours, &decision->soft);
}

static void carry_out_give_back(struct core *core, struct domain *d,
                                struct decision *decision)
{
    char reason[REASON_TEXT];
    struct xensched_error err;

    reason_text(decision, d, &core->topology, reason);
    cpumap_init_copy(&decision->soft, actuator_original(&core->actuator, d));
    if (actuator_give_back(&core->actuator, d, decision, reason, &err)) {
        cpumap_free(&decision->soft);
        return;
    }
    core->restores++;
    core->regrets += decision->reason.code == REASON_UNDONE;
    decision->done = true;
    d->affinity = AFFINITY_DEFAULT;
    d->ours_hard = false;
    ownership_look_anew(accounting_find(&core->accounting, d));
}

/*
 * A hard affinity counts as a move, because it makes a guest run elsewhere.  Removing one is never
 * delayed.
 */
static void carry_out_pull(struct core *core, struct domain *d,
                           struct decision *decision, uint64_t now_ns)
{
    char why[REASON_TEXT];
    struct xensched_error err;

    if (decision->pull == PULL_HARDEN &&
        !pace_allows(&core->pace, core->settings.max_moves, now_ns))
        return;
    pull_text(&decision->pull_reason, why);
    if (actuator_pull(&core->actuator, d, decision->pull, why, &err))
        return;
    decision->done = true;
    if (decision->pull == PULL_HARDEN)
        pace_note(&core->pace, now_ns);
    if (decision->pull != PULL_REMIND)
        d->ours_hard = decision->pull == PULL_HARDEN;
}

/* Logged when the delays begin, not for each waiting domain in each run. */
static void put_off(struct core *core, const struct domain *d,
                    struct decision *decision)
{
    char reason[REASON_TEXT];

    decision->put_off = core->settings.max_moves;
    if (core->put_off)
        return;
    reason_text(decision, d, &core->topology, reason);
    journal_decision(core, "put-off", d, decision, reason);
    core->put_off = true;
}

static void carry_out(struct core *core, struct domain *d,
                      struct decision *decision, uint64_t now_ns)
{
    if (decision->verb == KEEP && decision->pull != PULL_NOTHING)
        carry_out_pull(core, d, decision, now_ns);
    if (decision->verb != MOVE && decision->verb != GIVE_BACK)
        return;
    /* A trial has as many changes as blocks and guests, both of which its user has chosen. */
    if (!decision->follows && !trial_moves_guests(&core->trial) &&
        !pace_allows(&core->pace, core->settings.max_moves, now_ns)) {
        put_off(core, d, decision);
        return;
    }
    core->put_off = false;
    if (decision->verb == MOVE)
        carry_out_move(core, d, decision);
    else
        carry_out_give_back(core, d, decision);
    if (decision->done)
        pace_note(&core->pace, now_ns);
}

/* Journals the result of a move. */
static void journal_outcome(struct core *core, const struct domain *d,
                            const struct decision *decision)
{
    static const char *const what[] = {
        [OUTCOME_ARRIVED] = "arrived",
        [OUTCOME_ABSENT] = "not-there",
        [OUTCOME_GOOD] = "outcome",
        [OUTCOME_WORSE] = "worse",
        [OUTCOME_REGRET] = "regret",
    };

    char text[REASON_TEXT];

    if (decision->news == OUTCOME_NONE)
        return;
    verdict_text(&decision->verdict, text);
    journal_domain(&core->journal, what[decision->news], d, "%s", text);
}

void carry_out_plan(struct core *core, uint64_t now_ns)
{
    unsigned int i;

    for (i = 0; i < core->plan.nr; i++) {
        struct domain *d = &core->domains.domain[i];
        struct decision *decision = &core->plan.decisions[i];

        journal_outcome(core, d, decision);
        journal_proposal(core, d, decision);
        if (core->mode == MODE_ACT)
            carry_out(core, d, decision, now_ns);
        core_do_urgent(core);
    }
}
