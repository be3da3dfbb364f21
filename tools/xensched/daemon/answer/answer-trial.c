/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Starts, stops and shows a trial, and adds its latest verdict to the status.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "daemon/core/run-trial.h"
#include "base/alloc.h"

#define NS_PER_MS 1000000ULL

static const char *const states[] = {
    [TRIAL_NONE] = "none",
    [TRIAL_RUNNING] = "running",
    [TRIAL_COMPLETE] = "complete",
    [TRIAL_STOPPED] = "stopped",
    [TRIAL_HARMFUL] = "harmful",
};

/* Results. */

static void add_bound(json_object *json, const char *key, double bound,
                      bool known, double (*change)(double))
{
    if (known)
        json_add_real(json, key, change ? change(bound) : bound, 5);
    else
        json_object_object_add(json, key, NULL);
}

/* Relative changes; null: unknown. */
static json_object *interval_json(const struct evidence *e,
                                  double (*change)(double))
{
    json_object *json = json_object_new_object();
    double low, high;
    bool bounded = evidence_interval(e, TRIAL_ALPHA, &low, &high);

    json_add_int(json, "pairs", e->n);
    add_bound(json, "change", e->mean, e->n, change);
    add_bound(json, "low", low, bounded, change);
    add_bound(json, "high", high, bounded, change);

    return json;
}

/* A share of time; null: unknown. */
static void add_at_target(json_object *json, double placed, double without)
{
    json_object *shares = json_object_new_object();

    add_bound(shares, "placed", placed, placed >= 0, NULL);
    add_bound(shares, "not_placed", without, without >= 0, NULL);
    json_object_object_add(json, "at_target", shares);
}

static void add_results(json_object *json, const struct evidence *cost,
                        const struct evidence *waiting)
{
    json_object_object_add(json, "cost", interval_json(cost, trial_change));
    json_object_object_add(json, "waiting", interval_json(waiting, NULL));
}

static json_object *guest_json(const struct trial_guest *g)
{
    json_object *json = json_object_new_object();

    json_add_text(json, "name", g->name);
    json_add_text(json, "unit", work_unit_name(g->unit));
    add_results(json, &g->cost, &g->waiting);
    add_at_target(json, residence_share(&g->at[true]),
                  residence_share(&g->at[false]));
    json_add_bool(json, "moved", g->moved);
    json_add_bool(json, "left_alone", g->left_alone);

    return json;
}

static json_object *guests_json(const struct trial *t)
{
    json_object *array = json_object_new_array();
    unsigned int i;

    for (i = 0; i < t->nr; i++)
        json_object_array_add(array, guest_json(&t->guests[i]));

    return array;
}

static void add_time(json_object *json, const char *key, int64_t unix_time)
{
    if (unix_time)
        json_add_time(json, key, unix_time);
    else
        json_object_object_add(json, key, NULL);
}

json_object *answer_trial_summary(const struct core *core)
{
    const struct trial *t = &core->trial;
    json_object *json;
    char verdict[TRIAL_VERDICT];

    if (t->state == TRIAL_NONE)
        return NULL;
    json = json_object_new_object();
    trial_verdict(t, verdict);
    json_add_text(json, "state", t->paused ? "paused" : states[t->state]);
    json_add_bool(json, "dry_run", t->settings.dry_run);
    json_add_int(json, "pairs_done", t->done);
    json_add_int(json, "pairs", t->settings.pairs);
    add_time(json, "ended", t->ended);
    add_results(json, &t->cost, &t->waiting);
    add_at_target(json, trial_residency(t, true), trial_residency(t, false));
    json_add_text(json, "verdict", verdict);

    return json;
}

static json_object *describe_trial(const struct subject *s)
{
    const struct trial *t = &s->core->trial;
    json_object *json = answer_trial_summary(s->core);
    char verdict[TRIAL_VERDICT];

    if (!json) {
        json = json_object_new_object();
        trial_verdict(t, verdict);
        json_add_text(json, "state", states[TRIAL_NONE]);
        json_add_text(json, "verdict", verdict);
        return json;
    }
    json_add_int(json, "pairs_discarded", t->discarded);
    json_add_real(json, "block_s", t->settings.block_ns / 1e9, 3);
    add_time(json, "started", t->started);
    if (t->state == TRIAL_RUNNING && !t->paused) {
        json_add_text(json, "block", t->placed ? "placed" : "not placed");
        json_add_real(json, "block_left_s",
                      trial_block_left(t, s->now_ns) / 1e9, 1);
    }
    json_object_object_add(json, "guests", guests_json(t));

    return json;
}

/* Requests. */

static bool get_whole(const json_object *request, const char *key, double least,
                      double most, double otherwise, uint64_t *number)
{
    double value = json_number(request, key, otherwise);

    if (!(value >= least && value <= most) || value != floor(value))
        return false;
    *number = value;

    return true;
}

/* Reads names or numbers; none: all guests. */
static int get_guests(const struct subject *s, struct trial_settings *settings,
                      struct xensched_error *err)
{
    json_object *names = json_member(s->request, "guests", json_type_array);
    size_t nr = names ? json_object_array_length(names) : 0, i;

    settings->names = need_memory(nr, sizeof(*settings->names));
    for (i = 0; i < nr; i++) {
        const char *name =
            json_object_get_string(json_object_array_get_idx(names, i));
        const struct domain *d =
            name ? domains_find_meant(&s->core->domains, name) : NULL;

        if (!d || d->driver)
            return xensched_fail(err, ESRCH, d ? "%.255s is a driver domain, which "
                                 "is never moved" : "there is no domain '%.255s'",
                                 name ? name : "");
        memcpy(settings->names[i], d->name, sizeof(d->name));
    }
    settings->nr_names = nr;

    return 0;
}

static int get_settings(const struct subject *s,
                        struct trial_settings *settings,
                        struct xensched_error *err)
{
    uint64_t block, pairs;

    if (!get_whole(s->request, "block_ms", TRIAL_BLOCK_LEAST_NS / NS_PER_MS,
                   TRIAL_BLOCK_MOST_NS / NS_PER_MS, TRIAL_BLOCK_NS / NS_PER_MS,
                   &block))
        return xensched_fail(err, EINVAL, "a block takes 10 s to 24 h");
    if (!get_whole(s->request, "pairs", TRIAL_PAIRS_LEAST, TRIAL_PAIRS_MOST, 30,
                   &pairs))
        return xensched_fail(err, EINVAL, "a trial has %u to %u pairs of blocks, so "
                             "with blocks of %.0f s it takes at least %.0f s",
                             TRIAL_PAIRS_LEAST, TRIAL_PAIRS_MOST, block / 1e3,
                             2 * TRIAL_PAIRS_LEAST * block / 1e3);
    if (!get_whole(s->request, "seed", 0, 1e15, 1, &settings->seed))
        return xensched_fail(err, EINVAL, "\"seed\" has to be a whole number");
    settings->block_ns = block * NS_PER_MS;
    settings->pairs = pairs;
    settings->dry_run = json_object_get_boolean(
        json_member(s->request, "dry_run", json_type_boolean));

    return get_guests(s, settings, err);
}

static int start_trial(struct subject *s, struct xensched_error *err)
{
    struct trial_settings settings = { 0 };
    int rc = get_settings(s, &settings, err);

    if (rc) {
        free(settings.names);
        return rc;
    }

    return run_trial_start(s->core, &settings, err);
}

json_object *answer_trial(struct subject *s, struct xensched_error *err)
{
    const char *action = json_text(s->request, "action");
    int rc = 0;

    if (action && !strcmp(action, "start"))
        rc = start_trial(s, err);
    else if (action && !strcmp(action, "stop"))
        rc = run_trial_stop(s->core, err);
    else if (action && strcmp(action, "show"))
        rc = xensched_fail(err, EINVAL, "a trial can be started, stopped and shown");

    return rc ? NULL : describe_trial(s);
}
