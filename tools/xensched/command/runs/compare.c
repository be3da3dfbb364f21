/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compare.c - xensched runs compare A B: is configuration B slower than A, by how
 * much, how sure is that; and what differs in what the log says of them.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "actions.h"
#include "caveats.h"
#include "command/text/printable.h"
#include "figure.h"
#include "runs/groups.h"
#include "runs/statistics.h"

struct comparison {
    const char *first, *second; /* names of configurations */
    const struct groups *groups;
    int64_t experiment;
    unsigned int nr;            /* figures that both have */
};

/* A time is slower or faster; of another figure nobody knows which is better. */
static const char *word_of(const struct group *g, enum verdict verdict)
{
    if (g->kind == SAMPLE_WALL)
        return verdict == VERDICT_MORE ? "slower" : "faster";

    return verdict == VERDICT_MORE ? "more" : "less";
}

static void print_apart(const struct comparison *c, const struct group *g,
                        const struct difference *d)
{
    bool more = d->verdict == VERDICT_MORE;

    printf("%s is %s %s, 95 %% interval %s to %s", c->second,
           figure_percent(fabs(d->part)), word_of(g, d->verdict),
           figure_percent(fabs(d->interval[more ? 0 : 1])),
           figure_percent(fabs(d->interval[more ? 1 : 0])));
}

static void print_verdict(const struct comparison *c, const struct group *a,
                          const struct group *b, const struct difference *d)
{
    switch (d->verdict) {
    case VERDICT_TOO_FEW:
        printf("no verdict with %zu and %zu runs: it takes %u of each", a->nr,
               b->nr, STATISTICS_LEAST);
        break;
    case VERDICT_NO_BASE:
        printf("no verdict: %s has 0, or less", c->first);
        break;
    case VERDICT_SAME:
        printf("not distinguishable with %zu runs (%s %s to %s)",
               a->nr < b->nr ? a->nr : b->nr, "95 % interval",
               figure_percent(d->interval[0]), figure_percent(d->interval[1]));
        break;
    default:
        print_apart(c, a, d);
    }
}

static void compare_groups(struct comparison *c, const struct group *a,
                           const struct group *b)
{
    struct summary first, second;
    struct difference d;
    char name[200];

    summary_make(&first, a->value, a->nr);
    summary_make(&second, b->value, b->nr);
    difference_make(&d, a->value, a->nr, b->value, b->nr);
    snprintf(name, sizeof(name), "%s, %s", a->workload, a->metric);
    printable(name);
    printf("%s: ", name);
    print_verdict(c, a, b, &d);
    printf(" (%s: %s, %s: %s)\n", c->first, figure(first.median, a->unit),
           c->second, figure(second.median, b->unit));
    c->nr++;
}

static void compare(struct comparison *c)
{
    size_t i;

    for (i = 0; i < c->groups->nr; i++) {
        const struct group *a = &c->groups->group[i], *b;

        b = strcmp(a->configuration, c->first)
            ? NULL : groups_find(c->groups, a, c->second);
        if (b)
            compare_groups(c, a, b);
    }
}

/* Where domains ran, and who ran where they waited: of all repetitions. */

static const char places[] =
    "SELECT configuration, workload || ', ' || domain || ' ran on', "
    "group_concat(printf('pCPU %d: %.0f %%', pcpu, share), ', ') FROM "
    "(SELECT configuration, workload, domain, pcpu, 100.0 * total(ns) / "
    "total(total(ns)) OVER (PARTITION BY configuration, workload, domain) AS "
    "share FROM run JOIN place ON run = run.id WHERE experiment = ? AND state = "
    "'done' AND repetition > 0 GROUP BY configuration, workload, domain, pcpu "
    "ORDER BY configuration, workload, domain, share DESC) WHERE share >= 0.5 "
    "GROUP BY configuration, workload, domain ORDER BY workload, domain";

static const char insteads[] =
    "SELECT configuration, workload || ', where ' || domain || ' waited ran', "
    "group_concat(printf('%s %.0f %%', other, share), ', ') FROM "
    "(SELECT configuration, workload, domain, other, 100.0 * total(ns) / "
    "total(total(ns)) OVER (PARTITION BY configuration, workload, domain) AS "
    "share FROM run JOIN instead ON run = run.id WHERE experiment = ? AND state "
    "= 'done' AND repetition > 0 GROUP BY configuration, workload, domain, other"
    " ORDER BY configuration, workload, domain, share DESC) WHERE share >= 0.5 "
    "GROUP BY configuration, workload, domain ORDER BY workload, domain";

static int print_place(void *arg, unsigned int nr, const char *const *text)
{
    const struct comparison *c = arg;
    char line[600];

    (void)nr;
    if (strcmp(text[0], c->first) && strcmp(text[0], c->second))
        return 0;
    snprintf(line, sizeof(line), "%s, in %s: %s", text[1], text[0], text[2]);
    printable(line);
    printf("%s\n", line);

    return 0;
}

static int compare_all(struct comparison *c, const struct store *store,
                       struct xensched_error *err)
{
    int rc;

    compare(c);
    if (!c->nr)
        return xensched_fail(err, ENOENT, "experiment %" PRId64 " has no runs "
                             "that are done in both '%s' and '%s'; 'xensched "
                             "runs stat' prints what it has", c->experiment,
                             c->first, c->second);
    rc = store_rows(store, places, c->experiment, print_place, c, err);
    if (!rc)
        rc = store_rows(store, insteads, c->experiment, print_place, c, err);

    return rc ? rc : caveats_print(store, c->experiment, c->groups, err);
}

int runs_compare(const struct arguments *args, struct store *store)
{
    struct groups groups;
    struct comparison c = {
        .first = args->word[0], .second = args->word[1], .groups = &groups,
        .experiment = runs_experiment(store, args->word[2]),
    };
    struct xensched_error err;
    int rc;

    if (!c.experiment)
        return EXIT_FAILED;
    rc = groups_read(&groups, store, c.experiment, &err);
    if (!rc) {
        rc = compare_all(&c, store, &err);
        groups_free(&groups);
    }
    if (rc)
        complain("%s", err.text);

    return rc ? EXIT_FAILED : EXIT_OK;
}
