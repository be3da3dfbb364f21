/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses an experiment file, and draws the random order of its runs.  It reads only the file:
 * whether the host has what the file names is found out when it is executed.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "base/alloc.h"
#include "base/config.h"
#include "base/cpumap.h"
#include "cli/option.h"
#include "daemon/log/logs.h"
#include "experiment-file.h"

#define PAGE "/usr/share/doc/xensched/measure/experiments.md"

#define MAX_REPETITIONS 10000
#define MAX_NAME 40

/* More than any host has. */
#define MAX_CPUS 65536

/* The reader, with space for a message about a mistake. */
struct reader {
    struct runs_plan *plan;
    char wrong[200];
};

static const char *refuse_value(struct reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static const char *refuse_value(struct reader *r, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(r->wrong, sizeof(r->wrong), format, args);
    va_end(args);

    return r->wrong;
}

const struct plan_workload *plan_workload(const struct runs_plan *plan,
                                          const char *name)
{
    unsigned int i;

    for (i = 0; i < plan->nr_workloads; i++)
        if (!strcmp(plan->workload[i].name, name))
            return &plan->workload[i];

    return NULL;
}

const struct plan_configuration *plan_configuration(const struct runs_plan *plan,
                                                    const char *name)
{
    unsigned int i;

    for (i = 0; i < plan->nr_configurations; i++)
        if (!strcmp(plan->configuration[i].name, name))
            return &plan->configuration[i];

    return NULL;
}

int runs_plan_places(const struct runs_plan *plan)
{
    unsigned int i;

    for (i = 0; i < plan->nr_configurations; i++)
        if (plan->configuration[i].nr_places)
            return true;

    return false;
}

int runs_plan_records(const struct runs_plan *plan)
{
    unsigned int i;

    for (i = 0; i < plan->nr_configurations; i++)
        if (plan->configuration[i].log == PLAN_RECORD)
            return true;

    return false;
}

static struct plan_workload *need_workload(struct runs_plan *plan, const char *name)
{
    struct plan_workload *w = (void *)plan_workload(plan, name);

    if (w)
        return w;
    plan->workload = need_more_memory(plan->workload, plan->nr_workloads + 1,
                                      sizeof(*w));
    w = &plan->workload[plan->nr_workloads++];
    *w = (struct plan_workload){ .name = need_string(name) };

    return w;
}

static struct plan_configuration *need_configuration(struct runs_plan *plan,
                                                     const char *name)
{
    struct plan_configuration *c = (void *)plan_configuration(plan, name);

    if (c)
        return c;
    plan->configuration = need_more_memory(plan->configuration,
                                           plan->nr_configurations + 1,
                                           sizeof(*c));
    c = &plan->configuration[plan->nr_configurations++];
    *c = (struct plan_configuration){ .name = need_string(name) };

    return c;
}

/* Each function below returns what is wrong with a value, or NULL. */

static const char *take_command(struct reader *r, char **command,
                                const char *key, const char *value)
{
    if (!*value)
        return refuse_value(r, "'%s' is empty, and not a command", key);
    *command = need_string(value);

    return NULL;
}

static const char *take_count(struct reader *r, unsigned int *count,
                              unsigned int least, const char *key,
                              const char *value)
{
    uint64_t number;

    if (!option_number(value, least, MAX_REPETITIONS, &number))
        return refuse_value(r, "'%s' takes %u to %u, not '%s'", key, least,
                            MAX_REPETITIONS, value);
    *count = number;

    return NULL;
}

static const char *take_log(struct reader *r, struct plan_configuration *c,
                            const char *value)
{
    struct choice choice = { 0 };

    if (!strcmp(value, "dry"))
        c->log = PLAN_DRY;
    else if (!strcmp(value, "off"))
        c->log = PLAN_OFF;
    else
        c->log = PLAN_RECORD;
    if (c->log != PLAN_RECORD || !strcmp(value, "all"))
        return NULL;
    if (strchr(value, ':') || !strcmp(value, "none") ||
        !choice_parse(&choice, value))
        return refuse_value(r, "log is dry, off, all or names of events, not '%s'",
                            value);
    c->events = need_string(value);

    return NULL;
}

static bool is_cpu_list(const char *text)
{
    struct cpumap map;
    bool good;

    cpumap_init(&map, MAX_CPUS);
    good = cpumap_parse(&map, text) && !cpumap_empty(&map);
    cpumap_free(&map);

    return good;
}

/* Parses GUEST=CPUS.  A guest's name may have any character but this one. */
static const char *take_place(struct reader *r, struct plan_configuration *c,
                              const char *text, size_t length)
{
    char *guest = need_string(text), *cpus;
    unsigned int i;

    guest[length] = '\0';
    cpus = strrchr(guest, '=');
    if (cpus)
        *cpus++ = '\0';
    if (!cpus || !*guest || !is_cpu_list(cpus)) {
        refuse_value(r, "place takes GUEST=PCPUS, such as web1=0-3,8, not '%.*s'",
                     (int)length, text);
        free(guest);
        return r->wrong;
    }
    for (i = 0; i < c->nr_places; i++)
        if (!strcmp(c->place[i].guest, guest)) {
            refuse_value(r, "'%s' is placed twice", guest);
            free(guest);
            return r->wrong;
        }
    c->place = need_more_memory(c->place, c->nr_places + 1, sizeof(*c->place));
    c->place[c->nr_places++] = (struct plan_place){
        .guest = need_string(guest), .cpus = need_string(cpus),
    };
    free(guest);

    return NULL;
}

static const char *take_places(struct reader *r, struct plan_configuration *c,
                               const char *value)
{
    const char *bad = NULL;

    while (*value && !bad) {
        size_t length = strcspn(value, "\n");

        bad = take_place(r, c, value, length);
        value += length + (value[length] == '\n');
    }

    return bad;
}

static const char *take_of_workload(struct reader *r, const char *name,
                                    const char *what, const char *value)
{
    struct plan_workload *w = need_workload(r->plan, name);

    if (!strcmp(what, "run"))
        return take_command(r, &w->run, what, value);
    if (!strcmp(what, "prepare"))
        return take_command(r, &w->prepare, what, value);
    if (!strcmp(what, "cleanup"))
        return take_command(r, &w->cleanup, what, value);

    return refuse_value(r, "a workload has run, prepare and cleanup, not '%s'", what);
}

static const char *take_of_configuration(struct reader *r, const char *name,
                                         const char *what, const char *value)
{
    struct plan_configuration *c = need_configuration(r->plan, name);

    if (!strcmp(what, "prepare"))
        return take_command(r, &c->prepare, what, value);
    if (!strcmp(what, "cleanup"))
        return take_command(r, &c->cleanup, what, value);
    if (!strcmp(what, "log"))
        return take_log(r, c, value);
    if (!strcmp(what, "place"))
        return take_places(r, c, value);

    return refuse_value(r, "a configuration has log, place, prepare and cleanup, not "
                        "'%s'", what);
}

/* Parses KIND.NAME.WHAT. */
static const char *take_dotted(struct reader *r, const char *key,
                               const char *value)
{
    char kind[16], name[MAX_NAME + 1], what[16];
    int end = 0;

    if (sscanf(key, "%15[^.].%40[^.].%15[^.]%n", kind, name, what, &end) == 3 &&
        !key[end]) {
        if (!strcmp(kind, "workload"))
            return take_of_workload(r, name, what, value);
        if (!strcmp(kind, "configuration"))
            return take_of_configuration(r, name, what, value);
    }

    return refuse_value(r, "'%s' is not a key: there are repetitions, warmup, "
                        "workload.NAME.WHAT and configuration.NAME.WHAT", key);
}

static const char *accept_key(void *arg, const char *key, const char *value)
{
    struct reader *r = arg;

    if (!strcmp(key, "repetitions"))
        return take_count(r, &r->plan->repetitions, 1, key, value);
    if (!strcmp(key, "warmup"))
        return take_count(r, &r->plan->warmups, 0, key, value);

    return take_dotted(r, key, value);
}

/* The items of a list are lines of shell, places, or events. */
static char separator_of(const char *key)
{
    const char *what = strrchr(key, '.');

    return what && !strcmp(what, ".log") ? ',' : '\n';
}

/* A missing setting has no line. */
static int check_whole(const struct runs_plan *plan, const char *path,
                       struct xensched_error *err)
{
    unsigned int i;

    if (!plan->nr_workloads)
        return xensched_fail(err, EINVAL, "%s: there is no workload; it takes "
                             "a line such as workload.postmark.run = \"ssh "
                             "root@web1 postmark\"", path);
    if (!plan->nr_configurations)
        return xensched_fail(err, EINVAL, "%s: there is no configuration; it "
                             "takes a line such as configuration.near.place = "
                             "[ \"web1=0-3\" ]", path);
    if (!plan->repetitions)
        return xensched_fail(err, EINVAL, "%s: there is no repetitions = N",
                             path);
    for (i = 0; i < plan->nr_workloads; i++)
        if (!plan->workload[i].run)
            return xensched_fail(err, EINVAL, "%s: there is no workload.%s."
                                 "run", path, plan->workload[i].name);

    return 0;
}

/* The parser has checked the size before. */
static int read_text(struct runs_plan *plan, const char *path,
                     struct xensched_error *err)
{
    FILE *f = fopen(path, "re");
    size_t size = 0;
    ssize_t got;

    if (!f)
        return xensched_fail(err, errno, "cannot open the plan '%s': %s", path,
                             strerror(errno));
    got = getdelim(&plan->text, &size, '\0', f);
    fclose(f);

    return got >= 0 ? 0 : xensched_fail(err, EIO, "cannot read the plan '%s'",
                                        path);
}

int runs_plan_read(struct runs_plan *plan, const char *path, struct xensched_error *err)
{
    struct reader r = { .plan = plan };
    int rc;

    *plan = (struct runs_plan){ 0 };
    rc = config_read(path, PAGE, separator_of, accept_key, &r, err);
    if (!rc)
        rc = check_whole(plan, path, err);

    return rc ? rc : read_text(plan, path, err);
}

static void free_configuration(struct plan_configuration *c)
{
    unsigned int i;

    for (i = 0; i < c->nr_places; i++) {
        free(c->place[i].guest);
        free(c->place[i].cpus);
    }
    free(c->place);
    free(c->name);
    free(c->prepare);
    free(c->cleanup);
    free(c->events);
}

void runs_plan_free(struct runs_plan *plan)
{
    unsigned int i;

    for (i = 0; i < plan->nr_workloads; i++) {
        free(plan->workload[i].name);
        free(plan->workload[i].run);
        free(plan->workload[i].prepare);
        free(plan->workload[i].cleanup);
    }
    for (i = 0; i < plan->nr_configurations; i++)
        free_configuration(&plan->configuration[i]);
    free(plan->workload);
    free(plan->configuration);
    free(plan->text);
}

/* Order. */

static unsigned int block_length(const struct runs_plan *plan)
{
    return plan->nr_workloads * plan->nr_configurations;
}

unsigned int order_length(const struct runs_plan *plan)
{
    return block_length(plan) * (plan->repetitions + plan->warmups);
}

static void make_block(const struct runs_plan *plan, const gsl_rng *rng,
                       int repetition, struct order_item *items)
{
    unsigned int length = block_length(plan), i;

    for (i = 0; i < length; i++)
        items[i] = (struct order_item){
            .workload = i / plan->nr_configurations,
            .configuration = i % plan->nr_configurations,
            .repetition = repetition,
        };
    gsl_ran_shuffle(rng, items, length, sizeof(*items));
}

void order_make(const struct runs_plan *plan, unsigned long seed,
                struct order_item *items)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    int repetition;

    gsl_rng_set(rng, seed);
    for (repetition = 1 - (int)plan->warmups;
         repetition <= (int)plan->repetitions; repetition++) {
        make_block(plan, rng, repetition, items);
        items += block_length(plan);
    }
    gsl_rng_free(rng);
}
