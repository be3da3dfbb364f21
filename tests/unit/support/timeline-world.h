/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timeline-world.h - a made-up host which schedules at random, knows what each
 * vCPU did, and records the rows that Xen would have logged of it.
 *
 * vCPUs block, wake each other, are preempted and move.  Two vCPUs of a domain
 * never follow each other on a pCPU: of that the log has no row.
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
    bool small;     /* rows of 16 bytes, as xenschedd has them */
    bool late;      /* stamps are taken late, now and then */
    bool cut;       /* the recording ends while vCPUs run */
    bool culprits;  /* waits name the holder of the pCPU; each is for a notification */
    bool naps;      /* some sleep for 3 us; and idle pCPUs have no rows */
    unsigned int lose; /* lost batches in 100 */
};

struct world_vcpu {
    enum world_state state;
    unsigned int domain;
    uint32_t cpu, last_cpu;  /* UINT32_MAX: none */
    uint64_t since;          /* in this state */
    uint64_t woken;          /* 0: was preempted */
    uint64_t ns[WORLD_STATES];
    uint64_t known[WORLD_STATES]; /* as of the end of its last run */
    uint64_t runs;
};

struct world_numbers {
    uint64_t begin, end; /* ns */
    uint64_t wakes, lost_rows, rows;
    uint64_t wake_wait_ns; /* from notification to run, of all wakes that ran */
    struct world_vcpu vcpu[WORLD_VCPUS];
};

/* Record it as @path. */
void world_record(const char *path, const struct world_options *options,
                  struct world_numbers *numbers);

#endif /* TIMELINE_WORLD_H */
