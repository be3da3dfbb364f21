/* SPDX-License-Identifier: GPL-2.0-only */
/* core.c - see core.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <xensched/event.h>

#include "core.h"
#include "ownership.h"
#include "say.h"

#define NS_PER_S 1000000000ULL

/* A number of the matrix is forgotten after so long without a row... */
#define IDLE_NS (600 * NS_PER_S)
/* ... which is looked for so often. */
#define EXPIRE_NS (60 * NS_PER_S)

/* For so long a domain that is gone can come back and have its history. */
#define GONE_NS (60 * NS_PER_S)

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

/* Domains come and go. */

static void retire_if_left(struct core *core, const struct account *account)
{
    if (!account->members)
        core->host->retire(core->host->data, account->acct);
}

/* What it had to do with others stays for when it comes back. */
static void leave(struct core *core, struct member *member, uint64_t now_ns)
{
    const struct account *account = member->account;

    core->host->unbind(core->host->data, member->domid);
    accounting_leave(&core->accounting, member, now_ns);
    retire_if_left(core, account);
}

static void forget_account(struct core *core, struct account *account)
{
    matrix_forget(core->matrix, account->acct);
    governor_forget(&core->governor, account->acct);
    waiting_forget(core->waiting, account->acct);
    accounting_close(account);
}

/* Those which may come back have to go when there is no other number left. */
static struct account *open_account(struct core *core, const struct domain *d)
{
    struct account *account = accounting_open(&core->accounting, d);
    struct account *gone = accounting_longest_gone(&core->accounting);

    if (account || !gone)
        return account;
    forget_account(core, gone);

    return accounting_open(&core->accounting, d);
}

static struct account *find_account(struct core *core, const struct domain *d)
{
    struct account *account = open_account(core, d);

    if (!account && !core->full) {
        core->full = true;
        say("more than %u domains and groups: the others are not told apart",
            core->accounting.nr - XEN_SCHEDLOG_ACCT_FIRST);
    }

    return account;
}

static struct member *make_member(struct core *core, const struct domain *d,
                                  uint64_t now_ns)
{
    struct account *account = find_account(core, d);

    return account ? accounting_join(&core->accounting, account, d, now_ns)
                   : NULL;
}

/* Its group is another one than it was. */
static struct member *change_number(struct core *core, struct member *member,
                                    const struct domain *d, uint64_t now_ns)
{
    const struct account *former = member->account;
    struct account *account = find_account(core, d);

    if (!account) {
        leave(core, member, now_ns);
        return NULL;
    }
    core->host->unbind(core->host->data, d->domid);
    accounting_move(member, account, d, now_ns);
    retire_if_left(core, former);

    return member;
}

static struct member *find_member(struct core *core, const struct domain *d,
                                  uint64_t now_ns)
{
    struct member *member = accounting_find(&core->accounting, d);

    if (!member)
        return make_member(core, d, now_ns);

    return accounting_suits(member, d) ? member
                                       : change_number(core, member, d, now_ns);
}

/* Binding routes with what was chosen; the matrix goes by the governor's. */
static void apply_thresholds(struct core *core, uint16_t acct)
{
    uint32_t events = choice_events(&core->settings.choice, HYPERVISOR);
    unsigned int event;

    for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++) {
        uint32_t threshold = governor_threshold(&core->governor, event, acct);

        if (events & 1U << event &&
            threshold != core->settings.choice.threshold[event])
            core->host->set_threshold(core->host->data, acct, event,
                                      threshold);
    }
}

/* Tried again in each run until it works; a domain may be half built. */
static void bind_member(struct core *core, struct member *member)
{
    uint16_t acct = member->account->acct;
    struct xensched_error err;

    if (member->bound)
        return;
    member->bound = !core->host->bind(core->host->data, member->domid, acct,
                                      &err);
    if (member->bound)
        apply_thresholds(core, acct);
    else if (err.code != -ESRCH)
        say("%s", err.text);
}

/*
 * A driver domain is a party of its own: guests are told from it by what it
 * does for them, and it is believed about itself only.
 */
static bool leave_driver_alone(struct domain *d)
{
    bool refused = d->driver && d->group[0];

    if (refused)
        d->group[0] = '\0';

    return refused;
}

static void say_refused(struct member *member, bool refused)
{
    if (refused && !member->group_refused)
        say("domain %u is a driver domain: its vm_affinity_group is ignored",
            member->domid);
    member->group_refused = refused;
}

static void use_account(struct core *core, struct domain *d, uint64_t now_ns)
{
    bool refused = leave_driver_alone(d);
    struct member *member = find_member(core, d, now_ns);

    d->acct = XEN_SCHEDLOG_ACCT_REST;
    d->since_ns = now_ns;
    if (!member)
        return;
    say_refused(member, refused);
    if (!d->group[0])
        memcpy(member->account->name, d->name, sizeof(d->name));
    bind_member(core, member);
    d->acct = member->account->acct;
    d->since_ns = member->since_ns;
}

static void look_for_absent(struct core *core, const struct domains *domains,
                            uint64_t now_ns)
{
    struct accounting *a = &core->accounting;
    unsigned int i;

    for (i = 0; i < a->nr_members; i++)
        a->members[i].seen = false;
    for (i = 0; i < domains->nr; i++) {
        struct member *member = accounting_find(a, &domains->domain[i]);

        if (member)
            member->seen = true;
    }
    i = 0;
    while (i < a->nr_members)
        if (a->members[i].seen)
            i++;
        else
            leave(core, &a->members[i], now_ns);
}

static void forget_long_gone(struct core *core, uint64_t now_ns)
{
    struct accounting *a = &core->accounting;
    unsigned int i;

    for (i = XEN_SCHEDLOG_ACCT_FIRST; i < a->top; i++) {
        struct account *account = &a->accounts[i];

        if (account->used && !account->members &&
            now_ns - account->gone_ns >= GONE_NS)
            forget_account(core, account);
    }
}

/* Who is gone first: who is new may be the same one. */
static void update_accounts(struct core *core, struct domains *domains,
                            uint64_t now_ns)
{
    unsigned int i;

    look_for_absent(core, domains, now_ns);
    forget_long_gone(core, now_ns);
    for (i = 0; i < domains->nr; i++)
        use_account(core, &domains->domain[i], now_ns);
}

int core_bind_new(struct core *core, struct domains *domains, uint64_t now_ns,
                  struct xensched_error *err)
{
    int rc = core->host->domains(core->host->data, domains, err);

    if (!rc)
        update_accounts(core, domains, now_ns);

    return rc;
}

static void find_owners(struct core *core, uint64_t now_ns)
{
    struct ownership o = {
        .host = core->host,
        .topology = &core->topology,
        .actuator = &core->actuator,
        .settle_ns = core->settings.policy_settings.settle_ns,
        .now_ns = now_ns,
    };
    unsigned int i;

    for (i = 0; i < core->domains.nr; i++) {
        struct domain *d = &core->domains.domain[i];

        ownership_find(&o, accounting_find(&core->accounting, d), d);
    }
}

int core_refresh(struct core *core, uint64_t now_ns,
                 struct xensched_error *err)
{
    struct domains domains = { 0 };
    int rc;

    rc = core->host->domains(core->host->data, &domains, err);
    if (rc) {
        domains_free(&domains);
        return rc;
    }
    /* The old plan points to the old domains. */
    plan_free(&core->plan);
    domains_free(&core->domains);
    core->domains = domains;
    plan_init(&core->plan, &core->domains);

    update_accounts(core, &core->domains, now_ns);
    actuator_forget_gone(&core->actuator, &core->domains);
    find_owners(core, now_ns);

    return 0;
}

/* Policies. */

static void say_off(const struct policy *policy, uint32_t missing)
{
    char names[200] = "";
    size_t length = 0;
    unsigned int event;

    for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
        if (missing & 1U << event && length < sizeof(names))
            length += snprintf(names + length, sizeof(names) - length,
                               "%s%s", length ? ", " : "",
                               xensched_event_name(event));
    say("the policy %s is off: it needs %s, of which nothing is logged (see "
        "--log; a change needs a restart)", policy->name, names);
}

/* Of those that were chosen, the policies which have what they need. */
static struct policies policies_on(const struct core *core)
{
    const struct core_settings *s = &core->settings;
    struct policies on = { 0 };
    unsigned int i;

    for (i = 0; i < s->policies.nr; i++) {
        const struct policy *policy = s->policies.policy[i];
        uint32_t missing = policy->events &
                           ~(s->choice.events & ~core->host->refused);

        if (missing)
            say_off(policy, missing);
        else
            on.policy[on.nr++] = policy;
    }

    return on;
}

static void change_planner(struct core *core)
{
    struct policies on = policies_on(core);

    planner_change(core->planner, &on, &core->settings.policy_settings);
}

/* Holding the log. */

int core_log(struct core *core, uint64_t now_ns, struct xensched_error *err)
{
    int rc = core->host->log(core->host->data, core->settings.lease_ms, err);

    if (rc)
        return rc;
    hold_begin(&core->hold, core->settings.lease_ms, now_ns);
    if (core->host->refused & policies_events(&core->settings.policies))
        change_planner(core);

    return 0;
}

/* Routes are made anew, with what was chosen. */
static void forget_thresholds(struct core *core)
{
    unsigned int event, acct;

    governor_forget_all(&core->governor);
    for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
        for (acct = 0; acct < core->accounting.nr; acct++)
            matrix_set_threshold_of(core->matrix, event, acct, 0);
}

int core_log_again(struct core *core, uint64_t now_ns,
                   struct xensched_error *err)
{
    struct accounting *a = &core->accounting;
    struct domains domains = { 0 };
    unsigned int i;
    int rc;

    for (i = 0; i < a->nr_members; i++)
        a->members[i].bound = false;
    forget_thresholds(core);
    rc = core_bind_new(core, &domains, now_ns, err);
    domains_free(&domains);
    if (!rc)
        rc = core_log(core, now_ns, err);
    if (!rc) {
        say("the log is set up again");
        journal_write(&core->journal, "log-again", NULL);
    }

    return rc;
}

static void journal_lost(struct core *core, const char *why)
{
    json_object *details = json_object_new_object();

    say("the log was lost: %s", why);
    json_object_object_add(details, "reason", json_object_new_string(why));
    journal_write(&core->journal, "log-lost", details);
}

/* To be called when rows have been taken in: that is what being alive means. */
static int renew_lease(struct core *core, uint64_t now_ns,
                       struct xensched_error *err)
{
    int rc = hold_check(&core->hold, core->host, now_ns, err);

    if (!rc)
        core->host->alive(core->host->data);
    if (rc == -ESTALE)
        journal_lost(core, err->text);

    return rc;
}

/* Plan and act. */

static void soft_text(const struct decision *decision, char text[CPUMAP_TEXT])
{
    text[0] = '\0';
    if (decision->verb == MOVE)
        cpumap_format(&decision->soft, text, CPUMAP_TEXT);
}

/* In mode advise a proposal is journaled when it is made, not in each run. */
static void journal_proposal(struct core *core, const struct domain *d,
                             const struct decision *decision)
{
    struct member *member = accounting_find(&core->accounting, d);
    char soft[CPUMAP_TEXT];

    if (!member)
        return;
    soft_text(decision, soft);
    if (member->journaled == decision->verb &&
        !strcmp(member->journaled_soft, soft))
        return;
    member->journaled = decision->verb;
    memcpy(member->journaled_soft, soft, sizeof(soft));
    if (decision->verb == MOVE && core->mode == MODE_ADVISE)
        journal_domain(&core->journal, "propose", d, "soft affinity %s: %s",
                       soft, decision->reason);
}

static void carry_out_move(struct core *core, struct domain *d,
                           struct decision *decision)
{
    struct xensched_error err;

    if (actuator_move(&core->actuator, d, &decision->soft, decision->hard,
                      decision, &err))
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
    struct xensched_error err;

    cpumap_init_copy(&decision->soft, actuator_original(&core->actuator, d));
    if (actuator_give_back(&core->actuator, d, decision->reason, &err)) {
        cpumap_free(&decision->soft);
        return;
    }
    core->restores++;
    decision->done = true;
    d->affinity = AFFINITY_DEFAULT;
    d->ours_hard = false;
    ownership_look_anew(accounting_find(&core->accounting, d));
}

/*
 * An order counts as a move, since it makes a guest run elsewhere.  To let go
 * of one is never put off.
 */
static void carry_out_pull(struct core *core, struct domain *d,
                           const struct decision *decision, uint64_t now_ns)
{
    struct xensched_error err;

    if (decision->pull == PULL_HARDEN &&
        !pace_allows(&core->pace, core->settings.max_moves, now_ns))
        return;
    if (actuator_pull(&core->actuator, d, decision->pull, decision->pull_why,
                      &err))
        return;
    if (decision->pull == PULL_HARDEN)
        pace_note(&core->pace, now_ns);
    if (decision->pull != PULL_REMIND)
        d->ours_hard = decision->pull == PULL_HARDEN;
}

/* Said when it begins, and not for each domain which waits in each run. */
static void hold_back(struct core *core, const struct domain *d,
                      struct decision *decision)
{
    size_t length = strlen(decision->reason);

    snprintf(decision->reason + length, REASON_TEXT - length,
             "; not yet: there were %u moves in the last minute, which is the "
             "most (max_moves)", core->settings.max_moves);
    if (!core->held_back)
        journal_domain(&core->journal, "held-back", d, "%s",
                       decision->reason);
    core->held_back = true;
}

static void carry_out(struct core *core, struct domain *d,
                      struct decision *decision, uint64_t now_ns)
{
    if (decision->verb == KEEP && decision->pull != PULL_NOTHING)
        carry_out_pull(core, d, decision, now_ns);
    if (decision->verb != MOVE && decision->verb != GIVE_BACK)
        return;
    if (!pace_allows(&core->pace, core->settings.max_moves, now_ns)) {
        hold_back(core, d, decision);
        return;
    }
    core->held_back = false;
    if (decision->verb == MOVE)
        carry_out_move(core, d, decision);
    else
        carry_out_give_back(core, d, decision);
    if (decision->done)
        pace_note(&core->pace, now_ns);
}

/* What came of a move that was made. */
static void journal_outcome(struct core *core, const struct domain *d,
                            const struct decision *decision)
{
    static const char *const what[] = {
        [OUTCOME_ARRIVED] = "arrived",
        [OUTCOME_ABSENT] = "not-there",
        [OUTCOME_GOOD] = "outcome",
        [OUTCOME_WORSE] = "worse",
    };

    if (decision->news != OUTCOME_NONE)
        journal_domain(&core->journal, what[decision->news], d, "%s",
                       decision->news_text);
}

static void act_on_plan(struct core *core, uint64_t now_ns)
{
    unsigned int i;

    for (i = 0; i < core->plan.nr; i++) {
        struct domain *d = &core->domains.domain[i];
        struct decision *decision = &core->plan.decisions[i];

        journal_outcome(core, d, decision);
        journal_proposal(core, d, decision);
        if (core->mode == MODE_ACT)
            carry_out(core, d, decision, now_ns);
    }
}

static void expire(struct core *core, uint64_t now_ns)
{
    if (now_ns - core->expired_ns < EXPIRE_NS)
        return;
    matrix_expire(core->matrix, IDLE_NS, now_ns);
    core->expired_ns = now_ns;
}

/* pCPUs may have come or gone. */
static void look_at_topology(struct core *core)
{
    struct xensched_error err;
    struct topology t;

    if (core->host->topology(core->host->data, &t, &err)) {
        say("%s", err.text);
        return;
    }
    topology_free(&core->topology);
    core->topology = t;
}

bool core_is_idle(const struct core *core, uint64_t now_ns)
{
    return !core->rows_came && now_ns - core->run_ns < CORE_IDLE_NS;
}

int core_run(struct core *core, uint64_t now_ns, struct xensched_error *err)
{
    struct policy_input input = {
        .matrix = core->matrix,
        .waiting = core->waiting,
        .topology = &core->topology,
        .domains = &core->domains,
        .now_ns = now_ns,
        .real = core->settings.state_path,
    };
    int rc;

    core->run_ns = now_ns;
    core->rows_came = false;
    look_at_topology(core);
    rc = core_refresh(core, now_ns, err);
    if (rc)
        return rc;
    expire(core, now_ns);
    if (core->mode == MODE_ACT)
        soft_weight_raise(&core->soft_weight);
    else if (!core->actuator.state.nr)
        soft_weight_restore(&core->soft_weight);
    if (core->mode == MODE_OBSERVE)
        return 0;
    plan_make(core->planner, &input, &core->plan);
    held_apply(&core->actuator.state.held, &core->domains, &core->plan);
    act_on_plan(core, now_ns);

    return 0;
}

/* What is for nobody need not be decoded. */
void core_take(struct core *core, const struct xensched_batch *batch,
               uint64_t now_ns)
{
    uint32_t events = batch->file < core->logs.nr
                      ? core->logs.events[batch->file] : UINT32_MAX;

    core->rows_came = core->rows_came || batch->length;
    if (matrix_takes(core->matrix, events))
        matrix_add_batch(core->matrix, batch, now_ns);
    if (waiting_takes(events))
        waiting_add_batch(core->waiting, batch, now_ns);
}

int core_read(struct core *core, struct xensched_source *source,
              uint64_t now_ns, struct xensched_error *err)
{
    struct xensched_batch batch;
    int rc;

    while ((rc = xensched_source_next(source, &batch, err)) ==
           XENSCHED_BATCH) {
        governor_count(&core->governor, &batch, GOVERNOR_AS_THEY_SAY);
        core_take(core, &batch, now_ns);
    }

    return rc < 0 ? rc : renew_lease(core, now_ns, err);
}

bool core_service(const struct core *core, const struct domain *d,
                  uint64_t now_ns, double *share)
{
    /* All that are not told apart have REST; it is nobody's own share. */
    if (d->acct < XEN_SCHEDLOG_ACCT_FIRST)
        return false;
    *share = matrix_service(core->matrix, d->acct, now_ns) *
             domains_part(&core->domains, d);

    return true;
}

void core_set_mode(struct core *core, enum mode mode)
{
    json_object *details;

    if (core->mode == mode)
        return;
    core->mode = mode;
    details = json_object_new_object();
    json_object_object_add(details, "mode",
                           json_object_new_string(mode_name(mode)));
    journal_write(&core->journal, "mode", details);
}

void core_change(struct core *core, const struct core_settings *settings)
{
    bool mode = settings->mode != core->settings.mode;

    core->settings.mode = settings->mode;
    core->settings.policies = settings->policies;
    core->settings.policy_settings = settings->policy_settings;
    core->settings.max_moves = settings->max_moves;
    core->settings.soft_weight = settings->soft_weight;
    core->soft_weight.percent = settings->soft_weight;
    change_planner(core);
    if (mode)
        core_set_mode(core, settings->mode);
}

/* Begin and end. */

static struct matrix *make_matrix(const struct core_settings *settings)
{
    struct matrix *m = matrix_new(settings->half_life_ns);
    unsigned int event;

    for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
        matrix_set_threshold(m, event, settings->choice.threshold[event]);

    return m;
}

static void journal_start(struct core *core)
{
    json_object *details = json_object_new_object();
    char policies[POLICIES_TEXT];

    policies_format(&core->settings.policies, policies);
    json_object_object_add(details, "mode",
                           json_object_new_string(mode_name(core->mode)));
    json_object_object_add(details, "policy", json_object_new_string(policies));
    journal_write(&core->journal, "start", details);
}

/* A daemon that was killed may still hold the log: we are its successor. */
static void take_cookie(struct core *core)
{
    core->cookie = core->actuator.state.cookie;
    core->successor = core->cookie;
    if (core->successor)
        return;
    core->cookie = hold_new_cookie();
    actuator_set_cookie(&core->actuator, core->cookie);
}

/* Before anything else, so that it is done even if the rest fails. */
static int restore_leftovers(struct core *core, struct xensched_error *err)
{
    unsigned int left = core->actuator.state.nr;
    struct actuator_result result;

    soft_weight_restore(&core->soft_weight);
    if (!left)
        return 0;
    say("a former daemon did not end cleanly: restoring %u domain%s", left,
        left == 1 ? "" : "s");

    return core_restore(core, "a former daemon did not end cleanly", &result,
                        err);
}

int core_start(struct core *core, const struct core_settings *settings,
               const struct host *host, uint64_t now_ns,
               struct xensched_error *err)
{
    struct policies on;
    int rc;

    memset(core, 0, sizeof(*core));
    core->settings = *settings;
    core->mode = settings->mode;
    core->host = host;
    core->started_ns = core->expired_ns = now_ns;
    core->matrix = make_matrix(settings);
    core->waiting = waiting_new(settings->half_life_ns);
    on = policies_on(core);
    core->planner = planner_new(&on, &settings->policy_settings);
    accounting_init(&core->accounting, host->nr_acct);
    governor_init(&core->governor, core->settings.budget,
                  core->settings.choice.threshold, host->nr_acct);
    logs_init(&core->logs, &settings->choice, HYPERVISOR, host->nr_acct);

    rc = journal_open(&core->journal, settings->journal_path,
                      settings->journal_limit, err);
    if (!rc)
        rc = host->topology(host->data, &core->topology, err);
    if (!rc)
        rc = actuator_init(&core->actuator, host, &core->journal,
                           settings->state_path, core->topology.nr_cpus, err);
    if (rc)
        return rc;
    core->soft_weight = (struct soft_weight){
        .actuator = &core->actuator,
        .percent = settings->state_path ? settings->soft_weight : 0,
    };
    journal_start(core);
    take_cookie(core);
    rc = restore_leftovers(core, err);
    core->mode = settings->mode;

    return rc;
}

static void journal_restore(struct core *core, const char *why,
                            const struct actuator_result *result)
{
    json_object *details = json_object_new_object();

    json_object_object_add(details, "restored",
                           json_object_new_int64(result->restored));
    json_object_object_add(details, "failed",
                           json_object_new_int64(result->failed));
    json_object_object_add(details, "mode",
                           json_object_new_string(mode_name(core->mode)));
    json_object_object_add(details, "reason", json_object_new_string(why));
    journal_write(&core->journal, "restore-all", details);
}

int core_restore(struct core *core, const char *why,
                 struct actuator_result *result, struct xensched_error *err)
{
    struct domains domains = { 0 };
    int rc;

    memset(result, 0, sizeof(*result));
    if (core->mode == MODE_ACT)
        core->mode = MODE_ADVISE;
    rc = core->host->domains(core->host->data, &domains, err);
    if (!rc) {
        *result = actuator_restore_all(&core->actuator, &domains);
        core->restores += result->restored;
        journal_restore(core, why, result);
        soft_weight_restore(&core->soft_weight);
    }
    domains_free(&domains);

    return rc;
}

void core_stop(struct core *core)
{
    struct actuator_result result;
    struct xensched_error err;

    if (core_restore(core, "the daemon ends", &result, &err))
        say("cannot restore affinities: %s; the next start will try again",
            err.text);
    else if (result.failed)
        say("the affinity of %u domains could not be restored; the next start "
            "will try again", result.failed);
    actuator_set_cookie(&core->actuator, 0);
    journal_write(&core->journal, "stop", NULL);
}

void core_free(struct core *core)
{
    struct accounting *a = &core->accounting;

    while (a->nr_members)
        leave(core, a->members, 0);
    plan_free(&core->plan);
    domains_free(&core->domains);
    planner_free(core->planner);
    governor_free(&core->governor);
    matrix_free(core->matrix);
    waiting_free(core->waiting);
    accounting_free(&core->accounting);
    actuator_free(&core->actuator);
    journal_close(&core->journal);
    topology_free(&core->topology);
}
