/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * actuator-world.h - the actuator on a host that it shares with child processes; the test controls
 * its system calls, see step.h.
 */
#ifndef TESTS_UNIT_ACTUATOR_WORLD_H
#define TESTS_UNIT_ACTUATOR_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "fake-host.h"
#include "step.h"

#include "daemon/act/actuator.h"
#include "daemon/act/soft-weight.h"

#define GUEST 1U
#define OTHER 2U

/* The value of Xen's parameter that an operator has set. */
#define WEIGHT 25U

/* Files of the running test, because several tests may run at once. */
extern const char state_path[], journal_path[];

extern struct fake_host host;
extern struct journal journal;
extern struct actuator actuator;
extern struct soft_weight weight;

int setup(void **state);
int teardown(void **state);

/* A daemon starts, and ends without restoring anything. */
void start(void);
void stop(void);
/* Starts the next daemon, after the former one was killed. */
void restart(void);

/* A step before each change of an affinity; for host.before_set. */
void before_set(void);

/* Removes the state file. */
void remove_state(void);

struct fake_domain *domain(uint32_t domid);
bool has_hard(uint32_t domid, uint32_t hard);
bool journal_has(const char *words);

/* Calls of the actuator, with the host's present facts. */
int move(uint32_t domid, uint32_t soft);
int move_by(uint32_t domid, uint32_t soft, bool hard);
int pull(uint32_t domid, enum pull pull);
int give_back(uint32_t domid);
struct actuator_result restore_all(void);
enum claim claim(uint32_t domid);

#define actuator_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif /* TESTS_UNIT_ACTUATOR_WORLD_H */
