/* SPDX-License-Identifier: GPL-2.0-only */
/* groups.c - see groups.h. */
#include <stdlib.h>
#include <string.h>

#include "groups.h"
#include "model/memory.h"

static bool same_metric(const struct group *g, const char *workload,
                        enum sample_kind kind, const char *metric,
                        const char *unit)
{
    return g->kind == kind && !strcmp(g->workload, workload) &&
           !strcmp(g->metric, metric) && !strcmp(g->unit, unit);
}

/* Samples of a group follow each other. */
static struct group *need_group(struct groups *g, const struct sample *s)
{
    struct group *last = g->nr ? &g->group[g->nr - 1] : NULL;

    if (last && same_metric(last, s->workload, s->kind, s->metric, s->unit) &&
        !strcmp(last->configuration, s->configuration))
        return last;
    g->group = need_more_memory(g->group, g->nr + 1, sizeof(*g->group));
    last = &g->group[g->nr++];
    *last = (struct group){
        .workload = need_string(s->workload),
        .configuration = need_string(s->configuration),
        .metric = need_string(s->metric),
        .unit = need_string(s->unit),
        .kind = s->kind,
    };

    return last;
}

static void take(void *arg, const struct sample *s)
{
    struct group *group = need_group(arg, s);

    group->value = need_more_memory(group->value, group->nr + 1,
                                    sizeof(*group->value));
    group->run = need_more_memory(group->run, group->nr + 1,
                                  sizeof(*group->run));
    group->value[group->nr] = s->value;
    group->run[group->nr++] = s->run;
}

int groups_read(struct groups *g, const struct store *s, int64_t experiment,
                struct xensched_error *err)
{
    int rc;

    *g = (struct groups){ 0 };
    rc = store_samples(s, experiment, take, g, err);
    if (rc)
        groups_free(g);

    return rc;
}

void groups_free(struct groups *g)
{
    size_t i;

    for (i = 0; i < g->nr; i++) {
        free(g->group[i].workload);
        free(g->group[i].configuration);
        free(g->group[i].metric);
        free(g->group[i].unit);
        free(g->group[i].value);
        free(g->group[i].run);
    }
    free(g->group);
}

const struct group *groups_find(const struct groups *g, const struct group *like,
                                const char *configuration)
{
    size_t i;

    for (i = 0; i < g->nr; i++)
        if (same_metric(&g->group[i], like->workload, like->kind, like->metric,
                        like->unit) &&
            !strcmp(g->group[i].configuration, configuration))
            return &g->group[i];

    return NULL;
}
