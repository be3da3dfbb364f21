/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups the figures of an experiment by workload and configuration. */
#include <stdlib.h>
#include <string.h>

#include "groups.h"
#include "base/alloc.h"
#include "values.h"

bool group_is_same_metric(const struct group *a, const struct group *b)
{
    return a->kind == b->kind && !strcmp(a->workload, b->workload) &&
           !strcmp(a->metric, b->metric);
}

bool group_is_same_figure(const struct group *a, const struct group *b)
{
    return group_is_same_metric(a, b) && !strcmp(a->unit, b->unit);
}

/* Samples of a metric follow each other: the first group of it, or all that are. */
static size_t first_of_metric(const struct groups *g, const struct group *like)
{
    size_t first = g->nr;

    while (first && group_is_same_metric(&g->group[first - 1], like))
        first--;

    return first;
}

/* Into the first unit of its metric that allows it. */
static void convert(const struct groups *g, size_t first, struct sample *s)
{
    double factor = 0;
    size_t i;

    for (i = first; i < g->nr && !factor; i++) {
        factor = units_factor(s->unit, g->group[i].unit);
        if (factor) {
            s->value *= factor;
            s->unit = g->group[i].unit;
        }
    }
}

/* Behind those of the same unit, or at the end. */
static struct group *add_group(struct groups *g, size_t first,
                               const struct sample *s)
{
    size_t at = g->nr;

    while (at > first && strcmp(g->group[at - 1].unit, s->unit))
        at--;
    if (at == first)
        at = g->nr;
    g->group = need_more_memory(g->group, g->nr + 1, sizeof(*g->group));
    memmove(&g->group[at + 1], &g->group[at],
            (g->nr++ - at) * sizeof(*g->group));
    g->group[at] = (struct group){
        .workload = need_string(s->workload),
        .configuration = need_string(s->configuration),
        .metric = need_string(s->metric),
        .unit = need_string(s->unit),
        .kind = s->kind,
    };

    return &g->group[at];
}

static struct group *group_for(struct groups *g, struct sample *s)
{
    const struct group like = {
        .workload = (char *)s->workload, .metric = (char *)s->metric,
        .kind = s->kind,
    };
    size_t first = first_of_metric(g, &like), i;

    convert(g, first, s);
    for (i = first; i < g->nr; i++)
        if (!strcmp(g->group[i].configuration, s->configuration) &&
            !strcmp(g->group[i].unit, s->unit))
            return &g->group[i];

    return add_group(g, first, s);
}

static void add_sample(void *arg, const struct sample *sample)
{
    struct sample s = *sample;
    struct group *group = group_for(arg, &s);

    group->value = need_more_memory(group->value, group->nr + 1,
                                    sizeof(*group->value));
    group->run = need_more_memory(group->run, group->nr + 1,
                                  sizeof(*group->run));
    group->value[group->nr] = s.value;
    group->run[group->nr++] = s.run;
}

int groups_read(struct groups *g, const struct store *s, int64_t experiment,
                struct xensched_error *err)
{
    int rc;

    *g = (struct groups){ 0 };
    rc = store_samples(s, experiment, add_sample, g, err);
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
