/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * area-world.h - a hypervisor in a few variables, behind libxenctrl: its area, and a lease that
 * follows the test's clock.
 */
#ifndef TESTS_UNIT_AREA_WORLD_H
#define TESTS_UNIT_AREA_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/area.h>

#define NR_CPUS 4U
#define NO_CPU  2U /* an id without a pCPU, at first */
#define BUILT   (1U << XEN_SCHEDLOG_EV_SERVICE_NS | \
                 1U << XEN_SCHEDLOG_EV_EVTCHN_SEND | \
                 1U << XEN_SCHEDLOG_EV_PMC0)

#define LEASE_MS 2000U
#define COOKIE   0x1234567890abcdefULL /* of the program under test */
#define OTHER    7ULL                  /* of another program */

extern const uint32_t our_sizes[2];
extern const struct xensched_geometry ours;

/* The hypervisor. */
struct area_xen {
    int no_privcmd;
    int error; /* result of each operation */
    uint32_t abi;
    uint32_t nr_acct, nr_files;
    uint32_t sizes[8];
    uint64_t need; /* required value of schedlog_max=; 0: the present one is enough */
    uint32_t events;
    uint32_t nr_cpus;
    bool all_cpus; /* NO_CPU has come online */
    unsigned int busy; /* number of operations that return EBUSY first */
    unsigned int mapped, handles, releases;
    uint16_t bound[8];
    bool marks[8];
    uint32_t nr_pmcs, pmcs; /* number of counters; the selected ones */
    uint32_t doorbell_virq;
    /* The lease, and its clock. */
    uint64_t now_ms, renewed_ms, counter, cookie;
    uint32_t lease_ms;
};

extern struct area_xen xen;

/* Pages by frame number: region << 16 | cpu << 8 | index. */
extern uint8_t *pages[4 << 16];

int setup(void **state);
int teardown(void **state); /* fails if something is still mapped or open */

/* Makes the area of the program under test, which holds the log. */
struct xensched_area *make(void);

/* Lets time pass, while the hypervisor checks the lease. */
void pass(unsigned int ms);

#define area_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif /* TESTS_UNIT_AREA_WORLD_H */
