/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random sampling: a scheduler that wants fewer rows, independent of any pattern, draws a new
 * threshold each time it reads the log.  The sum over all rows of the threshold in force estimates
 * the number of events.
 *
 * Usage: schedlog-sample ACCT EVENT MAX MS COMMAND [ARGUMENT...]
 *
 * While COMMAND runs, draws thresholds of 1 ... MAX for (ACCT, EVENT), a new one every MS
 * milliseconds.  The rest has to be set up: rows go to log buffer 0, and are only counted.  Prints:
 *
 *   rows ROWS estimate EVENTS thresholds N
 *
 * Exit code: that of COMMAND.
 */

#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log-memory.h"

#define MAX_CPUS 64

static const volatile struct xen_schedlog_state *states[MAX_CPUS];
static uint32_t nr_cpus;

/* Returns the number of rows of log buffer 0, ever. */
static uint64_t rows_written(void)
{
    uint64_t rows = 0;

    for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
        if (states[cpu] && states[cpu]->row_size)
            rows += states[cpu]->pos / states[cpu]->row_size;

    return rows;
}

static void map_states(void)
{
    nr_cpus = log_nr_cpus();
    if (nr_cpus > MAX_CPUS)
        errx(1, "more than %d pCPUs", MAX_CPUS);
    for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
        states[cpu] = log_map(XEN_SCHEDLOG_REGION_STATE, cpu, PROT_READ);
}

static pid_t start(char **command)
{
    pid_t child = fork();

    if (child < 0)
        err(1, "fork");
    if (!child) {
        execvp(command[0], command);
        err(127, "cannot run %s", command[0]);
    }

    return child;
}

static int sample(volatile uint64_t *route, uint32_t max, useconds_t interval,
                  char **command)
{
    uint64_t rows = rows_written(), first = rows, estimate = 0;
    pid_t child = start(command), ended;
    unsigned long thresholds = 0;
    int status;

    do {
        uint32_t threshold = 1 + random() % max;
        uint64_t before = rows;

        *route = XEN_SCHEDLOG_ROUTE_VALID | threshold;
        thresholds++;
        ended = waitpid(child, &status, WNOHANG);
        if (!ended)
            usleep(interval);
        rows = rows_written();
        estimate += (rows - before) * threshold;
    } while (!ended);

    printf("rows %llu estimate %llu thresholds %lu\n",
           (unsigned long long)(rows - first), (unsigned long long)estimate,
           thresholds);

    return ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
    if (argc < 6 || atoi(argv[3]) < 1 || atoi(argv[4]) < 1)
        errx(2, "usage: schedlog-sample ACCT EVENT MAX MS COMMAND...");

    log_open();
    map_states();

    return sample(&log_routes(atoi(argv[1]))[log_event(argv[2])],
                  atoi(argv[3]), atoi(argv[4]) * 1000, argv + 5);
}
