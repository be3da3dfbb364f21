/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * caveats.c - see caveats.h.  Each question gives lines of text, or none if all
 * is well.
 */
#include <stdio.h>

#include "caveats.h"
#include "command/text/printable.h"

/* A clock that was set by less says nothing of CLOCK_MONOTONIC, the one used. */
static const char *const questions[] = {
    "SELECT printf('%d of %d runs are not done yet: xensched runs do goes on "
    "with them', total(state IN ('planned', 'begun')), count(*)) FROM run WHERE "
    "experiment = ? HAVING total(state IN ('planned', 'begun'))",

    "SELECT printf('%s, %s: %d of %d runs failed and are left out (run %d: %s)',"
    " workload, configuration, total(state = 'failed'), count(*), "
    "min(iif(state = 'failed', id, NULL)), max(failure)) FROM run WHERE "
    "experiment = ? GROUP BY workload, configuration HAVING "
    "total(state = 'failed')",

    "SELECT printf('%s, %s: rows were lost in %d of %d recordings (%.2f %% of "
    "all): what the log says of them is too little', workload, configuration, "
    "total(lost_rows > 0), count(rows), 100.0 * total(lost_rows) / "
    "(total(rows) + total(lost_rows))) FROM run WHERE experiment = ? AND state ="
    " 'done' GROUP BY workload, configuration HAVING total(lost_rows)",

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

static int take(void *arg, unsigned int nr, const char *const *text)
{
    const struct visit *visit = arg;
    char line[600];

    (void)nr;
    snprintf(line, sizeof(line), "%s", text[0]);
    printable(line);
    visit->take(visit->arg, line);

    return 0;
}

int caveats_visit(const struct store *store, int64_t experiment,
                  void (*take_one)(void *arg, const char *text), void *arg,
                  struct xensched_error *err)
{
    struct visit visit = { take_one, arg };
    unsigned int i;
    int rc = 0;

    for (i = 0; i < sizeof(questions) / sizeof(questions[0]) && !rc; i++)
        rc = store_rows(store, questions[i], experiment, take, &visit, err);

    return rc;
}

static void print(void *arg, const char *text)
{
    (void)arg;
    printf("! %s\n", text);
}

int caveats_print(const struct store *store, int64_t experiment,
                  struct xensched_error *err)
{
    return caveats_visit(store, experiment, print, NULL, err);
}
