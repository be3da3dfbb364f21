/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contains common parts of actions of xensched runs: the chosen experiment, figures with units, and
 * caveats.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "base/text.h"
#include "cli/option.h"
#include "runs-actions.h"

int64_t runs_experiment(const struct store *store, const char *word)
{
    struct xensched_error err;
    uint64_t number = 0;
    int64_t experiment;

    if (word && !option_number(word, 1, INT32_MAX, &number)) {
        complain("'%s' is not the number of an experiment; 'xensched runs "
                 "list' prints them", word);
        return 0;
    }
    experiment = number;
    if (!store_choose(store, &experiment, &err))
        return experiment;
    complain("%s", err.text);

    return 0;
}

int runs_add_rows(struct json_object *o, const char *key, const struct store *store,
                  const char *sql, int64_t number, struct xensched_error *err)
{
    json_object *rows;
    int rc = store_json(store, sql, number, &rows, err);

    if (!rc)
        json_object_object_add(o, key, rows);

    return rc;
}

/* Returns the number of decimals with which four digits are shown. */
static int count_digits(double value)
{
    double size = fabs(value);

    if (size == 0 || size >= 1000)
        return 0;

    return size < 1e-6 ? 9 : 3 - (int)floor(log10(size));
}

const char *figure(double value, const char *unit)
{
    char *text = text_format("%.*f%s%s", count_digits(value), value,
                             *unit ? " " : "", unit);

    printable(text);

    return text;
}

const char *figure_percent(double part)
{
    return text_format("%.1f %%", 100 * part);
}

/* Caveats: each question yields lines of text, or none. */

/* Smaller changes of the clock do not affect CLOCK_MONOTONIC, which is used. */
static const char *const questions[] = {
    "SELECT printf('%d of %d runs are not done yet: xensched runs do continues with them', "
    "total(state IN ('planned', 'begun')), count(*)) FROM run WHERE experiment = ? HAVING "
    "total(state IN ('planned', 'begun'))",

    "SELECT printf('%s, %s: %d of %d runs failed and are left out (run %d: %s)',"
    " workload, configuration, total(state = 'failed'), count(*), "
    "min(iif(state = 'failed', id, NULL)), max(failure)) FROM run WHERE "
    "experiment = ? GROUP BY workload, configuration HAVING "
    "total(state = 'failed')",

    "SELECT printf('%s, %s: %d of %d runs lack the figure ''%s'', which others of "
    "this workload have (run %d)', workload, configuration, total(run IS NULL), "
    "count(*), name, min(iif(run IS NULL, id, NULL))) FROM (SELECT r.id, "
    "r.workload, r.configuration, n.name, v.run FROM run AS r JOIN "
    "(SELECT DISTINCT workload, name FROM run JOIN value ON run = id WHERE "
    "experiment = ?1 AND state = 'done') AS n ON n.workload = r.workload LEFT JOIN "
    "value AS v ON v.run = r.id AND v.name = n.name WHERE experiment = ?1 AND state "
    "= 'done' AND repetition > 0) GROUP BY workload, configuration, name HAVING "
    "total(run IS NULL)",

    "SELECT printf('%s, %s: %d of %d runs printed a figure that was refused (run "
    "%d: %s)', workload, configuration, count(failure), count(*), "
    "min(iif(failure IS NULL, NULL, id)), min(failure)) FROM run WHERE experiment "
    "= ? AND state = 'done' AND repetition > 0 GROUP BY workload, configuration "
    "HAVING count(failure)",

    "SELECT printf('%s, %s: rows were lost in %d of %d recordings (%.2f %% of all): their "
    "figures from the log are too low', workload, configuration, total(lost_rows > 0), "
    "count(rows), 100.0 * total(lost_rows) / (total(rows) + total(lost_rows))) FROM run WHERE "
    "experiment = ? AND state = 'done' GROUP BY workload, configuration HAVING "
    "total(lost_rows)",

    "SELECT printf('%s, %s: in %d of %d recordings a domain has a number in place "
    "of its name, under which it is counted: xenschedd did not answer in time', "
    "workload, configuration, count(DISTINCT domain.run), count(DISTINCT run.id))"
    " FROM run LEFT JOIN domain ON domain.run = run.id AND domain.name GLOB "
    "'accounting domain [0-9]*' WHERE experiment = ? AND state = 'done' AND rows "
    "GROUP BY workload, configuration HAVING count(domain.run)",

    "SELECT printf('run %d (%s, %s): the clock was set by %.3f s meanwhile', id,"
    " workload, configuration, clock_jump_ns / 1e9) FROM run WHERE experiment = "
    "? AND state = 'done' AND abs(clock_jump_ns) > 10000000",

    "SELECT printf('%s, %s: this system''s CPUs were kept from running (steal) in "
    "%d of %d runs, for up to %.1f %% of their time', workload, configuration, "
    "total(steal_ns > wall_ns / 100), count(*), max(100.0 * steal_ns / wall_ns))"
    " FROM run WHERE experiment = ? AND state = 'done' GROUP BY workload, "
    "configuration HAVING total(steal_ns > wall_ns / 100)",

    "SELECT printf('done on %d hosts that differ (another boot, kernel, Xen, "
    "domain or affinity): see table session', count(DISTINCT host)) FROM session"
    " WHERE id IN (SELECT session FROM run WHERE experiment = ? AND state = "
    "'done') HAVING count(DISTINCT host) > 1",
};

struct visit {
    void (*take)(void *arg, const char *text);
    void *arg;
};

static int collect_row(void *arg, unsigned int nr, const char *const *text)
{
    const struct visit *visit = arg;
    char line[600];

    (void)nr;
    snprintf(line, sizeof(line), "%s", text[0]);
    printable(line);
    visit->take(visit->arg, line);

    return 0;
}

/* Once for each metric. */
static void visit_units(const struct groups *groups, const struct visit *visit)
{
    size_t i, begin = 0;

    for (i = 1; i < groups->nr; i++) {
        const struct group *first = &groups->group[begin], *g = &groups->group[i];
        char line[600];

        if (!group_is_same_metric(first, g)) {
            begin = i;
            continue;
        }
        if (!strcmp(first->unit, g->unit) || strcmp(first->unit, g[-1].unit))
            continue;
        snprintf(line, sizeof(line), "%s, %s: the units '%s' and '%s' cannot be "
                 "converted: each is judged alone", g->workload, g->metric,
                 first->unit, g->unit);
        printable(line);
        visit->take(visit->arg, line);
    }
}

int caveats_visit(const struct store *store, int64_t experiment,
                  const struct groups *groups,
                  void (*take_one)(void *arg, const char *text), void *arg,
                  struct xensched_error *err)
{
    struct visit visit = { take_one, arg };
    unsigned int i;
    int rc = 0;

    for (i = 0; i < sizeof(questions) / sizeof(questions[0]) && !rc; i++)
        rc = store_rows(store, questions[i], experiment, collect_row, &visit, err);
    if (!rc)
        visit_units(groups, &visit);

    return rc;
}

static void print_caveat(void *arg, const char *text)
{
    (void)arg;
    printf("! %s\n", text);
}

int caveats_print(const struct store *store, int64_t experiment,
                  const struct groups *groups, struct xensched_error *err)
{
    return caveats_visit(store, experiment, groups, print_caveat, NULL, err);
}
