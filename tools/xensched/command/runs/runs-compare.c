/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched runs compare A B: decides whether configuration B is slower than A, by how much, and how
 * certain that is; and shows the differences in their logs.  They may be of two experiments: the
 * same plan on another day, or another host.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runs-actions.h"
#include "base/text.h"
#include "base/json.h"
#include "base/alloc.h"
#include "runs/statistics.h"
#include "runs/values.h"

/* A configuration of an experiment. */
struct side {
    const char *name;          /* as given: EXPERIMENT/CONFIGURATION */
    const char *configuration;
    int64_t experiment;
    struct groups groups;      /* of the experiment */
};

struct comparison {
    const struct side *first, *second;
    unsigned int nr; /* number of common figures */
    bool slower;     /* a workload is slower in the second one */
    json_object *json; /* NULL: print text */
    json_object *figures; /* a member of @json */
};

/* A time is slower or faster; for another figure the better direction is unknown. */
static const char *word_of(const struct group *g, enum difference_verdict verdict)
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

static void print_figure(const struct comparison *c, const struct group *a,
                         const struct group *b, const struct difference *d)
{
    struct summary first, second;
    char name[200];

    summary_make(&first, a->value, a->nr);
    summary_make(&second, b->value, b->nr);
    snprintf(name, sizeof(name), "%s, %s", a->workload, a->metric);
    printable(name);
    printf("%s: ", name);
    print_verdict(c, a, b, d);
    printf(" (%s: %s, %s: %s)\n", c->first->name, figure(first.median, a->unit),
           c->second->name, figure(second.median, b->unit));
}

static const char *verdict_key(const struct group *g, enum difference_verdict verdict)
{
    switch (verdict) {
    case VERDICT_TOO_FEW:
        return "too_few";
    case VERDICT_NO_BASE:
        return "no_base";
    case VERDICT_SAME:
        return "same";
    default:
        return word_of(g, verdict);
    }
}

static json_object *side_figure_json(const struct group *g)
{
    json_object *o = json_object_new_object();
    struct summary s;

    summary_make(&s, g->value, g->nr);
    json_add_int(o, "runs", g->nr);
    json_add_exact(o, "median", s.median);

    return o;
}

static void add_figure(const struct comparison *c, const struct group *a,
                       const struct group *b, const struct difference *d)
{
    json_object *o = json_object_new_object(), *interval = NULL;
    bool known = d->verdict != VERDICT_TOO_FEW && d->verdict != VERDICT_NO_BASE;

    if (known) {
        interval = json_object_new_array();
        json_object_array_add(interval, json_new_exact(d->interval[0]));
        json_object_array_add(interval, json_new_exact(d->interval[1]));
    }
    json_add_text(o, "workload", a->workload);
    json_add_text(o, "figure", a->metric);
    json_add_text(o, "unit", a->unit);
    json_object_object_add(o, "first", side_figure_json(a));
    json_object_object_add(o, "second", side_figure_json(b));
    json_add_text(o, "verdict", verdict_key(a, d->verdict));
    json_object_object_add(o, "change", known ? json_new_exact(d->part) : NULL);
    json_object_object_add(o, "interval", interval);
    json_object_array_add(c->figures, o);
}

static void compare_groups(struct comparison *c, const struct group *a,
                           const struct group *b)
{
    struct difference d;

    difference_make(&d, a->value, a->nr, b->value, b->nr);
    (c->json ? add_figure : print_figure)(c, a, b, &d);
    c->nr++;
    c->slower |= a->kind == SAMPLE_WALL && d.verdict == VERDICT_MORE;
}

/* Experiments may have the same metric in different units. */
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

static void compare_figures(struct comparison *c)
{
    const struct groups *groups = &c->first->groups;
    size_t i;

    for (i = 0; i < groups->nr; i++)
        if (!strcmp(groups->group[i].configuration, c->first->configuration))
            compare_with_second(c, &groups->group[i]);
}

/* Where domains ran, and which domains ran where they waited, in all repetitions. */

#define SHARES(column, table) \
    "SELECT configuration, workload, domain, " column ", total(ns) / " \
    "total(total(ns)) OVER (PARTITION BY configuration, workload, domain) AS " \
    "share FROM run JOIN " table " ON run = run.id WHERE experiment = ? AND state " \
    "= 'done' AND repetition > 0 GROUP BY configuration, workload, domain, " \
    column " ORDER BY configuration, workload, domain, share DESC"

static const char place_shares[] = SHARES("pcpu", "place");
static const char instead_shares[] = SHARES("other", "instead");

static const char places[] =
    "SELECT configuration, workload || ', ' || domain || ' ran on', "
    "group_concat(printf('pCPU %d: %.0f %%', pcpu, 100 * share), ', ') FROM "
    "(" SHARES("pcpu", "place") ") WHERE share >= 0.005 "
    "GROUP BY configuration, workload, domain ORDER BY workload, domain";

static const char insteads[] =
    "SELECT configuration, workload || ', where ' || domain || ' waited ran', "
    "group_concat(printf('%s %.0f %%', other, 100 * share), ', ') FROM "
    "(" SHARES("other", "instead") ") WHERE share >= 0.005 "
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

/* Prints what the logs of one experiment show, for one side or both. */
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
static int find_different(const struct comparison *c, const struct store *store,
                          const char *sql, bool *different,
                          struct xensched_error *err)
{
    char *first = NULL, *second = NULL;
    int rc = store_rows(store, sql, c->first->experiment, take_text, &first, err);

    if (!rc)
        rc = store_rows(store, sql, c->second->experiment, take_text, &second,
                        err);
    *different = !rc && first && second && strcmp(first, second);
    free(first);
    free(second);

    return rc;
}

static const char plan[] = "SELECT plan FROM experiment WHERE id = ?";
static const char hosts[] =
    "SELECT group_concat(DISTINCT host) FROM (SELECT host FROM session WHERE "
    "experiment = ? ORDER BY host)";

static int compare_experiments(const struct comparison *c,
                               const struct store *store,
                               struct xensched_error *err)
{
    const struct side *const sides[] = { c->first, c->second };
    bool different;
    unsigned int i;
    int rc = find_different(c, store, plan, &different, err);

    if (!rc && different)
        puts("! the experiments have plans that differ");
    if (!rc)
        rc = find_different(c, store, hosts, &different, err);
    if (!rc && different)
        puts("! the experiments were done on hosts that differ: see table session");
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

/* JSON. */

/* Adds the rows of @sql about the side's configuration. */
static int add_shares(json_object *o, const char *key, const struct side *side,
                      const struct store *store, const char *sql,
                      struct xensched_error *err)
{
    json_object *rows, *chosen = json_object_new_array();
    int rc = store_json(store, sql, side->experiment, &rows, err);
    size_t i;

    json_object_object_add(o, key, chosen);
    if (rc)
        return rc;
    for (i = 0; i < json_object_array_length(rows); i++) {
        json_object *row = json_object_array_get_idx(rows, i);

        if (strcmp(json_text(row, "configuration"), side->configuration))
            continue;
        json_object_object_del(row, "configuration");
        json_object_array_add(chosen, json_object_get(row));
    }
    json_object_put(rows);

    return 0;
}

static void add_caveat(void *array, const char *text)
{
    json_object_array_add(array, json_new_text(text));
}

static int add_side(const struct comparison *c, const char *key,
                    const struct side *side, const struct store *store,
                    struct xensched_error *err)
{
    json_object *o = json_object_new_object(), *caveats = json_object_new_array();
    int rc;

    json_object_object_add(c->json, key, o);
    json_add_int(o, "experiment", side->experiment);
    json_add_text(o, "configuration", side->configuration);
    rc = add_shares(o, "places", side, store, place_shares, err);
    if (!rc)
        rc = add_shares(o, "waited_for", side, store, instead_shares, err);
    json_object_object_add(o, "caveats", caveats);

    return rc ? rc : caveats_visit(store, side->experiment, &side->groups,
                                   add_caveat, caveats, err);
}

static int add_all(const struct comparison *c, const struct store *store,
                   struct xensched_error *err)
{
    bool plans, other_hosts;
    int rc = add_side(c, "first", c->first, store, err);

    if (!rc)
        rc = add_side(c, "second", c->second, store, err);
    if (!rc)
        rc = find_different(c, store, plan, &plans, err);
    if (!rc)
        rc = find_different(c, store, hosts, &other_hosts, err);
    if (rc)
        return rc;
    json_add_bool(c->json, "plans_differ", plans);
    json_add_bool(c->json, "hosts_differ", other_hosts);
    json_add_bool(c->json, "slower", c->slower);
    if (c->nr)
        json_print(json_object_get(c->json));

    return 0;
}

static int compare_all(struct comparison *c, const struct store *store,
                       struct xensched_error *err)
{
    int rc;

    compare_figures(c);
    rc = (c->json ? add_all : print_all)(c, store, err);
    if (!rc && !c->nr)
        rc = xensched_fail(err, ENOENT, "no workload has finished runs in both '%s' and '%s'; "
                           "'xensched runs stat' prints the finished runs", c->first->name,
                           c->second->name);

    return rc;
}

/* Parses [EXPERIMENT/]CONFIGURATION.  Returns false after a message. */
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

    if (args->json) {
        c.json = json_object_new_object();
        c.figures = json_object_new_array();
        json_object_object_add(c.json, "figures", c.figures);
    }
    if (read_side(&first, store, args->word[0], args->word[2]) &&
        read_side(&second, store, args->word[1], args->word[2])) {
        if (!compare_all(&c, store, &err))
            code = c.slower ? EXIT_SLOWER : EXIT_OK;
        else
            complain("%s", err.text);
    }
    groups_free(&first.groups);
    groups_free(&second.groups);
    json_object_put(c.json);

    return code;
}
