/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers which guests the plan moves, which it keeps, and why. */
#include <errno.h>
#include <time.h>

#include "daemon/act/decision-json.h"
#include "model/residency/presence.h"
#include "answer.h"

static json_object *evidence_json(const struct decision *decision)
{
    const struct domain *partner = decision->opinion.partner;
    json_object *json = json_object_new_object();

    if (!partner)
        return json;
    json_add_real(json, "share", decision->opinion.share, 4);
    json_add_real(json, "rate", decision->opinion.rate, 1);
    json_add_domain(json, partner->driver ? "driver_domain" : "partner",
                    partner->driver ? "driver_domid" : "partner_domid", partner->domid,
                    partner->name);

    return json;
}

static const char *state_of(const struct decision *decision)
{
    switch (decision->verb) {
    case MOVE:
        return decision->done ? "applied" : "proposed";
    case GIVE_BACK:
        return decision->done ? "given-back" : "applied";
    default:
        return "applied";
    }
}

/* "placement" or the reason of a new guest; null: a constraint decided it. */
static void add_policy(json_object *json, const struct decision *decision)
{
    json_object_object_add(json, "policy", decision->policy
                           ? json_object_new_string(decision->policy) : NULL);
}

void answer_add_reason(json_object *json, const struct core *core, const struct domain *d,
                       const struct decision *decision)
{
    char text[REASON_TEXT];

    reason_text(decision, d, &core->topology, text);
    json_add_text(json, "reason", text);
    json_add_decision(json, decision);
}

/*
 * The measured share of its time there, whatever was set; null: unknown, or not yet known.  On a
 * host that is not real the rows come from a host where it was not moved.
 */
static void add_share(json_object *json, const struct core *core,
                      const struct domain *d, const struct decision *decision)
{
    bool real = core->settings.state_path;
    double share = !real || decision->verb != KEEP || d->paused ? -1 :
                   presence_share(core->matrix, d, &d->ours, core->run_ns);

    if (share < 0)
        json_object_object_add(json, "at_place", NULL);
    else
        json_add_real(json, "at_place", share, 4);
}

/* The domain of the request. */
static json_object *domain_json(const struct core *core, const struct domain *d)
{
    json_object *json = json_object_new_object();

    json_add_domain(json, "domain", "domid", d->domid, d->name);
    json_add_text(json, "uuid", d->uuid);
    if (d->group[0])
        json_add_text(json, "group", d->group);
    answer_add_use(json, core, d, core->run_ns);

    return json;
}

static json_object *describe_move(const struct core *core, const struct domain *d,
                                  const struct decision *decision)
{
    json_object *json = domain_json(core, d);
    bool hard = decision->verb == KEEP ? d->ours_hard : decision->hard;

    json_object_object_add(json, "pcpus",
                           answer_cpus(decision->soft.words ? &decision->soft
                                                            : &d->ours));
    json_add_bool(json, "soft", 1);
    json_add_bool(json, "hard", hard);
    add_share(json, core, d, decision);
    json_add_bool(json, "paused", d->paused);
    json_add_bool(json, "stopped", d->stopped);
    json_add_text(json, "state", state_of(decision));
    add_policy(json, decision);
    answer_add_reason(json, core, d, decision);
    json_object_object_add(json, "evidence", evidence_json(decision));

    return json;
}

static json_object *describe_kept(const struct core *core, const struct domain *d,
                                  const struct decision *decision)
{
    json_object *json = domain_json(core, d);

    add_policy(json, decision);
    answer_add_reason(json, core, d, decision);

    return json;
}

void answer_add_plan(json_object *json, const struct core *core)
{
    json_object *moves = json_object_new_array();
    json_object *rest = json_object_new_array();
    unsigned int i;

    for (i = 0; i < core->plan.nr; i++) {
        const struct domain *d = &core->domains.domain[i];
        const struct decision *decision = &core->plan.decisions[i];

        if (decision->verb == LEAVE)
            json_object_array_add(rest, describe_kept(core, d, decision));
        else
            json_object_array_add(moves, describe_move(core, d, decision));
    }
    json_object_object_add(json, "moves", moves);
    json_object_object_add(json, "kept", rest);
}

json_object *answer_plan(struct subject *s, struct xensched_error *err)
{
    const struct core *core = s->core;
    char policies[POLICIES_TEXT];
    json_object *json;

    if (core->mode == MODE_OBSERVE) {
        xensched_fail(err, ENODATA, "there is no plan in mode observe");
        return NULL;
    }
    json = json_object_new_object();
    json_add_text(json, "mode", mode_name(core->mode));
    policies_format(&core->settings.policies, policies);
    json_add_text(json, "policy", policies);
    json_add_time(json, "time", time(NULL));
    answer_add_obstacles(json, core);
    answer_add_plan(json, core);

    return json;
}
