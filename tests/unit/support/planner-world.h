/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * planner-world.h - placement on the host of fake-host.h, with synthetic rows; a test can have
 * plans carried out.
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
    /* Facts that the daemon would know. */
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

/* The pCPU of dom0 in run(): [tenth of a second % 2]. */
extern uint32_t dom0_on[2];

int setup(void **state);
int teardown(void **state);

uint16_t acct_of(uint32_t domid);

/* Adds @times events from one domain to another one, on pCPU @cpu or on 0. */
void happen_on(uint32_t cpu, unsigned int event, uint32_t from,
               uint32_t to, unsigned int times);
void happen(unsigned int event, uint32_t from, uint32_t to,
            unsigned int times);
void talk(uint32_t from, uint32_t to, unsigned int times);

/* Facts that the daemon would know about the host's domains. */
void annotate(struct domains *domains);

/* Makes a plan, which is carried out if @act. */
void plan(bool act);

/* Lets GUEST notify @to at a rate for some seconds, and makes a plan every second. */
void run(unsigned int seconds, uint32_t to, unsigned int per_second);

#define policy_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif /* TESTS_UNIT_PLANNER_WORLD_H */
