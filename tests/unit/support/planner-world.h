/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * planner-world.h - placement on the host of fake-host.h, with
 * rows that a test makes up, and plans that it can have carried out.
 */
#ifndef TESTS_UNIT_PLANNER_WORLD_H
#define TESTS_UNIT_PLANNER_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "fake-host.h"

#include "policy-defaults.h"
#include "policy/planner.h"

#define SECOND 1000000000ULL

#define DOM0  0U
#define GUEST 1U
#define OTHER 2U

struct planner_world {
    struct fake_host host;
    struct topology topology;
    struct matrix *matrix;
    struct planner *planner;
    uint64_t now;
    /* What the daemon would know. */
    uint64_t since[FAKE_DOMAINS];
    bool ours[FAKE_DOMAINS];
    bool operators[FAKE_DOMAINS];
    /* The latest plan, by domid. */
    enum verb verb[FAKE_DOMAINS];
    char soft[FAKE_DOMAINS][CPUMAP_TEXT];
    char reason[FAKE_DOMAINS][REASON_TEXT];
    unsigned int moves[FAKE_DOMAINS];
};

extern struct planner_world t;

/* Where dom0 runs in run(): [tenth of a second % 2]. */
extern uint32_t dom0_on[2];

int setup(void **state);
int teardown(void **state);

uint16_t acct_of(uint32_t domid);

/* @times events of one domain towards another one, on pCPU @cpu or on 0. */
void happen_on(uint32_t cpu, unsigned int event, uint32_t from,
               uint32_t to, unsigned int times);
void happen(unsigned int event, uint32_t from, uint32_t to,
            unsigned int times);
void talk(uint32_t from, uint32_t to, unsigned int times);

/* What the daemon would know of the domains of the host. */
void annotate(struct domains *domains);

/* A plan, which is carried out if @act. */
void plan(bool act);

/* For a number of seconds GUEST notifies @to at a rate; plans every second. */
void run(unsigned int seconds, uint32_t to, unsigned int per_second);

#define policy_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif /* TESTS_UNIT_PLANNER_WORLD_H */
