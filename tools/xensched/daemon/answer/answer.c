/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses a request of the control socket and finds the function that answers it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "answer.h"
#include "daemon/core/run-trial.h"

/* Enough for any request; limits the recursion that a client can cause. */
#define MAX_DEPTH 4

static json_object *answer_restore(struct subject *s,
                                   struct xensched_error *err)
{
    struct actuator_result result = core_restore(s->core, "an operator asked "
                                                 "for it (xensched restore)");
    json_object *json;

    /* The mode is not act afterwards, so another run moves nothing. */
    if (core_run_requested(s->core, s->now_ns, err))
        return NULL;
    json = json_object_new_object();
    json_add_int(json, "restored", result.restored);
    json_add_int(json, "failed", result.failed);
    json_add_text(json, "mode", mode_name(s->core->mode));

    return json;
}

/* The present plan respects a hold at once, a release only the next one. */
static json_object *set_hold(struct subject *s, bool hold,
                             struct xensched_error *err)
{
    const struct domain *d = answer_domain(s, err);
    struct core *core = s->core;
    json_object *json;

    if (!d || actuator_hold(&core->actuator, d, hold, err))
        return NULL;
    if (!hold)
        run_trial_release(core, d);
    held_apply(&core->actuator.state.held, &core->domains, &core->plan);
    json = json_object_new_object();
    json_add_domain(json, "domain", "domid", d->domid, d->name);
    json_add_bool(json, "held", hold);
    json_add_bool(json, "moved", d->affinity == AFFINITY_OURS);
    answer_add_obstacles(json, core);

    return json;
}

static json_object *answer_hold(struct subject *s, struct xensched_error *err)
{
    return set_hold(s, true, err);
}

/* A hold in a guest's configuration cannot be released here. */
static json_object *answer_release(struct subject *s,
                                   struct xensched_error *err)
{
    const struct domain *d = answer_domain(s, err);

    if (d && d->stays) {
        xensched_fail(err, EPERM, "%s is held by its configuration: change "
                      "vm_affinity there; to have it released while it runs, "
                      "remove /local/domain/%u/platform/vm-affinity in "
                      "xenstore", d->name, d->domid);
        return NULL;
    }

    return d ? set_hold(s, false, err) : NULL;
}

/* Counts moves of the latest plan that were not made. */
static unsigned int count_proposed(const struct plan *plan)
{
    unsigned int nr = 0, i;

    for (i = 0; i < plan->nr; i++)
        nr += plan->decisions[i].verb == MOVE && !plan->decisions[i].done;

    return nr;
}

static json_object *set_mode(struct subject *s, enum mode mode)
{
    json_object *json = json_object_new_object();

    core_set_mode(s->core, mode);
    json_add_text(json, "mode", mode_name(s->core->mode));
    json_add_int(json, "proposed", count_proposed(&s->core->plan));
    json_add_int(json, "moved", s->core->actuator.state.nr);
    answer_add_obstacles(json, s->core);

    return json;
}

static json_object *answer_act(struct subject *s, struct xensched_error *err)
{
    (void)err;

    return set_mode(s, MODE_ACT);
}

static json_object *answer_advise(struct subject *s,
                                  struct xensched_error *err)
{
    (void)err;

    return set_mode(s, MODE_ADVISE);
}

/* For commands that stop domains, or allow marks, on the daemon's behalf. */
static json_object *answer_lease(struct subject *s, struct xensched_error *err)
{
    json_object *json = json_object_new_object();
    char text[17];

    (void)err;
    snprintf(text, sizeof(text), "%016" PRIx64, s->core->cookie);
    json_add_text(json, "cookie", text);

    return json;
}

static json_object *answer_stop(struct subject *s, struct xensched_error *err)
{
    (void)err;
    s->stop = true;

    return json_object_new_object();
}

static const struct {
    const char *name;
    json_object *(*result)(struct subject *s, struct xensched_error *err);
} requests[] = {
    { "status", answer_status },
    { "matrix", answer_matrix },
    { "processes", answer_processes },
    { "plan", answer_plan },
    { "explain", answer_explain },
    { "waits", answer_waits },
    { "host", answer_host },
    { "place", answer_place },
    { "trial", answer_trial },
    { "act", answer_act },
    { "advise", answer_advise },
    { "hold", answer_hold },
    { "release", answer_release },
    { "restore", answer_restore },
    { "on", answer_on },
    { "reacted", answer_reacted },
    { "reactions", answer_reactions },
    { "note", answer_note },
    { "lease", answer_lease },
    { "stop", answer_stop },
};

json_object *answer_error(const char *text)
{
    json_object *json = json_object_new_object();

    json_add_bool(json, "ok", 0);
    json_add_text(json, "error", text);

    return json;
}

static json_object *carry_out(struct subject *s, const char *command)
{
    struct xensched_error err = { 0 };
    json_object *json, *result;
    size_t i;

    for (i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
        if (!strcmp(requests[i].name, command))
            break;
    if (i == sizeof(requests) / sizeof(requests[0]))
        return answer_error("there is no such command");
    result = requests[i].result(s, &err);
    if (!result)
        return answer_error(err.text);
    json = json_object_new_object();
    json_add_bool(json, "ok", 1);
    json_object_object_add(json, "result", result);

    return json;
}

static json_object *parse_request(const char *line, size_t length)
{
    struct json_tokener *tokener = json_tokener_new_ex(MAX_DEPTH);
    json_object *json;

    if (!tokener)
        return NULL;
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
    json = json_tokener_parse_ex(tokener, line, length);
    if (json_tokener_get_error(tokener) != json_tokener_success) {
        json_object_put(json);
        json = NULL;
    }
    json_tokener_free(tokener);

    return json;
}

static int64_t domid_of(json_object *request)
{
    json_object *domid = json_member(request, "domid", json_type_int);

    return domid ? json_object_get_int64(domid) : -1;
}

json_object *answer(struct subject *s, const char *line, size_t length)
{
    json_object *request = parse_request(line, length), *json;
    const char *command = json_text(request, "command");

    s->request = request;
    s->domid = domid_of(request);
    s->domain = json_text(request, "domain");
    json = command ? carry_out(s, command)
                   : answer_error("a request is one line: {\"command\": "
                                  "NAME}");
    json_object_put(request);

    return json;
}
