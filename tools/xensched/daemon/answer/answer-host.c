/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers what the numbers in rows stand for: pCPUs, domains, thresholds; and the latest
 * decisions.  Recordings contain these answers, from which plans and timelines are made
 * later.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "model/snapshot.h"
#include "answer.h"

/* What the governor has made of the operator's choice. */
static void add_thresholds(const struct governor *g, struct domain *d)
{
    unsigned int event;

    free(d->threshold);
    d->threshold = NULL;
    if (d->acct < XEN_SCHEDLOG_ACCT_FIRST)
        return;
    for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++) {
        uint32_t threshold = governor_threshold(g, event, d->acct);

        if (threshold == g->chosen[event])
            continue;
        if (!d->threshold)
            d->threshold = need_memory(XEN_SCHEDLOG_NR_EVENTS,
                                       sizeof(*d->threshold));
        d->threshold[event] = threshold;
    }
}

/* Decisions that are told: a recorder asks once per second. */
#define MOST_DECISIONS 32U

/* Of the latest entries of the journal those which are about a domain. */
static json_object *decisions(const struct journal *journal)
{
    json_object *latest = journal_latest(journal, MOST_DECISIONS);
    json_object *array = json_object_new_array();
    size_t i;

    for (i = 0; i < json_object_array_length(latest); i++) {
        json_object *entry = json_object_array_get_idx(latest, i);

        if (json_member(entry, "domid", json_type_int))
            json_object_array_add(array, json_object_get(entry));
    }
    json_object_put(latest);

    return array;
}

json_object *answer_host(struct subject *s, struct xensched_error *err)
{
    struct core *core = s->core;
    json_object *host;
    unsigned int i;

    (void)err;
    for (i = 0; i < core->domains.nr; i++) {
        struct domain *d = &core->domains.domain[i];

        d->held = held_has(&core->actuator.state.held, d->uuid);
        add_thresholds(&core->governor, d);
    }

    host = snapshot_to_json(&core->topology, &core->domains,
                            core->settings.choice.threshold);
    json_object_object_add(host, "journal", decisions(&core->journal));

    return host;
}
