/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts, matches and ends reactions, and releases guests that they stopped. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/area.h>
#include <xensched/clock.h>
#include <xensched/event.h>
#include <xensched/stop.h>

#include "base/message.h"
#include "base/alloc.h"
#include "react-entry.h"
#include "react.h"
#include "reaction-line.h"

/* Conditions that are met. */

/* The time from the row until now.  Rows have the lower 32 bits, which suffice. */
static void add_lateness(json_object *json, const struct react *react,
                         const struct reaction *r)
{
    uint32_t late;

    if (!react->list.khz || r->row_shift < 0)
        return;
    late = (uint32_t)(xensched_time_stamp() >> r->row_shift) -
           (uint32_t)r->row_time;
    json_add_real(json, "late_ms",
                  (double)((uint64_t)late << r->row_shift) / react->list.khz, 3);
}

static json_object *describe_entry(const struct entry *e)
{
    const struct reaction *r = e->reaction;
    json_object *json = json_object_new_object();

    json_add_int(json, "id", r->id);
    json_add_text(json, "condition", e->text);
    if (r->known)
        json_add_domain(json, "domain", "domid", r->domid,
                        r->condition.domain);
    json_add_real(json, "value", r->value, 3);
    if (*condition_unit(&r->condition))
        json_add_text(json, "unit", condition_unit(&r->condition));
    json_add_int(json, "count", r->fired);
    json_add_int(json, "held_back", r->held_back);
    json_add_bool(json, "dry_run", e->wanted.dry_run);

    return json;
}

static void tell_client(const struct react *react, const struct entry *e)
{
    json_object *json = json_object_new_object(), *fired = describe_entry(e);
    const char *text;
    char *line;

    add_lateness(fired, react, e->reaction);
    json_object_object_add(json, "fired", fired);
    text = json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN);
    line = need_memory(strlen(text) + 2, 1);
    sprintf(line, "%s\n", text);
    control_tell(e->client, line);
    free(line);
    json_object_put(json);
}

/* A row from before the stop was armed is not the one that stops. */
static bool is_stopped(const struct entry *e)
{
    enum xensched_stop state;

    return !xensched_stop_state(e->reaction->domid, &state, NULL) &&
           state == XENSCHED_STOP_STOPPED;
}

static bool act_if_met(void *arg, struct reaction *r)
{
    struct react *react = arg;
    struct entry *e = r->owner;
    json_object *entry;

    if (e->wanted.stop && !e->wanted.dry_run && !is_stopped(e))
        return false;
    e->armed = false;
    r->busy = e->client || !e->wanted.dry_run;
    entry = describe_entry(e);
    add_lateness(entry, react, r);
    journal_write(&react->core->journal, "reaction", entry);
    if (e->client)
        tell_client(react, e);
    else if (!e->wanted.dry_run)
        perform(react, e);

    return true;
}

/* Does the domain have an accounting domain of its own? */

static bool is_told_apart(const struct domain *d)
{
    return d && d->acct >= XEN_SCHEDLOG_ACCT_FIRST;
}

/* Does not repeat the same text. */
static void say_once(struct entry *e, const char *text)
{
    if (!strcmp(e->said, text))
        return;
    snprintf(e->said, sizeof(e->said), "%s", text);
    say("reaction '%s': %s", e->text, text);
}

static void disarm_entry(struct entry *e)
{
    if (e->armed)
        xensched_stop_resume(e->reaction->domid, NULL);
    e->armed = false;
}

/* If notifications are logged one by one, the next one is the answer. */
static bool is_sampled(const struct react *react, const struct condition *c)
{
    const struct domains *domains = &react->core->domains;
    unsigned int i;

    for (i = 0; c->kind == CONDITION_REQUEST && i < domains->nr; i++)
        if (matrix_threshold(react->core->matrix, XEN_SCHEDLOG_EV_EVTCHN_SEND,
                             domains->domain[i].acct) > 1)
            return true;

    return false;
}

static void follow_entry(struct react *react, struct entry *e)
{
    const struct domains *domains = &react->core->domains;
    const struct condition *c = &e->reaction->condition;
    const struct domain *d = domains_find_meant(domains, c->domain);
    const struct domain *other = domains_find_meant(domains, c->other);
    bool known = is_told_apart(d) && (!c->other[0] || is_told_apart(other));

    if (!c->domain[0])
        return;
    if (!known || e->reaction->domid != d->domid) {
        /* The domain before it has ended. */
        e->armed = e->prepared = false;
        pending_forget(&react->list.pending);
    }
    if (known && is_sampled(react, c)) {
        say_once(e, "not every notification is logged (budget_percent, or a threshold of "
                 "evtchn-send), so it is not known how long requests take");
        known = false;
    }
    e->reaction->known = known;
    if (!known)
        return;
    e->reaction->domid = d->domid;
    e->reaction->acct = d->acct;
    e->reaction->other = other ? other->acct : XEN_SCHEDLOG_ACCT_NONE;
}

/* Allows the guest to make marks, and tells it for which threads. */
static int prepare_guest(struct react *react, struct entry *e,
                         struct xensched_error *err)
{
    uint32_t code, mask;
    int rc = 0;

    if (!e->reaction->known || !reaction_code(e->reaction, &code, &mask))
        return 0;
    if (!e->prepared) {
        rc = xensched_allow_marks(e->reaction->domid, true, err);
        if (!rc)
            rc = watches_write(&react->list, e->reaction->domid, err);
        e->prepared = !rc;
    }
    if (rc || !e->wanted.stop || e->wanted.dry_run || e->armed ||
        e->reaction->busy || reaction_is_over(e->reaction))
        return rc;
    rc = xensched_stop_arm(e->reaction->domid, code, mask, err);
    e->armed = !rc;

    return rc;
}

/* Figures. */

static double figure_of(const struct react *react, const struct reaction *r,
                        uint64_t now_ns)
{
    const struct core *core = react->core;
    struct xensched_source_stats stats;

    switch (r->condition.kind) {
    case CONDITION_WAIT:
        return 100 * matrix_use(core->matrix, XEN_SCHEDLOG_EV_WAKE_DELAY,
                                r->acct, now_ns) / 1e9;
    case CONDITION_READY:
        return 100 * (matrix_use(core->matrix, XEN_SCHEDLOG_EV_WAKE_DELAY, r->acct,
                                 now_ns) +
                      matrix_use(core->matrix, XEN_SCHEDLOG_EV_PREEMPT_DELAY, r->acct,
                                 now_ns)) / 1e9;
    case CONDITION_SERVICE:
        return 100 * matrix_service(core->matrix, r->acct, now_ns);
    case CONDITION_RATE:
        return matrix_rate(core->matrix, XEN_SCHEDLOG_EV_EVTCHN_SEND, r->acct,
                           r->other, now_ns);
    case CONDITION_REGRET:
        return core->regrets;
    case CONDITION_LOSS:
        log_sources_stats(react->sources, &stats);
        return stats.lost_rows;
    default:
        return 0;
    }
}

/* Makes the doorbell ring for rows that a reaction waits for. */
void react_hurry(struct react *react, struct xensched_source *source)
{
    const struct logs *logs = &react->core->logs;
    uint32_t files = 0;
    unsigned int i;

    for (i = 0; i < logs->nr; i++)
        if (logs->events[i] & react->list.events)
            files |= 1U << i;
    if (!source)
        return;
    react->list.khz = xensched_source_tsc_khz(source);
    xensched_source_hurry(source, files);
}

void react_look(struct react *react, uint64_t now_ns)
{
    struct xensched_error err;
    unsigned int i;

    for (i = 0; i < react->list.nr; i++) {
        struct reaction *r = react->list.reaction[i];
        struct entry *e = r->owner;

        follow_entry(react, e);
        if (prepare_guest(react, e, &err))
            say_once(e, err.text);
        reaction_compare(&react->list, r, figure_of(react, r, now_ns), now_ns);
    }
}

/* Adding and removing. */

/* Ends the actions; @failure: why they failed, or NULL. */
static void report_end(struct react *react, struct entry *e, const char *failure)
{
    json_object *json = describe_entry(e);

    json_add_text(json, "result", failure ? failure : "done");
    journal_write(&react->core->journal, "reacted", json);
    e->reaction->busy = false;
    react->changed = true;
    if (!e->wanted.pauses || !is_stopped(e))
        return;
    /* After success a stopped guest stays stopped, because the actions left it so. */
    if (failure)
        xensched_stop_resume(e->reaction->domid, NULL);
    else
        xensched_stop_forget(e->reaction->domid, NULL);
}

static int check_settings(const struct react *react, const struct react_settings *wanted,
                          const struct condition *c, struct xensched_error *err)
{
    uint32_t events = condition_events(c), on = react->core->logs.nr
                      ? choice_events(&react->core->settings.choice, HYPERVISOR) &
                        ~react->core->host->refused : 0;
    unsigned int event = 0;

    if (c->kind == CONDITION_NOW)
        return xensched_fail(err, EINVAL, "'now' is nothing to wait for");
    if (wanted->stop && !condition_can_stop(c))
        return xensched_fail(err, EINVAL, "a guest can be stopped at a mark, or "
                             "when a thread gets or leaves a vCPU, but not at "
                             "'%s': use pause", wanted->condition);
    if (!(events & ~on))
        return 0;
    while (!(events & ~on & 1U << event))
        event++;

    return xensched_fail(err, ENODATA, "'%s' needs the event %s, which is not logged (see "
                         "--log; a change needs a restart)", wanted->condition,
                         xensched_event_name(event));
}

static struct entry *add_entry(struct react *react, const struct react_settings *wanted,
                               struct xensched_error *err)
{
    struct condition c;
    struct entry *e;

    if (condition_parse(wanted->condition, &c, err) ||
        check_settings(react, wanted, &c, err))
        return NULL;
    if (condition_can_stop(&c) && c.kind != CONDITION_MARK &&
        !watches_free_slot(&react->list, NULL)) {
        xensched_fail(err, EBUSY, "threads can be waited for by %u reactions",
                      XENSCHED_CODE_SLOTS);
        return NULL;
    }
    e = entry_new(wanted);
    e->ended = report_end;
    e->reaction = reactions_add(&react->list, &c, &wanted->limits, e);
    watches_free_slot(&react->list, e->reaction);
    follow_entry(react, e);
    react->changed = true;

    return e;
}

static void drop_entry(struct react *react, struct entry *e)
{
    uint32_t domid = e->reaction->domid;
    bool prepared = e->prepared;

    disarm_entry(e);
    if (e->reaction->busy && e->wanted.pauses)
        xensched_stop_resume(domid, NULL);
    reactions_remove(&react->list, e->reaction);
    if (prepared)
        watches_write(&react->list, domid, NULL);
    entry_free(e);
}

static int check_domain(const struct entry *e, struct xensched_error *err)
{
    const struct condition *c = &e->reaction->condition;

    if (!c->domain[0] || e->reaction->known)
        return 0;

    return xensched_fail(err, ESRCH, "there is no domain '%s'%s%s%s, or xenschedd cannot "
                         "distinguish it from others", c->domain,
                         c->other[0] ? " or '" : "", c->other,
                         c->other[0] ? "'" : "");
}

int react_add(struct react *react, const struct react_settings *wanted,
              struct xensched_error *err)
{
    struct entry *e = add_entry(react, wanted, err);
    int rc;

    if (!e)
        return err->code;
    e->client = react->control->asking;
    rc = check_domain(e, err);
    if (!rc)
        rc = control_keep(react->control, err);
    if (!rc)
        rc = prepare_guest(react, e, err);
    if (rc) {
        drop_entry(react, e);
        return rc;
    }

    return e->reaction->id;
}

void react_configure(struct react *react, const char *lines)
{
    char *copy = need_string(lines), *rest = copy, *line;
    struct xensched_error err;
    struct react_settings wanted;

    while ((line = strsep(&rest, "\n")))
        if (line[strspn(line, " ")] &&
            (reaction_line_parse(line, &wanted, &err) || !add_entry(react, &wanted, &err)))
            say("%s", err.text);
    free(copy);
}

int react_done(struct react *react, unsigned int id, const char *failure,
               struct xensched_error *err)
{
    unsigned int i;

    for (i = 0; i < react->list.nr; i++) {
        struct entry *e = react->list.reaction[i]->owner;

        if (e->reaction->id != id || !e->client ||
            e->client != react->control->asking)
            continue;
        report_end(react, e, failure);
        return 0;
    }

    return xensched_fail(err, ENOENT, "you have no reaction %u", id);
}

void react_gone(struct react *react, struct control_client *client)
{
    unsigned int i = react->list.nr;

    while (i-- > 0) {
        struct entry *e = react->list.reaction[i]->owner;

        if (e->client == client)
            drop_entry(react, e);
    }
    react->changed = true;
}

json_object *react_list(const struct react *react)
{
    json_object *array = json_object_new_array();
    unsigned int i;

    for (i = 0; i < react->list.nr; i++)
        json_object_array_add(array, describe_entry(react->list.reaction[i]->owner));

    return array;
}

/* Nothing else resumes a guest that was stopped for a killed daemon. */
static void let_all_go(const struct domains *domains)
{
    enum xensched_stop state;
    unsigned int i;

    for (i = 0; i < domains->nr; i++) {
        uint32_t domid = domains->domain[i].domid;

        if (!domid || xensched_stop_state(domid, &state, NULL) ||
            state == XENSCHED_STOP_OFF)
            continue;
        xensched_stop_resume(domid, NULL);
        if (state == XENSCHED_STOP_STOPPED)
            say("domain %u was stopped for a program that has ended: it continues",
                domid);
    }
}

void react_init(struct react *react, struct core *core, const struct log_sources *sources,
                struct control *control, struct ev_loop *loop)
{
    *react = (struct react){
        .core = core, .sources = sources, .control = control, .loop = loop,
    };
    reactions_init(&react->list, act_if_met, react);
    core->reactions = &react->list;
    let_all_go(&core->domains);
}

void react_free(struct react *react)
{
    if (!react->core)
        return;
    react->core->reactions = NULL;
    while (react->list.nr)
        drop_entry(react, react->list.reaction[react->list.nr - 1]->owner);
    reactions_free(&react->list);
    react->core = NULL;
}
