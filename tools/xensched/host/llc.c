/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the last-level cache of each pCPU. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "llc.h"

/* More than any host has. */
#define MAX_PCPUS 4096U

/* Removes the caches of the topology. */

static void forget_caches(struct topology *t)
{
    unsigned int i;

    for (i = 0; i < t->nr_cpus; i++)
        t->cpus[i].llc = TOPOLOGY_UNKNOWN;
    t->llc = LLC_NOT_SAID;
}

static bool share_one(const struct topology_cpu *a,
                      const struct topology_cpu *b)
{
    return a->online && b->online && a->socket == b->socket &&
           a->llc == b->llc;
}

/* Do several cores share one LLC? */
static bool is_shared(const struct topology *t)
{
    unsigned int i, k;

    for (i = 0; i < t->nr_cpus; i++)
        for (k = 0; k < i; k++)
            if (share_one(&t->cpus[i], &t->cpus[k]) &&
                t->cpus[i].core != t->cpus[k].core)
                return true;

    return false;
}

/* Gives caches small numbers in the order of the pCPUs, unique on the host. */
static void number_llcs(struct topology *t)
{
    unsigned int *numbers = need_memory(t->nr_cpus, sizeof(*numbers));
    unsigned int i, k, next = 0;

    for (i = 0; i < t->nr_cpus; i++) {
        numbers[i] = TOPOLOGY_UNKNOWN;
        if (!t->cpus[i].online || t->cpus[i].llc == TOPOLOGY_UNKNOWN)
            continue;
        for (k = 0; k < i && !share_one(&t->cpus[i], &t->cpus[k]); k++)
            ;
        numbers[i] = k < i ? numbers[k] : next++;
    }
    for (i = 0; i < t->nr_cpus; i++)
        t->cpus[i].llc = numbers[i];
    free(numbers);
}

bool llc_of_host(struct topology *t, const uint32_t *caches, unsigned int nr)
{
    unsigned int i;

    forget_caches(t);
    for (i = 0; i < t->nr_cpus; i++) {
        if (!t->cpus[i].online)
            continue;
        if (i >= nr || caches[i] == LLC_UNKNOWN) {
            forget_caches(t);
            return false;
        }
        t->cpus[i].llc = caches[i];
    }
    if (topology_llc_splits_core(t) || !is_shared(t)) {
        forget_caches(t);
        return false;
    }
    number_llcs(t);
    t->llc = LLC_OF_HOST;

    return true;
}

/* Caches that an operator has named. */

/* Parses the next item of @list, for @nr pCPUs; the caller frees it.  False: it is invalid. */
static bool next_item(const char **list, unsigned int nr, char **text,
                      struct cpumap *cpus)
{
    size_t length = strcspn(*list, "/");

    *text = need_memory(length + 1, 1);
    memcpy(*text, *list, length);
    *list += length;
    if (**list)
        (*list)++;
    cpumap_init(cpus, nr);

    return cpumap_parse(cpus, *text) && !cpumap_empty(cpus);
}

static void free_item(char *text, struct cpumap *cpus)
{
    free(text);
    cpumap_free(cpus);
}

/* Adds @cpus to @all.  False: a pCPU was there already. */
static bool add_each_once(struct cpumap *all, const struct cpumap *cpus)
{
    unsigned int cpu;
    bool once = true;

    for (cpu = 0; cpu < cpus->nr_cpus; cpu++)
        if (cpumap_test(cpus, cpu)) {
            once = once && !cpumap_test(all, cpu);
            cpumap_set(all, cpu);
        }

    return once;
}

bool llc_is_list(const char *text)
{
    struct cpumap all, cpus;
    bool good = *text && text[strlen(text) - 1] != '/';
    char *item;

    cpumap_init(&all, MAX_PCPUS);
    while (good && *text) {
        good = next_item(&text, MAX_PCPUS, &item, &cpus) &&
               add_each_once(&all, &cpus);
        free_item(item, &cpus);
    }
    cpumap_free(&all);

    return good;
}

/* Sets the LLC of @cpus, after checking that they belong to one socket. */
static int name_one(struct topology *t, const char *text,
                    const struct cpumap *cpus, unsigned int llc,
                    struct xensched_error *err)
{
    unsigned int cpu, socket = TOPOLOGY_UNKNOWN;

    for (cpu = 0; cpu < t->nr_cpus; cpu++) {
        struct topology_cpu *c = &t->cpus[cpu];

        if (!cpumap_test(cpus, cpu) || !c->online)
            continue;
        if (socket != TOPOLOGY_UNKNOWN && socket != c->socket)
            return xensched_fail(err, EINVAL, "the pCPUs '%.80s' of llc "
                                 "(--llc) cannot share a cache: they are on "
                                 "sockets %u and %u", text, socket,
                                 c->socket);
        socket = c->socket;
        c->llc = llc;
    }

    return 0;
}

static int name_all(struct topology *t, const char *text,
                    struct xensched_error *err)
{
    /* Smaller numbers are those of caches that the host reports. */
    unsigned int llc = t->nr_cpus;
    struct cpumap cpus;
    char *item;
    int rc = 0;

    while (!rc && *text) {
        if (next_item(&text, t->nr_cpus, &item, &cpus))
            rc = name_one(t, item, &cpus, llc++, err);
        else
            rc = xensched_fail(err, EINVAL, "'%.80s' of llc (--llc) are no "
                               "pCPUs of this host, which has 0-%u", item,
                               t->nr_cpus - 1);
        free_item(item, &cpus);
    }
    if (!rc && topology_llc_splits_core(t))
        rc = xensched_fail(err, EINVAL, "llc (--llc) names a thread of a core "
                           "and not all others of that core, which have the "
                           "same cache");

    return rc;
}

int llc_named(struct topology *t, const char *text,
              struct xensched_error *err)
{
    struct topology_cpu *former = need_memory(t->nr_cpus, sizeof(*former));
    int rc;

    memcpy(former, t->cpus, t->nr_cpus * sizeof(*former));
    rc = name_all(t, text, err);
    if (rc) {
        memcpy(t->cpus, former, t->nr_cpus * sizeof(*former));
    } else {
        number_llcs(t);
        t->llc = LLC_NAMED;
    }
    free(former);

    return rc;
}

/* Is there a pCPU between those of @cpus that is not in @cpus? */
static bool has_gap(const struct topology *t, const struct cpumap *cpus)
{
    unsigned int cpu, left = cpumap_count(cpus);
    bool begun = false;

    for (cpu = 0; cpu < t->nr_cpus && left; cpu++) {
        if (cpumap_test(cpus, cpu)) {
            begun = true;
            left--;
        } else if (begun && t->cpus[cpu].online) {
            return true;
        }
    }

    return false;
}

bool llc_is_odd(const struct topology *t, const char *text,
                struct xensched_error *odd)
{
    struct cpumap cpus;
    bool found = false;
    char *item;

    while (!found && *text) {
        found = next_item(&text, t->nr_cpus, &item, &cpus) &&
                has_gap(t, &cpus);
        if (found)
            xensched_fail(odd, EINVAL, "the pCPUs '%.80s' of llc (--llc) are "
                          "not one block, as those of a cache are by Xen's "
                          "numbers, which 'xl info -n' prints; lscpu has "
                          "Linux's", item);
        free_item(item, &cpus);
    }

    return found;
}
