/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs placement on loads that have hurt other schedulers, on simulated hosts
 * (tests/unit/support/policy-world.h) on which each plan is carried out: five
 * seeds each.
 *
 * The program needs no host and measures none.  It counts moves, the shares of pCPUs that
 * guests receive, and the prices of their final places.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "policy-world.h"

#define SEEDS   5
#define AN_HOUR 3600
#define PLACE_0 0x0fULL
#define PLACE_1 0xf0ULL

/* The prices of a machine without measurements (placement/prices.c). */
#define LINES 66.0   /* of a notification */
#define FAR_LINE 87.0 /* ns more from the other node */
#define FAR_LOAD 60.0 /* ns more from the other node's memory */
#define MISSES 1e6   /* per second of running */

static uint64_t seed;

static unsigned int below(unsigned int n)
{
    return harness_random_below(&seed, n);
}

static double chance(void)
{
    return below(1000001) / 1e6;
}

static void begin_nodes(const char *policy)
{
    world_begin_nodes(policy, &policy_defaults, 2, 4);
    world.seed = seed;
}

static unsigned int guest_on(unsigned int cpu, double use)
{
    unsigned int domid = world_guest(1, use);

    world.domains[domid].cpu = cpu;

    return domid;
}

/* A constant load with noise of 30 %.  Returns the moves after the first minute. */
static double noise(const char *policy)
{
    unsigned int guests = 6 + below(8), i, k, moves;
    double result;

    begin_nodes(policy);
    world.noise = 0.3;
    world.domains[0].use = chance();
    for (i = 0; i < guests; i++)
        guest_on(below(8), 0.1 + 0.4 * chance());
    for (i = 1; i < world.nr; i++)
        for (k = 0; k < 3; k++)
            world_talk(i, below(world.nr), 50U << below(7));
    for (i = 0; i < world.nr; i++)
        world.domains[i].talk[i] = 0;
    world_run(60);
    moves = world_moves();
    world_run(AN_HOUR - 60);
    result = world_moves() - moves;
    world_end();

    return result;
}

/* A guest's partner changes its node every 5 s.  Returns the most moves in a minute. */
static double partner_that_moves(const char *policy, double *in_all)
{
    unsigned int at[AN_HOUR], second, i, most = 0, guest, partner;

    begin_nodes(policy);
    world.real = true;
    world.noise = 0.1;
    guest = guest_on(below(8), 0.2 + 0.4 * chance());
    partner = guest_on(5, 0.5);
    world.domains[partner].operators = true;
    world.domains[partner].driver = true;
    world_talk(guest, partner, 500 + below(4000));
    for (second = 0; second < AN_HOUR; second++) {
        struct world_domain *p = &world.domains[partner];
        unsigned int before = world.domains[guest].moves;

        p->hard = second / 5 % 2 ? PLACE_0 : PLACE_1;
        p->cpu = second / 5 % 2 ? 1 : 5;
        world_run(1);
        at[second] = world.domains[guest].moves - before;
    }
    for (second = 0; second + 60 <= AN_HOUR; second++) {
        unsigned int moves = 0;

        for (i = 0; i < 60; i++)
            moves += at[second + i];
        most = moves > most ? moves : most;
    }
    *in_all = world.domains[guest].moves;
    world_end();

    return most;
}

static double least_share(void)
{
    double least = 1, cores = world.topology.nr_cpus / 4;
    unsigned int i;

    for (i = 0; i < world.topology.nr_places; i++)
        if (world_units(i) > cores && cores / world_units(i) < least)
            least = cores / world_units(i);

    return least;
}

/* Three runnable vCPUs for each core; half of them communicate with dom0. */
static double overcommit(const char *policy)
{
    unsigned int i;
    double before, after;

    world_begin(policy, &policy_defaults, 2, 4, 2);
    world.seed = seed;
    world.noise = 0.1;
    world.domains[0].use = 0;
    for (i = 0; i < 24; i++) {
        guest_on(i % 2 * 8 + below(8), 1.0);
        if (below(2))
            world_talk(i + 1, 0, 200 + below(4000));
    }
    before = least_share();
    world_warm_up();
    world_run(300);
    after = least_share();
    world_end();

    return after / before;
}

/* ns/s, if the domain is at this node. */
static double price_at(unsigned int node, const struct world_domain *d,
                       double rate)
{
    double away = node ? 100 - d->on_1 : d->on_1;

    return (node ? rate * LINES * FAR_LINE : 0) +
           d->use * MISSES * away / 100 * FAR_LOAD;
}

/* A guest with memory on node 1 and dom0 on node 0.  Returns ms/s above the best. */
static double memory_elsewhere(const char *policy)
{
    double rate = 500 + below(20000), at_0, at_1, result;
    struct world_domain *d;
    unsigned int domid, cpu;

    begin_nodes(policy);
    domid = guest_on(4, 0.5 + chance() / 2);
    d = &world.domains[domid];
    d->soft = PLACE_1;
    d->memory = 1000;
    d->on_1 = 50 + below(51);
    world_talk(domid, 0, rate);
    world_warm_up();
    world_run(120);
    cpu = d->cpu;
    at_0 = price_at(0, d, rate);
    at_1 = price_at(1, d, rate);
    result = (cpu < 4 ? at_0 : at_1) - (at_0 < at_1 ? at_0 : at_1);
    world_end();

    return result / 1e6;
}

/*
 * µs of a read of 4 KiB on xeon2: on dom0's pCPU, with its last-level cache, on the other socket
 * (docs/develop/results.md); and as many notifications as move the lines of a read.
 */
static const double alone[] = { 21.8, 31.8, 55.5 }, four[] = { 82.8, 60.7, 99.6 };
#define OF_A_READ (260 / LINES)

/*
 * @readers guests read one block at a time from dom0's disk; dom0's vCPU, which needs @dom0 of
 * it, is bound to pCPU 0.  Returns the mean of the µs that a read takes more than at the best
 * location.
 */
static double beside_dom0(const char *policy, unsigned int readers, double dom0, double reads,
                          const double *us)
{
    double best = us[0] < us[1] ? us[0] : us[1], sum = 0;
    unsigned int i;

    begin_nodes(policy);
    world.domains[0].nr_vcpus = 1;
    world.domains[0].hard = 1;
    world.domains[0].use = dom0;
    for (i = 1; i <= readers; i++) {
        guest_on(4 + below(4), 0.25 + 0.15 * chance());
        world_talk(i, 0, reads * OF_A_READ / readers);
    }
    world_warm_up();
    world_run(300);
    for (i = 1; i <= readers; i++) {
        unsigned int cpu = world.domains[i].cpu;
        bool shares = world.domains[i].soft == 1;

        sum += us[shares ? 0 : cpu < 4 ? 1 : 2] - best;
    }
    world_end();

    return sum / readers;
}

static double one_reader(const char *policy)
{
    return beside_dom0(policy, 1, 0.35 + 0.1 * chance(), 29000 + below(3000), alone);
}

static double four_readers(const char *policy)
{
    return beside_dom0(policy, 4, 0.85 + 0.15 * chance(), 64000 + below(6000), four);
}

/* The table. */

static double total; /* a second figure of the case */

static double partner_case(const char *policy)
{
    return partner_that_moves(policy, &total);
}

static const struct one_case {
    const char *name, *what, *goal;
    double (*run)(const char *policy);
    double bound; /* the goal: a maximum; if negative, a minimum */
    const char *second;
} cases[] = {
    { "noise", "an hour of the same load, 30 % of noise: moves after the first "
      "minute", "0", noise, 0, NULL },
    { "partner", "a partner that moves every 5 s, an hour: most moves in a minute",
      "1", partner_case, 1, "moves in all" },
    { "overcommit", "3 vCPUs per core, SMT: what the least guest gets, of before",
      "0.98", overcommit, -0.98, NULL },
    { "memory", "memory on the other node: ms/s more than at the better node",
      "5", memory_elsewhere, 5, NULL },
    { "turns", "a guest and dom0 take turns: us per read more than at the best "
      "location, dom0's pCPU", "0", one_reader, 0, NULL },
    { "crowd", "four guests keep dom0 busy: us per read more than at the best "
      "location, other pCPUs", "0", four_readers, 0, NULL },
};

#define NR_CASES (sizeof(cases) / sizeof(cases[0]))

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void write_figures(FILE *out, const char *name, double *values)
{
    unsigned int i;

    fprintf(out, ", \"%s\": {\"each\": [", name);
    for (i = 0; i < SEEDS; i++)
        fprintf(out, "%s%.4g", i ? ", " : "", values[i]);
    qsort(values, SEEDS, sizeof(*values), ascending);
    fprintf(out, "], \"median\": %.4g, \"min\": %.4g, \"max\": %.4g}",
            values[SEEDS / 2], values[0], values[SEEDS - 1]);
}

static bool meets(const struct one_case *c, const double *sorted)
{
    return c->bound < 0 ? sorted[0] >= -c->bound
                        : sorted[SEEDS - 1] <= c->bound;
}

/* Returns whether @policy meets its goal with each seed. */
static bool run_case(FILE *out, const struct one_case *c, const char *policy)
{
    double values[SEEDS], second[SEEDS];
    unsigned int i;

    for (i = 0; i < SEEDS; i++) {
        seed = 100 * (i + 1);
        values[i] = c->run(policy);
        second[i] = total;
    }
    fprintf(out, "{\"case\": \"%s\", \"policies\": \"%s\"", c->name, policy);
    write_figures(out, "figure", values);
    if (c->second)
        write_figures(out, "moves", second);
    fprintf(out, ", \"met\": %s}", meets(c, values) ? "true" : "false");
    printf("%-11s %-36s %8.3g (%.3g to %.3g)%s\n", c->name, policy,
           values[SEEDS / 2], values[0], values[SEEDS - 1],
           meets(c, values) ? "" : "  MISSED");

    return meets(c, values);
}

int main(int argc, char **argv)
{
    bool met = true;
    size_t i;
    FILE *out;

    if (argc != 2) {
        fprintf(stderr, "usage: %s FILE.json\n", argv[0]);
        return 2;
    }
    out = fopen(argv[1], "w");
    if (!out) {
        perror(argv[1]);
        return 1;
    }
    fprintf(out, "[\n");
    for (i = 0; i < NR_CASES; i++) {
        printf("# %s (goal: %s)\n", cases[i].what, cases[i].goal);
        if (!run_case(out, &cases[i], "placement"))
            met = false;
        fprintf(out, i + 1 < NR_CASES ? ",\n" : "\n]\n");
    }
    if (fclose(out)) {
        perror(argv[1]);
        return 1;
    }
    printf("placement: all goals with each seed: %s\n", met ? "met" : "MISSED");

    return !met;
}
