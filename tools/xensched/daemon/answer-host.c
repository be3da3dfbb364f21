/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * answer-host.c - what the numbers in rows stand for: pCPUs, domains,
 * thresholds.  For recordings, from which plans are made later.
 */
#include "../model/snapshot.h"
#include "answer.h"

json_object *answer_host(struct subject *s, struct xensched_error *err)
{
    struct core *core = s->core;
    unsigned int i;

    (void)err;
    for (i = 0; i < core->domains.nr; i++) {
        struct domain *d = &core->domains.domain[i];

        d->held = held_has(&core->actuator.state.held, d->uuid);
    }

    return snapshot_to_json(&core->topology, &core->domains,
                            core->settings.choice.threshold);
}
