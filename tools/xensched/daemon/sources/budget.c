/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes thresholds as the governor decides, and journals that. */
#include <stdlib.h>

#include <xensched/event.h>

#include "base/json.h"
#include "base/message.h"
#include "budget.h"

/* Thresholds of one change that the journal lists. */
#define NAMED 8U

static void apply_threshold(struct log_sources *sources, const struct governor_change *c)
{
    struct core *core = sources->core;
    unsigned int i;

    matrix_set_threshold_of(core->matrix, c->event, c->acct, c->to);
    if (choice_events(&core->settings.choice, HYPERVISOR) & 1U << c->event) {
        core->host->set_threshold(core->host->data, c->acct, c->event, c->to);
        return;
    }
    for (i = 0; i < sources->nr; i++) {
        const struct log_source *source = sources->source[i];

        if (source->area && source->state == LOG_SOURCE_READING &&
            source->producer == LINUX && source->acct == c->acct)
            logs_set_threshold(&sources->logs[LINUX], source->area, c->acct, c->event,
                               c->to);
    }
}

static json_object *describe_change(const struct core *core,
                                    const struct governor_change *c)
{
    const struct account *account = accounting_of(&core->accounting, c->acct);
    json_object *json = json_object_new_object();

    json_add_text(json, "event", xensched_event_name(c->event));
    json_add_int(json, "acct", c->acct);
    if (account)
        json_add_domain(json, "domain", "domid", account->domid,
                        account->name);
    json_add_real(json, "rows_per_s", c->rate, 0);
    json_add_int(json, "from", c->from);
    json_add_int(json, "to", c->to);

    return json;
}

static void journal_budget(struct core *core, const char *reason,
                           const struct governor_change *changes,
                           unsigned int nr)
{
    json_object *details = json_object_new_object();
    json_object *named = json_object_new_array();
    const struct governor *g = &core->governor;
    unsigned int i;

    json_add_text(details, "reason", reason);
    json_add_real(details, "overhead_percent", 100 * g->overhead, 3);
    json_add_real(details, "own_percent", 100 * g->own, 3);
    json_add_real(details, "budget_percent", 100 * g->budget, 3);
    json_add_real(details, "rows_per_s", g->rate, 0);
    json_add_int(details, "changes", nr);
    for (i = 0; i < nr && i < NAMED; i++)
        json_object_array_add(named, describe_change(core, &changes[i]));
    json_object_object_add(details, "thresholds", named);
    journal_write(&core->journal, "budget", details);
}

/* Reports the beginning and the end of this state. */
static void tell_stuck(struct core *core, bool was_stuck)
{
    static const char begins[] =
        "logging costs more than its budget, and no threshold is left to be "
        "raised: the rest is not the number of rows; longer --interval or "
        "--period, fewer events by --log, or a larger --budget would do";
    static const char ends[] = "logging is within its budget again";
    const struct governor *g = &core->governor;

    if (g->stuck == was_stuck)
        return;
    say("%s", g->stuck ? begins : ends);
    journal_budget(core, g->stuck ? begins : ends, NULL, 0);
}

void budget_keep(struct log_sources *sources, uint64_t cpu_ns, uint64_t now_ns)
{
    struct core *core = sources->core;
    struct governor *g = &core->governor;
    struct governor_change *changes;
    bool stuck = g->stuck;
    unsigned int nr = governor_step(g, cpu_ns, now_ns, &changes), i;

    for (i = 0; i < nr; i++)
        apply_threshold(sources, &changes[i]);
    if (nr && changes[0].to > changes[0].from)
        journal_budget(core, "logging costs more than its budget: of what "
                       "happens most, fewer events make a row", changes, nr);
    else if (nr)
        journal_budget(core, "logging is well within its budget: more events "
                       "make a row again", changes, nr);
    tell_stuck(core, stuck);
    free(changes);
}
