/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * export.c - xensched runs export: each figure of each run, for other programs
 * (CSV as RFC 4180 has it) or for a text (Markdown).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "actions.h"
#include "figure.h"
#include "runs/groups.h"
#include "runs/statistics.h"

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

/* What would end the cell, or the line, or begin markup, is none of it. */
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

static void print(const struct groups *groups, bool markdown)
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
    print(&groups, args->markdown);
    groups_free(&groups);

    return EXIT_OK;
}
