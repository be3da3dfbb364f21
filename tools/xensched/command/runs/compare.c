/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compare.c - xensched runs compare A B: is configuration B slower than A, by how
 * much, how sure is that; and what differs in what the log says of them.  They may be
 * of two experiments: the same plan on another day, or another host.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actions.h"
#include "caveats.h"
#include "cli/printable.h"
#include "figure.h"
#include "model/memory.h"
#include "runs/groups.h"
#include "runs/statistics.h"
#include "runs/units.h"

/* A configuration of an experiment. */
struct side {
    const char *name;          /* as it was given: EXPERIMENT/CONFIGURATION */
    const char *configuration;
    int64_t experiment;
    struct groups groups;      /* of the experiment */
};

struct comparison {
    const struct side *first, *second;
    unsigned int nr; /* figures that both have */
    bool slower;     /* a workload is, in the second one */
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

    printf("%s is %s %s, 95 %% interval %s to %s", c->second->name,
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
        printf("no verdict: %s has 0, or less", c->first->name);
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
    printf(" (%s: %s, %s: %s)\n", c->first->name, figure(first.median, a->unit),
           c->second->name, figure(second.median, b->unit));
    c->nr++;
    c->slower |= a->kind == SAMPLE_WALL && d.verdict == VERDICT_MORE;
}

/* Experiments may have the same metric in other units. */
static void compare_converted(struct comparison *c, const struct group *a,
                              const struct group *b, double factor)
{
    struct group converted = *b;
    size_t i;

    converted.unit = a->unit;
    converted.value = need_memory(b->nr, sizeof(*b->value));
    for (i = 0; i < b->nr; i++)
        converted.value[i] = b->value[i] * factor;
    compare_groups(c, a, &converted);
    free(converted.value);
}

static void compare_with_second(struct comparison *c, const struct group *a)
{
    const struct groups *groups = &c->second->groups;
    size_t i;

    for (i = 0; i < groups->nr; i++) {
        const struct group *b = &groups->group[i];
        double factor = units_factor(b->unit, a->unit);

        if (factor && group_is_same_metric(a, b) &&
            !strcmp(b->configuration, c->second->configuration)) {
            compare_converted(c, a, b, factor);
            return;
        }
    }
}

static void compare(struct comparison *c)
{
    const struct groups *groups = &c->first->groups;
    size_t i;

    for (i = 0; i < groups->nr; i++)
        if (!strcmp(groups->group[i].configuration, c->first->configuration))
            compare_with_second(c, &groups->group[i]);
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
    const struct side *side = c->first;
    char line[600];

    (void)nr;
    if (strcmp(text[0], side->configuration))
        side = c->second;
    if (strcmp(text[0], side->configuration))
        return 0;
    snprintf(line, sizeof(line), "%s, in %s: %s", text[1], side->name, text[2]);
    printable(line);
    printf("%s\n", line);

    return 0;
}

/* What the log says of one experiment, which one side has, or both. */
static int print_places(const struct store *store, const struct side *first,
                        const struct side *second, struct xensched_error *err)
{
    struct comparison c = { .first = first, .second = second };
    int rc = store_rows(store, places, first->experiment, print_place, &c, err);

    return rc ? rc : store_rows(store, insteads, first->experiment, print_place,
                                &c, err);
}

static void print_caveat(void *arg, const char *text)
{
    const int64_t *experiment = arg;

    printf("! experiment %" PRId64 ": %s\n", *experiment, text);
}

static int take_text(void *arg, unsigned int nr, const char *const *text)
{
    char **copy = arg;

    (void)nr;
    free(*copy);
    *copy = need_string(text[0]);

    return 0;
}

/* @sql gives one text for each side. */
static int print_if_different(const struct comparison *c,
                              const struct store *store, const char *sql,
                              const char *what, struct xensched_error *err)
{
    char *first = NULL, *second = NULL;
    int rc = store_rows(store, sql, c->first->experiment, take_text, &first, err);

    if (!rc)
        rc = store_rows(store, sql, c->second->experiment, take_text, &second,
                        err);
    if (!rc && first && second && strcmp(first, second))
        printf("! the experiments %s\n", what);
    free(first);
    free(second);

    return rc;
}

static int compare_experiments(const struct comparison *c,
                               const struct store *store,
                               struct xensched_error *err)
{
    int rc = print_if_different(c, store, "SELECT plan FROM experiment WHERE id = "
                                "?", "have plans that differ", err);
    const struct side *const sides[] = { c->first, c->second };
    unsigned int i;

    if (!rc)
        rc = print_if_different(c, store, "SELECT group_concat(DISTINCT host) "
                                "FROM (SELECT host FROM session WHERE experiment "
                                "= ? ORDER BY host)", "were done on hosts that "
                                "differ: see table session", err);
    for (i = 0; i < 2 && !rc; i++) {
        int64_t experiment = sides[i]->experiment;

        rc = caveats_visit(store, experiment, &sides[i]->groups, print_caveat,
                           &experiment, err);
    }

    return rc;
}

static int print_all(const struct comparison *c, const struct store *store,
                     struct xensched_error *err)
{
    const struct side *a = c->first, *b = c->second;
    bool one = a->experiment == b->experiment;
    int rc = print_places(store, a, one ? b : a, err);

    if (!rc && !one)
        rc = print_places(store, b, b, err);
    if (rc)
        return rc;

    return one ? caveats_print(store, a->experiment, &a->groups, err)
               : compare_experiments(c, store, err);
}

static int compare_all(struct comparison *c, const struct store *store,
                       struct xensched_error *err)
{
    int rc;

    compare(c);
    rc = print_all(c, store, err);
    if (!rc && !c->nr)
        rc = xensched_fail(err, ENOENT, "no workload has runs that are done in "
                           "both '%s' and '%s'; 'xensched runs stat' prints those "
                           "that there are", c->first->name, c->second->name);

    return rc;
}

/* [EXPERIMENT/]CONFIGURATION.  False: the user has been told. */
static bool read_side(struct side *side, const struct store *store,
                      const char *word, const char *experiment)
{
    const char *slash = strchr(word, '/');
    struct xensched_error err;
    char number[24];

    *side = (struct side){ .name = word, .configuration = word };
    if (slash) {
        snprintf(number, sizeof(number), "%.*s", (int)(slash - word), word);
        side->configuration = slash + 1;
        experiment = number;
    }
    side->experiment = runs_experiment(store, experiment);
    if (!side->experiment)
        return false;
    if (!groups_read(&side->groups, store, side->experiment, &err))
        return true;
    complain("%s", err.text);

    return false;
}

int runs_compare(const struct arguments *args, struct store *store)
{
    struct side first, second = { 0 };
    struct comparison c = { .first = &first, .second = &second };
    struct xensched_error err;
    int code = EXIT_FAILED;

    if (read_side(&first, store, args->word[0], args->word[2]) &&
        read_side(&second, store, args->word[1], args->word[2])) {
        if (!compare_all(&c, store, &err))
            code = c.slower ? EXIT_SLOWER : EXIT_OK;
        else
            complain("%s", err.text);
    }
    groups_free(&first.groups);
    groups_free(&second.groups);

    return code;
}
