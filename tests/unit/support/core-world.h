/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * core-world.h - the daemon's core on a scripted host, with synthetic rows and the test's clock;
 * common parts of test-core and test-answer.
 */
#ifndef TESTS_UNIT_CORE_WORLD_H
#define TESTS_UNIT_CORE_WORLD_H

#include "fake-host.h"

#include "policy-defaults.h"
#include "daemon/core/core.h"

#define SECOND 1000000000ULL
#define LEASE  (10 * SECOND)

/* Files of the running test, because several tests may run at once. */
extern const char state_path[], journal_path[];

#define DISK  1U
#define SPIN  2U

/*
 * Accounting domains follow the order of domids: dom0 has 2, DISK 3 and SPIN 4.  A batch has 100
 * rows.
 */
#define SILENCE "pair=service-ns/4/1/1/100000"
#define TALK "pair=evtchn-send/3/2/1/1,pair=evtchn-send/2/3/1/1," SILENCE

extern struct fake_host host;
extern struct core core;
extern struct core_settings settings;
extern uint64_t now;

int setup(void **state);
int teardown(void **state);

/* Does the steps from core_start() to core_log(). */
void start(enum mode mode);

/* Reads a batch of 100 rows, a tenth of a second later. */
void hear(const char *pairs);

/* Reads ten batches a second, so 1,000 rows a second, and makes a plan every second. */
void run(unsigned int seconds, const char *pairs);

struct fake_domain *domain(uint32_t domid);

/* Returns the number of entries that have @words. */
unsigned int count_in_journal(const char *words);

#define core_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif /* TESTS_UNIT_CORE_WORLD_H */
