/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measures the daemon's model and policies on a large host: the CPU time that it
 * takes to add a second's rows to the matrix, and to make a plan.
 *
 * Rows are made before, so that only the daemon's own code is measured: the rows of
 * 100 ms, 16 MB, repeated.  bench-reader measures the copies out of the logs.  The
 * plans are not carried out, so each plan has all moves.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "load.h"
#include "model/matrix/matrix.h"
#include "policy/planner.h"
#include "policy-defaults.h"

#define SECONDS_OF_LOAD 20
#define NS_PER_S 1000000000ULL

/* The goals: of one core, and of memory. */
#define MAX_CORES 1.0
#define MAX_MIB 200.0
#define MAX_PLAN 0.05 /* s */

static const struct load_size size = {
    .guests = 1000,
    .drivers = 8,
    .cpus = 256,
    .cpus_per_node = 32,
    .rows_per_second = 10000000,
    .interval_ms = 100,
};

struct measured {
    double rows[SECONDS_OF_LOAD]; /* CPU seconds, for a second of rows */
    double plan[SECONDS_OF_LOAD]; /* CPU seconds of one plan */
    size_t cells, moves;
    double mib;                   /* of the matrix, the policy and a plan */
};

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);

    return now.tv_sec + now.tv_nsec / 1e9;
}

static double max_rss_mib(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);

    return usage.ru_maxrss / 1024.0;
}

static double take_in(struct matrix *m, const struct load *load,
                      uint64_t *now_ns)
{
    unsigned int intervals = 1000 / size.interval_ms, i;
    double begin = cpu_seconds();
    size_t batch;

    for (i = 0; i < intervals; i++) {
        *now_ns += size.interval_ms * 1000000ULL;
        for (batch = 0; batch < load->nr_batches; batch++)
            matrix_add_batch(m, &load->batches[batch], *now_ns);
    }

    return cpu_seconds() - begin;
}

static double make_plan(struct planner *planner, const struct policy_input *input,
                        struct measured *measured)
{
    double begin = cpu_seconds();
    struct plan plan;
    unsigned int i;

    plan_init(&plan, input->domains);
    plan_make(planner, input, &plan);
    measured->moves = 0;
    for (i = 0; i < plan.nr; i++)
        measured->moves += plan.decisions[i].verb == MOVE;
    plan_free(&plan);

    return cpu_seconds() - begin;
}

static struct planner *planner_of(const char *names)
{
    struct policies policies;

    policies_parse(&policies, names);

    return planner_new(&policies, &policy_defaults);
}

static void measure(const struct load *load, struct measured *measured)
{
    struct matrix *m = matrix_new(NS_PER_S);
    struct topology topology;
    struct domains domains = { 0 };
    struct policy_input input = {
        .matrix = m, .topology = &topology, .domains = &domains,
    };
    struct planner *planner = planner_of("placement");
    uint64_t now_ns = NS_PER_S;
    unsigned int i;

    load_topology(&size, &topology);
    load_domains(&size, &domains);
    load_moved(&size, &domains);
    for (i = 0; i < SECONDS_OF_LOAD; i++) {
        measured->rows[i] = take_in(m, load, &now_ns);
        input.now_ns = now_ns;
        measured->plan[i] = make_plan(planner, &input, measured);
    }
    measured->cells = matrix_size(m);
    planner_free(planner);
    matrix_free(m);
    domains_free(&domains);
    topology_free(&topology);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

struct summary {
    double min, median, max;
};

static struct summary summarise(double *values)
{
    qsort(values, SECONDS_OF_LOAD, sizeof(*values), ascending);

    return (struct summary){ values[0], values[SECONDS_OF_LOAD / 2],
                             values[SECONDS_OF_LOAD - 1] };
}

static void write_json(const char *path, const char *machine,
                       const struct measured *measured, struct summary rows,
                       struct summary plan)
{
    FILE *out = fopen(path, "w");

    if (!out) {
        perror(path);
        exit(1);
    }
    fprintf(out, "{\"machine\":\"%s\",\"command\":\"make bench-model\",\n"
            "\"guests\":%u,\"drivers\":%u,\"pcpus\":%u,"
            "\"rows_per_second\":%llu,\"pairs\":%zu,\n"
            "\"cores_for_rows\":{\"min\":%.4f,\"median\":%.4f,\"max\":%.4f},\n"
            "\"seconds_per_plan\":{\"min\":%.6f,\"median\":%.6f,"
            "\"max\":%.6f},\n\"mib\":%.1f}\n", machine, size.guests,
            size.drivers, size.cpus,
            (unsigned long long)size.rows_per_second, measured->cells,
            rows.min, rows.median, rows.max, plan.min, plan.median, plan.max,
            measured->mib);
    if (fclose(out)) {
        perror(path);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    static struct measured measured;
    struct summary rows, plan;
    struct load load;
    double before, cores;
    bool met;

    if (argc != 3) {
        fprintf(stderr, "usage: %s MACHINE FILE.json\n", argv[0]);
        return 2;
    }
    load_make(&load, &size);
    before = max_rss_mib();
    measure(&load, &measured);
    measured.mib = max_rss_mib() - before;
    rows = summarise(measured.rows);
    plan = summarise(measured.plan);
    cores = rows.median + plan.median;
    met = cores < MAX_CORES && measured.mib < MAX_MIB &&
          plan.median < MAX_PLAN;

    printf("%u guests, %u driver domains, %u pCPUs, %.1f million rows/s, "
           "%zu numbers in the matrix\n", size.guests, size.drivers, size.cpus,
           load.nr_rows * 1000.0 / size.interval_ms / 1e6, measured.cells);
    printf("%-28s %8s %8s %8s\n", "CPU time, % of a core", "min", "median",
           "max");
    printf("%-28s %8.2f %8.2f %8.2f\n", "rows into the matrix",
           100 * rows.min, 100 * rows.median, 100 * rows.max);
    printf("%-28s %8.2f %8.2f %8.2f\n", "one plan per second",
           100 * plan.min, 100 * plan.median, 100 * plan.max);
    printf("memory of model and policy: %.1f MiB\n", measured.mib);
    printf("moves in the last plan: %zu\n", measured.moves);
    printf("less than one core, %.0f MiB and %.0f ms: %s\n", MAX_MIB,
           1000 * MAX_PLAN, met ? "met" : "MISSED");
    write_json(argv[2], argv[1], &measured, rows, plan);
    load_free(&load);

    return !met;
}
