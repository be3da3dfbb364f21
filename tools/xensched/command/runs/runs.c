/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched runs: experiments that another person can repeat.  Contains the table of actions, and
 * opens their database.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "cli/option.h"
#include "runs-actions.h"

static const struct action {
    const char *name;
    const char *takes;
    int least, most; /* number of words */
    unsigned int options; /* options that not every action accepts */
    /* One of these: the action may create the database, or it reads one. */
    int (*make)(const struct arguments *args, const char *path);
    int (*run)(const struct arguments *args, struct store *store);
} actions[] = {
    { "do", "PLAN", 1, 1, ARGUMENT_ALL, runs_do, NULL },
    { "import", "[FILE]", 0, 1, 0, runs_import, NULL },
    { "list", "[EXPERIMENT]", 0, 1, ARGUMENT_JSON, NULL, runs_list },
    { "stat", "[EXPERIMENT]", 0, 1, ARGUMENT_JSON, NULL, runs_stat },
    { "show", "ID", 1, 1, ARGUMENT_JSON, NULL, runs_show },
    { "compare", "A B [EXPERIMENT]", 2, 3, ARGUMENT_JSON, NULL, runs_compare },
    { "export", "[EXPERIMENT]", 0, 1, ARGUMENT_FORM, NULL, runs_export },
    { "report", "OUT [EXPERIMENT]", 1, 2, 0, NULL, runs_report },
};

#define NR_ACTIONS (sizeof(actions) / sizeof(actions[0]))

static const struct action *find_action(const char *name)
{
    size_t i;

    for (i = 0; i < NR_ACTIONS; i++)
        if (!strcmp(actions[i].name, name))
            return &actions[i];

    return NULL;
}

static unsigned int options_of(const struct arguments *args)
{
    return (args->all ? ARGUMENT_ALL : 0) | (args->json ? ARGUMENT_JSON : 0) |
           (args->csv || args->markdown ? ARGUMENT_FORM : 0);
}

static int check_arguments(const struct action *action, const struct arguments *args)
{
    if (!action)
        return arguments_wrong(&command_runs, "runs: do, import, list, stat, "
                               "show, compare, export or report, not '%s'", args->action);
    if (args->nr_words < action->least || args->nr_words > action->most)
        return arguments_wrong(&command_runs, "runs: it is 'runs %s %s'",
                               action->name, action->takes);
    if (options_of(args) & ~action->options)
        return arguments_wrong(&command_runs, "runs: --all is for 'do', --csv "
                               "and --markdown are for 'export', --json is for "
                               "'list', 'stat', 'show' and 'compare'");
    if (args->csv && args->markdown)
        return arguments_wrong(&command_runs, "runs: either --csv or "
                               "--markdown");

    return EXIT_OK;
}

static int run_runs(const struct arguments *args)
{
    const char *path = args->database ? args->database : RUNS_DATABASE;
    const struct action *action = find_action(args->action);
    int code = check_arguments(action, args);
    struct xensched_error err;
    struct store store;

    if (code)
        return code;
    if (action->make)
        return action->make(args, path);
    if (store_open(&store, path, false, &err)) {
        complain("%s", err.text);
        return EXIT_FAILED;
    }
    code = action->run(args, &store);
    store_close(&store);

    return code;
}

const struct command command_runs = {
    .name = "runs",
    .summary = SUMMARY_RUNS,
    .help =
        "Execute each workload of an experiment file in each configuration, several\n"
        "times and in random order, and analyse the results.\n"
        "\n"
        "  do FILE                   execute the file, or continue it\n"
        "  import [FILE]             make an experiment of the blocks of a trial\n"
        "  list [EXPERIMENT]         experiments, or the runs of one\n"
        "  stat [EXPERIMENT]         medians, their intervals, what devalues them\n"
        "  show ID                   everything about one run\n"
        "  compare A B [EXPERIMENT]  is configuration B slower than A? Exit status 4\n"
        "                            if it is; 3/near is that of experiment 3\n"
        "  export [EXPERIMENT]       each figure of each run\n"
        "  report OUT [EXPERIMENT]   a page for a browser, with plots\n"
        "\n"
        "EXPERIMENT is a number; by default, the latest one. docs/measure/experiments.md\n"
        "describes the file and the database.",
    .takes = ARGUMENT_JSON | ARGUMENT_DATABASE | ARGUMENT_ALL | ARGUMENT_FORM |
             ARGUMENT_ACTION,
    .run = run_runs,
};
