/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * answer-host.c - what the numbers in rows stand for: pCPUs, domains,
 * thresholds.  For recordings, from which plans are made later.
 */
#include <stdlib.h>

#include "model/memory.h"
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

json_object *answer_host(struct subject *s, struct xensched_error *err)
{
    struct core *core = s->core;
    unsigned int i;

    (void)err;
    for (i = 0; i < core->domains.nr; i++) {
        struct domain *d = &core->domains.domain[i];

        d->held = held_has(&core->actuator.state.held, d->uuid);
        add_thresholds(&core->governor, d);
    }

    return snapshot_to_json(&core->topology, &core->domains,
                            core->settings.choice.threshold);
}
