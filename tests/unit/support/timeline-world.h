/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timeline-world.h - a synthetic host that schedules at random, knows what each vCPU did, and
 * records the rows that Xen would log.
 *
 * vCPUs block, wake each other, are preempted and move.  Two vCPUs of a domain never follow each
 * other on a pCPU, because the log has no row of that.
 */
#ifndef TIMELINE_WORLD_H
#define TIMELINE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/recording.h>

#define WORLD_CPUS    3U
#define WORLD_DOMAINS 5U
#define WORLD_VCPUS   6U /* domain 0 has two */
#define WORLD_ACCT(d) ((d) + 2U)
#define WORLD_TSC_KHZ 2000000U

enum world_state { WORLD_RUNNING, WORLD_RUNNABLE, WORLD_BLOCKED, WORLD_STATES };

struct world_options {
    unsigned int seed, steps;
    bool small;     /* rows of 16 bytes, as xenschedd configures them */
    bool late;      /* some stamps are late */
    bool cut;       /* the recording ends while vCPUs run */
    bool culprits;  /* waits name the holder of the pCPU; each is for a notification */
    bool naps;      /* some vCPUs sleep for 3 us, and idle pCPUs have no rows */
    unsigned int lose; /* percentage of lost batches */
};

struct world_vcpu {
    enum world_state state;
    unsigned int domain;
    uint32_t cpu, last_cpu;  /* UINT32_MAX: none */
    uint64_t since;          /* begin of the present state */
    uint64_t woken;          /* time of the wake-up; 0: it was preempted */
    uint64_t ns[WORLD_STATES];
    uint64_t known[WORLD_STATES]; /* times up to the end of its last run */
    uint64_t runs;
};

struct world_numbers {
    uint64_t begin, end; /* ns */
    uint64_t wakes, lost_rows, rows;
    uint64_t wake_wait_ns; /* from notification to run, sum of all wake-ups that ran */
    struct world_vcpu vcpu[WORLD_VCPUS];
};

/* Records it in the file @path. */
void world_record(const char *path, const struct world_options *options,
                  struct world_numbers *numbers);

#endif /* TIMELINE_WORLD_H */
