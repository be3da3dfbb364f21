/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes accesses whose lines are in a known place, for the tests of the machine model, in a region
 * that this program marks itself.
 *
 *   chase ring REGION PCPU KIB LOADS     from line to line of KIB of memory, in
 *                                        no order, each load needs the one before;
 *                                        before it is marked, once through all
 *   chase cold REGION PCPU KIB           the same, once, with empty caches
 *   chase turns REGION PCPU PCPU TURNS   two processes each write a line in turn
 *   chase copy REGION PCPU KIB           copies KIB, with empty caches
 *
 * PCPU is a vCPU of this Linux, which has to be bound.  Prints the number of loads, turns or lines,
 * and their time in ns by the clock of this Linux.
 */
#include <err.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "line-ring.h"
#include "region.h"
#include "ticks.h"

#define WARM_UP 63 /* a region that no test reads */

static void run_on(const char *cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(strtoul(cpu, NULL, 10), &set);
    if (sched_setaffinity(0, sizeof(set), &set))
        err(1, "cannot run on CPU %s", cpu);
}

static void *memory(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (p == MAP_FAILED)
        err(1, "no memory");

    return p;
}

static struct timespec began;

/* Begins the region, after the clock has been read once: so it is in the caches. */
static void begin(unsigned int id)
{
    clock_gettime(CLOCK_MONOTONIC, &began);
    region(id);
    clock_gettime(CLOCK_MONOTONIC, &began);
}

static void end(size_t done)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    region(0);
    printf("%zu %lld\n", done, (now.tv_sec - began.tv_sec) * 1000000000LL +
           now.tv_nsec - began.tv_nsec);
}

static void ring(unsigned int id, size_t kib, size_t loads)
{
    size_t nr = kib * 1024 / LINE;
    void **p = line_ring_make(memory(kib * 1024), nr);

    region(WARM_UP);
    p = line_ring_follow(p, 2 * nr);
    begin(id);
    line_ring_follow(p, loads);
    end(loads);
}

static void cold(unsigned int id, size_t kib)
{
    size_t nr = kib * 1024 / LINE;
    void **p = line_ring_make(memory(kib * 1024), nr);

    begin(id);
    line_ring_follow(p, nr);
    end(nr);
}

/* Two lines: whose turn it is, and another one that is only written. */
struct shared {
    volatile unsigned long turn;
    char rest_of_the_line[LINE - sizeof(unsigned long)];
    volatile unsigned long other;
};

/* PAUSE lets QEMU run the next pCPU. */
static void take_turns(struct shared *shared, unsigned long first,
                       unsigned long turns)
{
    for (unsigned long i = first; i < turns; i += 2) {
        while (shared->turn != i)
            spin_hint();
        shared->other = i;
        shared->turn = i + 1;
    }
}

static void turns(unsigned int id, const char *one, const char *other,
                  unsigned long nr)
{
    struct shared *shared = memory(sizeof(*shared));
    unsigned long warm_up = 64;
    pid_t child = fork();

    if (child < 0)
        err(1, "cannot make a process");
    nr = (nr & ~1UL) + warm_up;
    if (!child) {
        run_on(other);
        take_turns(shared, 1, nr);
        _exit(0);
    }
    run_on(one);
    /* The first turns wait until the other process runs. */
    take_turns(shared, 0, warm_up);
    region(WARM_UP);
    while (shared->turn != warm_up)
        spin_hint();
    begin(id);
    take_turns(shared, warm_up, nr);
    end(nr - warm_up);
    waitpid(child, NULL, 0);
}

static void copy(unsigned int id, size_t kib)
{
    size_t nr = kib * 1024 / sizeof(uint64_t);
    uint64_t *from = memory(kib * 1024);
    volatile uint64_t *to = memory(kib * 1024);

    memset(from, 1, kib * 1024);
    begin(id);
    for (size_t i = 0; i < nr; i++)
        to[i] = from[i];
    end(kib * 1024 / LINE);
}

int main(int argc, char **argv)
{
    unsigned int id;

    if (argc < 5)
        errx(2, "usage: chase ring|cold|turns|copy REGION PCPU ...");
    id = region_id(argv[2]);
    run_on(argv[3]);
    if (!strcmp(argv[1], "ring") && argc == 6)
        ring(id, strtoul(argv[4], NULL, 10), strtoul(argv[5], NULL, 10));
    else if (!strcmp(argv[1], "cold") && argc == 5)
        cold(id, strtoul(argv[4], NULL, 10));
    else if (!strcmp(argv[1], "turns") && argc == 6)
        turns(id, argv[3], argv[4], strtoul(argv[5], NULL, 10));
    else if (!strcmp(argv[1], "copy") && argc == 5)
        copy(id, strtoul(argv[4], NULL, 10));
    else
        errx(2, "wrong use: see chase.c");

    return 0;
}
