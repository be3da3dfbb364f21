/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares settings with the pCPUs, cpupools and domains of the host, and warns of those that do
 * not fit.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/llc.h"
#include "fits.h"
#include "base/alloc.h"

static void report_misfit(const struct fits *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void report_misfit(const struct fits *f, const char *format, ...)
{
    char text[400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    f->tell(f->arg, text);
}

/* On Arm, Xen numbers the boot pCPU first, and the others as the device tree lists them. */
static void check_llc(const struct fits *f)
{
#if !defined(__arm__) && !defined(__aarch64__)
    struct xensched_error odd;

    if (f->options->llc && llc_is_odd(f->topology, f->options->llc, &odd))
        report_misfit(f, "%s", odd.text);
#else
    (void)f;
#endif
}

static void check_pools(const struct fits *f)
{
    const char *pools = f->options->soft_pools;
    char *copy, *rest, *pool;

    if (!pools)
        return;
    rest = copy = need_string(pools);
    while ((pool = strsep(&rest, ",")))
        if (!host_xen_has_pool(f->host, pool))
            report_misfit(f, "soft_pools (--soft-pools) names the cpupool '%s', which "
                          "this host does not have; 'xl cpupool-list' prints those that "
                          "it has", pool);
    free(copy);
}

static void check_nodes(const struct fits *f, const struct rule *rule)
{
    const struct topology *t = f->topology;
    struct cpumap all, wrong;
    char has[80], names[80];
    unsigned int i;

    cpumap_init(&all, RULE_NODES);
    cpumap_init(&wrong, RULE_NODES);
    for (i = 0; i < t->nr_cpus; i++)
        if (t->cpus[i].online && t->cpus[i].node < RULE_NODES)
            cpumap_set(&all, t->cpus[i].node);
    for (i = 0; i < RULE_NODES; i++)
        if (rule->nodes >> i & 1 && !cpumap_test(&all, i))
            cpumap_set(&wrong, i);
    cpumap_format(&wrong, names, sizeof(names));
    cpumap_format(&all, has, sizeof(has));
    if (!cpumap_empty(&wrong))
        report_misfit(f, "the rule '%s' names node %s, and this host has pCPUs on node "
                      "%s only", rule->text, names, has);
    cpumap_free(&all);
    cpumap_free(&wrong);
}

static void check_rule(const struct fits *f, const struct rule *rule)
{
    unsigned int i = 0;

    check_nodes(f, rule);
    while (i < f->domains->nr && !rule_is_about(rule, &f->domains->domain[i]))
        i++;
    if (i == f->domains->nr)
        report_misfit(f, "the rule '%s' matches no domain that is there now",
                      rule->text);
}

void fits_check(const struct fits *f)
{
    const struct rules *rules = &f->options->core.policy_settings.rules;
    unsigned int i;

    check_llc(f);
    check_pools(f);
    for (i = 0; i < rules->nr; i++)
        check_rule(f, &rules->rule[i]);
}
