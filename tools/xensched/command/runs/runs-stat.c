/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched runs stat and export: print the figures of an experiment over its repetitions, as a
 * table, as CSV or as Markdown.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "command/text/table.h"
#include "runs/statistics.h"
#include "runs-actions.h"

/* Stat. */

static void add_cell(struct table *table, const char *text)
{
    char cell[120];

    snprintf(cell, sizeof(cell), "%s", text);
    printable(cell);
    table_add(table, cell);
}

static void add_interval(struct table *table, const double interval[2],
                         const char *unit)
{
    char cell[300];

    snprintf(cell, sizeof(cell), "%s ... %s", figure(interval[0], ""),
             figure(interval[1], unit));
    table_add(table, cell);
}

static void add_outliers(struct table *table, const struct group *g,
                         const struct summary *s)
{
    char cell[120] = "-";
    size_t i, length = 0;

    for (i = 0; i < g->nr && length < sizeof(cell) - 30; i++)
        if (summary_is_outlier(s, g->value[i]))
            length += snprintf(cell + length, sizeof(cell) - length,
                               "%srun %" PRId64, length ? ", " : "", g->run[i]);
    table_add(table, cell);
}

static void add_group(struct table *table, const struct group *g)
{
    char nr[20];
    struct summary s;

    summary_make(&s, g->value, g->nr);
    snprintf(nr, sizeof(nr), "%zu", g->nr);
    add_cell(table, g->workload);
    add_cell(table, g->metric);
    add_cell(table, g->configuration);
    table_add(table, nr);
    table_add(table, figure(s.median, g->unit));
    add_interval(table, s.quartile, g->unit);
    if (g->nr < STATISTICS_LEAST)
        table_add(table, "too few runs");
    else
        add_interval(table, s.interval, g->unit);
    add_outliers(table, g, &s);
}

static void print_statistics(const struct groups *groups)
{
    static const char *const headers[] = {
        "WORKLOAD", "FIGURE", "CONFIGURATION", ">RUNS", ">MEDIAN",
        ">MIDDLE HALF", ">MEDIAN, 95 %", "OUTLIERS", NULL,
    };
    struct table *table = table_new(headers);
    size_t i;

    for (i = 0; i < groups->nr; i++)
        add_group(table, &groups->group[i]);
    table_print(table);
}

/* JSON. */

static json_object *interval_json(const double interval[2])
{
    json_object *array = json_object_new_array();

    json_object_array_add(array, json_new_exact(interval[0]));
    json_object_array_add(array, json_new_exact(interval[1]));

    return array;
}

static json_object *runs_json(const struct group *g, const struct summary *s)
{
    json_object *array = json_object_new_array();
    size_t i;

    for (i = 0; i < g->nr; i++) {
        json_object *o = json_object_new_object();

        json_add_int(o, "id", g->run[i]);
        json_add_exact(o, "value", g->value[i]);
        json_add_bool(o, "outlier", summary_is_outlier(s, g->value[i]));
        json_object_array_add(array, o);
    }

    return array;
}

static json_object *group_json(const struct group *g)
{
    json_object *o = json_object_new_object();
    struct summary s;

    summary_make(&s, g->value, g->nr);
    json_add_text(o, "workload", g->workload);
    json_add_text(o, "figure", g->metric);
    json_add_text(o, "configuration", g->configuration);
    json_add_text(o, "unit", g->unit);
    json_add_exact(o, "median", s.median);
    json_object_object_add(o, "quartiles", interval_json(s.quartile));
    json_object_object_add(o, "interval", g->nr < STATISTICS_LEAST
                           ? NULL : interval_json(s.interval));
    json_object_object_add(o, "runs", runs_json(g, &s));

    return o;
}

static void add_caveat(void *array, const char *text)
{
    json_object_array_add(array, json_new_text(text));
}

static int stat_json(const struct store *store, int64_t experiment,
                     const struct groups *groups, struct xensched_error *err)
{
    json_object *all = json_object_new_object();
    json_object *figures = json_object_new_array();
    json_object *caveats = json_object_new_array();
    size_t i;
    int rc;

    for (i = 0; i < groups->nr; i++)
        json_object_array_add(figures, group_json(&groups->group[i]));
    json_add_int(all, "experiment", experiment);
    json_object_object_add(all, "figures", figures);
    json_object_object_add(all, "caveats", caveats);
    rc = caveats_visit(store, experiment, groups, add_caveat, caveats, err);
    if (!rc)
        json_print(all);
    else
        json_object_put(all);

    return rc;
}

static int stat_text(const struct store *store, int64_t experiment,
                     const struct groups *groups, struct xensched_error *err)
{
    print_statistics(groups);

    return caveats_print(store, experiment, groups, err);
}

int runs_stat(const struct arguments *args, struct store *store)
{
    int64_t experiment = runs_experiment(store, args->word[0]);
    struct groups groups;
    struct xensched_error err;
    int rc;

    if (!experiment)
        return EXIT_FAILED;
    rc = groups_read(&groups, store, experiment, &err);
    if (!rc) {
        rc = (args->json ? stat_json : stat_text)(store, experiment, &groups, &err);
        groups_free(&groups);
    }
    if (rc)
        complain("%s", err.text);

    return rc ? EXIT_FAILED : EXIT_OK;
}

/* Export. */

static void csv_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

static void csv_group(const struct group *g)
{
    const char *const names[] = {
        g->workload, g->configuration, g->metric, g->unit,
    };
    size_t i, j;

    for (i = 0; i < g->nr; i++) {
        printf("%" PRId64 ",", g->run[i]);
        for (j = 0; j < 4; j++) {
            csv_text(names[j]);
            putchar(',');
        }
        printf("%.17g\r\n", g->value[i]);
    }
}

/* Replaces characters that would end the cell or the line, or begin markup. */
static void markdown_text(const char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < ' ') {
            putchar(' ');
            continue;
        }
        if (strchr("\\|*_`<>[]", *text))
            putchar('\\');
        putchar(*text);
    }
    fputs(" | ", stdout);
}

static void markdown_group(const struct group *g)
{
    struct summary s;

    summary_make(&s, g->value, g->nr);
    fputs("| ", stdout);
    markdown_text(g->workload);
    markdown_text(g->metric);
    markdown_text(g->configuration);
    printf("%zu | ", g->nr);
    markdown_text(figure(s.median, g->unit));
    printf("%s ... %s | ", figure(s.quartile[0], ""), figure(s.quartile[1], ""));
    if (g->nr < STATISTICS_LEAST)
        printf("too few runs |\n");
    else
        printf("%s ... %s |\n", figure(s.interval[0], ""),
               figure(s.interval[1], ""));
}

static void print_csv(const struct groups *groups, bool markdown)
{
    size_t i;

    if (markdown)
        printf("| workload | figure | configuration | runs | median | middle "
               "half | median, 95 %% |\n|---|---|---|---|---|---|---|\n");
    else
        printf("run,workload,configuration,figure,unit,value\r\n");
    for (i = 0; i < groups->nr; i++)
        (markdown ? markdown_group : csv_group)(&groups->group[i]);
}

int runs_export(const struct arguments *args, struct store *store)
{
    int64_t experiment = runs_experiment(store, args->word[0]);
    struct groups groups;
    struct xensched_error err;

    if (!experiment)
        return EXIT_FAILED;
    if (groups_read(&groups, store, experiment, &err)) {
        complain("%s", err.text);
        return EXIT_FAILED;
    }
    print_csv(&groups, args->markdown);
    groups_free(&groups);

    return EXIT_OK;
}
