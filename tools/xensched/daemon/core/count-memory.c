/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts the nodes of domains' memory, a part in each run. */
#include <errno.h>

#include "count-memory.h"
#include "base/message.h"
#include "model/distance-file.h"

/*
 * In one run: 65,536 frames, HOST_OWNERS of them with each call.  A count takes four
 * runs, and there is one in a minute.
 */
#define CALLS_PER_RUN 16

void count_memory_start(struct core *core)
{
    const struct host *host = core->host;
    struct xensched_error err;

    if (!host->memory)
        return;
    if (host->memory(host->data, &core->distances, &core->frames, &err)) {
        say("%s; nothing is known of distances", err.text);
        return;
    }
    core->distances_known = true;
    distances_relate(&core->distances, &core->topology);
    count_memory_distances(core);
    census_init(&core->census, core->distances.nr_nodes);
    core->counts = core->distances.nr_nodes > 1;
}

void count_memory_distances(struct core *core)
{
    const char *path = core->settings.distances_path;
    struct xensched_error err;
    int rc;

    if (!core->distances_known || !path)
        return;
    rc = distances_read(&core->distances, path, core->topology.nr_cpus, &err);
    if (rc && rc != -ENOENT)
        say("%s; distances are as before", err.text);
}

static bool count_part(struct core *core)
{
    const struct host *host = core->host;
    struct host_owner owners[HOST_OWNERS];
    struct xensched_error err;
    int nr, i;

    nr = host->owners(host->data, &core->frame, core->census.part.step, owners,
                      &err);
    for (i = 0; i < nr; i++)
        census_add(&core->census, owners[i].domid, owners[i].node);
    if (nr < 0) {
        say("%s: policies do without", err.text);
        core->counts = false;
        census_end(&core->census, false);
    } else if (!core->frame) {
        census_end(&core->census, true);
    }

    return core->census.counting;
}

void count_memory(struct core *core, uint64_t now_ns)
{
    struct census *c = &core->census;
    unsigned int calls;

    if (core->counts && census_is_due(c, &core->domains, now_ns))
        core->frame = census_begin(c, core->frames, now_ns);
    for (calls = 0; c->counting && calls < CALLS_PER_RUN; calls++) {
        if (!count_part(core))
            break;
        core_between(core);
    }
    census_tell(c, &core->domains);
}

void count_memory_end(struct core *core)
{
    if (core->distances_known)
        distances_free(&core->distances);
    census_free(&core->census);
}
