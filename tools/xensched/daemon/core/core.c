/* SPDX-License-Identifier: GPL-2.0-only */
/* Connects rows, model, policy and actuator; has no clock, socket or Xen of its own. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <xensched/area.h>
#include <xensched/event.h>

#include "core-parts.h"
#include "core.h"
#include "observe-host.h"
#include "remember.h"
#include "run-trial.h"
#include "daemon/act/learned-file.h"
#include "base/message.h"
#include "model/runnable.h"

#define NS_PER_S 1000000000ULL

/* Interval of checks for CORE_FORGET_NS. */
#define EXPIRE_NS (60 * NS_PER_S)

int core_bind_new(struct core *core, struct domains *domains, uint64_t now_ns,
                  struct xensched_error *err)
{
    int rc = core->host->list_domains(core->host->data, domains, err);

    if (!rc)
        membership_update(core, domains, now_ns);

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
        d->held = held_has(&core->actuator.state.held, d->uuid);
        core_do_urgent(core);
    }
}

/* Domains with an accounting domain have it in their accounts as well (membership.c). */
static void keep_since(struct domains *domains, const struct domains *before)
{
    unsigned int i;

    for (i = 0; i < domains->nr; i++) {
        struct domain *d = &domains->domain[i];
        const struct domain *then = domains_find(before, d->domid);

        if (then && !strcmp(then->uuid, d->uuid))
            d->since_ns = then->since_ns;
    }
}

/* Takes Xen's counts since the last reading.  A paused guest does not wait. */
static void count_waits(struct core *core, const struct domains *domains, uint64_t now_ns)
{
    unsigned int i, k;

    for (i = 0; i < domains->nr; i++) {
        const struct domain *d = &domains->domain[i];
        const struct domain *then = domains_find(&core->domains, d->domid);
        uint64_t ns = 0, offline_ns = 0;

        if (!then || strcmp(then->uuid, d->uuid))
            continue;
        for (k = 0; k < d->nr_vcpus && k < then->nr_vcpus; k++)
            if (d->vcpus[k].times.known && then->vcpus[k].times.known) {
                ns += d->vcpus[k].times.waited_ns - then->vcpus[k].times.waited_ns;
                if (d->vcpus[k].online && !d->paused && !then->paused)
                    offline_ns += d->vcpus[k].times.offline_ns -
                                  then->vcpus[k].times.offline_ns;
            }
        waits_count(core->waits, then->acct, ns, offline_ns, now_ns);
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
    keep_since(&domains, &core->domains);
    runnable_update(&domains, &core->domains, core->settings.half_life_ns);
    count_waits(core, &domains, now_ns);
    /* The old plan points to the old domains. */
    plan_free(&core->plan);
    domains_free(&core->domains);
    core->domains = domains;
    plan_init(&core->plan, &core->domains);

    rules_apply(&core->settings.policy_settings.rules, &core->domains);
    membership_update(core, &core->domains, now_ns);
    actuator_forget_gone(&core->actuator, &core->domains);
    watch_wakes(core, &core->domains, now_ns);
    find_owners(core, now_ns);
    count_memory(core, now_ns);
    find_servers(core, now_ns);

    return 0;
}

/* Holding the log. */

/* Xen grants no lease if none of its events is chosen. */
int core_log(struct core *core, uint64_t now_ns, struct xensched_error *err)
{
    struct host_facts facts;
    int rc = core->host->log(core->host->data, core->settings.lease_ms, err);

    if (!rc)
        rc = core->host->facts(core->host->data, &facts, err);
    if (rc)
        return rc;
    lease_begin(&core->lease, facts.lease_ms, now_ns);

    return 0;
}

/* Routes are set up again with the chosen thresholds. */
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
    json_add_text(details, "reason", why);
    journal_write(&core->journal, "log-lost", details);
}

/* Call this after rows were taken, because the lease shows that the daemon does that. */
static int renew_lease(struct core *core, uint64_t now_ns,
                       struct xensched_error *err)
{
    int rc = lease_check(&core->lease, core->host, now_ns, err);

    if (!rc)
        core->host->alive(core->host->data);
    if (rc == -ESTALE)
        journal_lost(core, err->text);

    return rc;
}

static void expire_cells(struct core *core, uint64_t now_ns)
{
    if (now_ns - core->expired_ns < EXPIRE_NS)
        return;
    matrix_expire(core->matrix, CORE_FORGET_NS, now_ns);
    core->expired_ns = now_ns;
}

/* Reads the topology again, because pCPUs may have come or gone. */
static void look_at_topology(struct core *core)
{
    struct xensched_error err;
    struct topology t;

    if (core->host->topology(core->host->data, &t, &err)) {
        say("%s", err.text);
        return;
    }
    /* The old plan names places of the old topology. */
    plan_free(&core->plan);
    plan_init(&core->plan, &core->domains);
    topology_free(&core->topology);
    core->topology = t;
    if (core->distances_known)
        distances_relate(&core->distances, &core->topology);
}

bool core_is_idle(const struct core *core, uint64_t now_ns)
{
    return !core->rows_came && core->trial.state != TRIAL_RUNNING &&
           now_ns - core->run_ns < CORE_IDLE_NS;
}

/* Called when the plan is carried out, so guests are at their places. */
static void steer_disks(struct core *core, uint64_t now_ns)
{
    if (core->settings.steer && core->mode == MODE_ACT)
        steer_run(&core->steer, &core->topology, &core->domains, core->matrix,
                  now_ns);
    else
        steer_restore(&core->steer);
}

static struct policy_input input_of(struct core *core, uint64_t now_ns)
{
    return (struct policy_input){
        .matrix = core->matrix,
        .topology = &core->topology,
        .domains = &core->domains,
        .distances = core->distances_known ? &core->distances : NULL,
        .learned = &core->learned,
        .now_ns = now_ns,
        .real = core->settings.state_path,
    };
}

/* A failure to write is reported once. */
static void keep_learned(struct core *core)
{
    struct xensched_error err;

    if (!core->settings.learned_path || !core->learned.unsaved)
        return;
    if (!learned_save(&core->learned, core->settings.learned_path, &err)) {
        core->learned_unsaved = false;
        return;
    }
    if (!core->learned_unsaved)
        say("%s; until it can be written, a restart forgets learned prices", err.text);
    core->learned_unsaved = true;
}

static void open_learned(struct core *core)
{
    struct xensched_error err;

    if (core->settings.learned_path &&
        learned_load(&core->learned, core->settings.learned_path, &err))
        say("%s", err.text);
}

static int run_core(struct core *core, bool requested, uint64_t now_ns,
                    struct xensched_error *err)
{
    struct policy_input input = input_of(core, now_ns);
    int rc;

    input.requested = requested;
    core->run_ns = now_ns;
    core->rows_came = false;
    core->planned = false;
    look_at_topology(core);
    rc = core_refresh(core, now_ns, err);
    if (rc)
        return rc;
    expire_cells(core, now_ns);
    if (core->settings.state_path)
        remember_run(core, now_ns);
    reservations_forget(&core->reservations, &core->topology, &core->domains, now_ns);
    watch_work(core, now_ns);
    if (run_trial(core, now_ns))
        core_restore(core, "a trial found that placement does harm (xensched trial show)");
    if (core->mode == MODE_ACT)
        soft_weight_raise(&core->soft_weight);
    else if (!core->actuator.state.nr)
        soft_weight_restore(&core->soft_weight);
    if (core->mode == MODE_OBSERVE) {
        steer_disks(core, now_ns);
        return 0;
    }
    learned_age(&core->learned, time(NULL));
    core_do_urgent(core);
    plan_make(core->planner, &input, &core->plan);
    core->planned = true;
    core_do_urgent(core);
    carry_out_plan(core, now_ns);
    plan_done(core->planner, &input, &core->plan);
    keep_learned(core);
    steer_disks(core, now_ns);

    return 0;
}

int core_run(struct core *core, uint64_t now_ns, struct xensched_error *err)
{
    return run_core(core, false, now_ns, err);
}

int core_run_requested(struct core *core, uint64_t now_ns,
                       struct xensched_error *err)
{
    return run_core(core, true, now_ns, err);
}

int core_place(struct core *core, struct newcomer *newcomer, bool promise,
               uint64_t now_ns, struct decision decisions[NEWCOMER_WAYS],
               struct xensched_error *err)
{
    const struct domain *d = newcomer->arrival.domain;
    const struct policy_input input = input_of(core, now_ns);
    struct demand *promised;
    const struct decision *placed;

    if (!core->planned)
        return xensched_fail(err, EAGAIN, "in mode %s there is no plan, so no "
                             "place is known to have room (xensched advise)",
                             mode_name(core->mode));
    promised = reservations_taken(&core->reservations, &core->topology, d);
    newcomer->arrival.promised = promised;
    placed = plan_newcomer(core->planner, &input, newcomer, decisions);
    free(promised);
    newcomer->arrival.promised = NULL;
    if (placed && promise) {
        struct reservation made = {
            .pool = d->pool,
            .place = topology_place_of_all(&core->topology, &placed->soft),
            .demand = newcomer->arrival.demand,
            .at_ns = now_ns,
        };

        memcpy(made.uuid, d->uuid, sizeof(made.uuid));
        reservation_make(&core->reservations, &made);
    }

    return 0;
}

/* Rows without a reader need not be decoded. */
void core_take(struct core *core, const struct xensched_batch *batch,
               uint64_t now_ns)
{
    uint32_t events = batch->file < core->logs.nr
                      ? core->logs.events[batch->file] : UINT32_MAX;

    core->rows_came = core->rows_came || batch->length;
    if (matrix_takes(core->matrix, events))
        matrix_add_batch(core->matrix, batch, now_ns);
    if (waits_takes(events))
        waits_add_batch(core->waits, batch, now_ns);
    if (mark_times_takes(events))
        mark_times_add_batch(core->mark_times, batch, now_ns);
    if (core->reactions)
        reactions_take(core->reactions, batch, events, now_ns);
}

/* The mean time of writing of rows that are read now. */
static uint64_t time_of_rows(const struct core *core, uint64_t now_ns)
{
    return core->read_ns ? now_ns - (now_ns - core->read_ns) / 2 : now_ns;
}

int core_read(struct core *core, struct xensched_source *source,
              uint64_t now_ns, struct xensched_error *err)
{
    struct xensched_batch batch;
    uint64_t written_ns;
    int rc;

    /* Work between two steps reads at a later time than the step that calls it. */
    if (now_ns < core->read_ns)
        now_ns = core->read_ns;
    written_ns = time_of_rows(core, now_ns);

    core->looks++;
    core->read_ns = now_ns;
    while ((rc = xensched_source_next(source, &batch, err)) ==
           XENSCHED_BATCH) {
        governor_count(&core->governor, &batch, GOVERNOR_AS_THEY_SAY);
        core_take(core, &batch, written_ns);
    }

    if (core->reactions)
        reactions_settle(core->reactions, now_ns);
    waits_pass(core->waits, now_ns);

    return rc < 0 ? rc : renew_lease(core, now_ns, err);
}

bool core_service(const struct core *core, const struct domain *d,
                  uint64_t now_ns, double *share)
{
    /* All domains without a number of their own share REST, so it belongs to none of them. */
    if (d->acct < XEN_SCHEDLOG_ACCT_FIRST)
        return false;
    *share = matrix_service(core->matrix, d->acct, now_ns);

    return true;
}

void core_set_mode(struct core *core, enum mode mode)
{
    json_object *details;

    if (core->mode == mode)
        return;
    core->mode = mode;
    details = json_object_new_object();
    json_add_text(details, "mode", mode_name(mode));
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
    core->settings.steer = settings->steer;
    core->soft_weight.percent = settings->soft_weight;
    count_memory_distances(core);
    planner_change(core->planner, &core->settings.policies,
                   &core->settings.policy_settings);
    if (mode)
        core_set_mode(core, settings->mode);
}

/* Start and end. */

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
    json_add_text(details, "mode", mode_name(core->mode));
    json_add_text(details, "policy", policies);
    journal_write(&core->journal, "start", details);
}

/* A killed daemon may still hold the log, and this one succeeds it. */
static void take_cookie(struct core *core)
{
    core->cookie = core->actuator.state.cookie;
    core->successor = core->cookie;
    if (!core->successor) {
        core->cookie = lease_new_cookie();
        actuator_set_cookie(&core->actuator, core->cookie);
    }
    xensched_show_cookie(core->cookie);
}

/* Comes first, so that it is done even if the rest fails. */
static void restore_leftovers(struct core *core)
{
    unsigned int left = core->actuator.state.nr;

    soft_weight_restore(&core->soft_weight);
    if (!left)
        return;
    say("a former daemon did not end cleanly: restoring %u domain%s", left,
        left == 1 ? "" : "s");

    core_restore(core, "a former daemon did not end cleanly");
}

int core_start(struct core *core, const struct core_settings *settings,
               const struct host *host, uint64_t now_ns,
               struct xensched_error *err)
{
    int rc;

    memset(core, 0, sizeof(*core));
    core->settings = *settings;
    core->mode = settings->mode;
    core->host = host;
    core->started_ns = core->expired_ns = now_ns;
    core->matrix = make_matrix(settings);
    core->waits = waits_new(core->matrix, WAITS_BYTES);
    core->mark_times = mark_times_new();
    core->planner = planner_new(&settings->policies, &settings->policy_settings);
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
    history_open(&core->history, settings->history_path);
    steer_init(&core->steer, host, &core->journal, settings->state_path,
               "/proc");
    count_memory_start(core);
    run_trial_open(core);
    open_learned(core);
    journal_start(core);
    take_cookie(core);
    restore_leftovers(core);
    core->mode = settings->mode;

    return 0;
}

static void journal_restore(struct core *core, const char *why,
                            const struct actuator_result *result)
{
    json_object *details = json_object_new_object();

    json_add_int(details, "restored", result->restored);
    json_add_int(details, "failed", result->failed);
    json_add_text(details, "mode", mode_name(core->mode));
    json_add_text(details, "reason", why);
    journal_write(&core->journal, "restore-all", details);
}

struct actuator_result core_restore(struct core *core, const char *why)
{
    struct actuator_result result;

    if (core->mode == MODE_ACT)
        core->mode = MODE_ADVISE;
    result = actuator_restore_all(&core->actuator, why);
    core->restores += result.restored;
    journal_restore(core, why, &result);
    soft_weight_restore(&core->soft_weight);
    steer_restore(&core->steer);

    return result;
}

void core_stop(struct core *core)
{
    struct actuator_result result = core_restore(core, "the daemon ends");

    if (result.failed)
        say("the affinity of %u domains could not be restored; the next start "
            "will try again", result.failed);
    actuator_set_cookie(&core->actuator, 0);
    remember_end(core);
    journal_write(&core->journal, "stop", NULL);
}

void core_free(struct core *core)
{
    membership_end(core);
    remember_free(core);
    trial_free(&core->trial);
    watch_work_end(core);
    plan_free(&core->plan);
    domains_free(&core->domains);
    planner_free(core->planner);
    governor_free(&core->governor);
    matrix_free(core->matrix);
    waits_free(core->waits);
    mark_times_free(core->mark_times);
    accounting_free(&core->accounting);
    steer_free(&core->steer);
    actuator_free(&core->actuator);
    journal_close(&core->journal);
    count_memory_end(core);
    find_servers_end(core);
    topology_free(&core->topology);
}
