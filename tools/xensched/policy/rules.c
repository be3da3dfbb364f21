/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses rules, and finds the one that matches a domain. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "rules.h"

#define MAX_WEIGHT 1000

static const char *const subjects[] = {
    [RULE_NAME] = "name=", [RULE_GROUP] = "group=", [RULE_POOL] = "pool=",
};

static const char *const weights[] = {
    [RULE_TALK] = "talk=", [RULE_MEMORY] = "memory=", [RULE_MOVING] = "moving=",
};

/* Removes spaces at both ends, in place. */
static char *trim_text(char *text)
{
    size_t length;

    text += strspn(text, " \t");
    for (length = strlen(text); length && strchr(" \t", text[length - 1]);)
        text[--length] = '\0';

    return text;
}

/* Returns which of @names *@text begins with, and skips that name; -1: none. */
static int begins_with(const char *const *names, unsigned int nr, char **text)
{
    unsigned int i;

    for (i = 0; i < nr; i++)
        if (!strncmp(*text, names[i], strlen(names[i]))) {
            *text += strlen(names[i]);
            return i;
        }

    return -1;
}

static bool parse_subject(struct rule *rule, char *text)
{
    int subject;

    if (snprintf(rule->text, sizeof(rule->text), "%s", text) >=
        (int)sizeof(rule->text))
        return false;
    subject = begins_with(subjects, RULE_POOL + 1, &text);
    if (subject < 0 || !*text)
        return false;
    rule->subject = subject;

    return snprintf(rule->pattern, sizeof(rule->pattern), "%s", text) <
           (int)sizeof(rule->pattern);
}

static bool parse_nodes(struct rule *rule, const char *text)
{
    struct cpumap nodes;
    unsigned int i;
    bool good;

    cpumap_init(&nodes, RULE_NODES);
    good = cpumap_parse(&nodes, text) && !cpumap_empty(&nodes);
    for (i = 0; good && i < RULE_NODES; i++)
        rule->nodes |= (uint64_t)cpumap_test(&nodes, i) << i;
    cpumap_free(&nodes);

    return good;
}

static bool parse_weight(double *weight, const char *text)
{
    char *end;

    if (!*text || text[strspn(text, "0123456789.")])
        return false;
    *weight = strtod(text, &end);

    return !*end && *weight <= MAX_WEIGHT;
}

static bool parse_what(struct rule *rule, char *text)
{
    int weight;

    if (!strcmp(text, "hold"))
        return rule->hold = true;
    if (!strncmp(text, "nodes=", 6))
        return parse_nodes(rule, text + 6);
    weight = begins_with(weights, NR_RULE_WEIGHTS, &text);

    return weight >= 0 && parse_weight(&rule->weight[weight], text);
}

/* A list of nodes has commas too: a number without '=' continues the list. */
static bool goes_on(const char *text)
{
    return *text && !text[strspn(text, "0123456789- \t")];
}

static bool parse_whats(struct rule *rule, char *rest)
{
    char all[RULE_TEXT], *part, *what = NULL;
    bool good = *rest;

    while (good && (part = strsep(&rest, ","))) {
        part = trim_text(part);
        if (what && !strncmp(what, "nodes=", 6) && goes_on(part)) {
            size_t length = strlen(all);

            good = snprintf(all + length, sizeof(all) - length, ",%s", part) <
                   (int)(sizeof(all) - length);
            continue;
        }
        good = !what || parse_what(rule, what);
        good = good && snprintf(all, sizeof(all), "%s", part) <
                       (int)sizeof(all);
        what = all;
    }

    return good && parse_what(rule, what);
}

static bool parse_rule(struct rule *rule, char *text)
{
    char *who = strsep(&text, ":");
    unsigned int i;

    memset(rule, 0, sizeof(*rule));
    for (i = 0; i < NR_RULE_WEIGHTS; i++)
        rule->weight[i] = 1;

    return text && parse_subject(rule, trim_text(who)) &&
           parse_whats(rule, trim_text(text));
}

bool rules_parse(struct rules *rules, const char *text)
{
    char *copy = need_string(text), *rest = copy, *one;
    bool good = true;

    rules->nr = 0;
    while (*text && good && (one = strsep(&rest, "/")))
        good = rules->nr < RULES_MAX &&
               parse_rule(&rules->rule[rules->nr++], one);
    free(copy);

    return good;
}

bool rule_is_about(const struct rule *rule, const struct domain *d)
{
    const char *text = rule->subject == RULE_NAME ? d->name
                     : rule->subject == RULE_GROUP ? d->group : d->pool_name;

    return *text && !fnmatch(rule->pattern, text, 0);
}

void rules_apply(const struct rules *rules, struct domains *domains)
{
    unsigned int i, k;

    for (i = 0; i < domains->nr; i++) {
        struct domain *d = &domains->domain[i];

        d->rule = NULL;
        for (k = 0; k < rules->nr && !d->rule; k++)
            if (rule_is_about(&rules->rule[k], d))
                d->rule = &rules->rule[k];
        if (d->rule && d->rule->hold)
            d->stays = true;
    }
}

void rule_restrict(const struct rule *rule, const struct topology *t,
                   struct cpumap *cpus)
{
    struct cpumap may;
    unsigned int cpu;

    if (!rule || !rule->nodes)
        return;
    cpumap_init(&may, cpus->nr_cpus);
    for (cpu = 0; cpu < t->nr_cpus; cpu++)
        if (t->cpus[cpu].node < RULE_NODES &&
            rule->nodes >> t->cpus[cpu].node & 1)
            cpumap_set(&may, cpu);
    cpumap_and(cpus, &may);
    cpumap_free(&may);
}

double rule_weight(const struct rule *rule, enum rule_weight weight)
{
    return rule ? rule->weight[weight] : 1;
}
