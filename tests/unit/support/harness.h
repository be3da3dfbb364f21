/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * harness.h - a pCPU's log area in user space, written by the hypervisor's own record handler, and
 * random numbers that are the same in every run.
 *
 * All memory is allocated to the byte, so that the address sanitizer finds any access beyond it.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <stdint.h>

/* The time stamp counter; each reading advances it by one. */
extern uint64_t harness_tsc;
#define schedlog_tsc() (harness_tsc++)

#include "schedlog-record.h"

struct harness {
    uint32_t nr_acct;
    uint32_t nr_files;
    /* Shared with the reader, each in an allocation of its own. */
    uint32_t *lcr;                    /* [nr_files] */
    uint64_t *route;                  /* [nr_acct][NR_EVENTS] */
    struct xen_schedlog_state *state; /* [nr_files] */
    uint8_t **data;                   /* [nr_files] */
    uint32_t *size;                   /* [nr_files], bytes */
    struct schedlog_cpu *cpu;
};

/* Makes log buffers of @size bytes.  Nothing is routed, all registers are 0. */
struct harness *harness_new(uint32_t nr_acct, uint32_t nr_files,
                            uint32_t size);
void harness_free(struct harness *h);

/* Routes all events of all accounting domains to @file, with register @lcr. */
void harness_route_all(struct harness *h, uint32_t file, uint32_t lcr);

/* splitmix64; two seeds never give the same sequence. */
uint64_t harness_random(uint64_t *seed);

/* Returns a number below @limit, which is not 0. */
static inline uint64_t harness_random_below(uint64_t *seed, uint64_t limit)
{
    return harness_random(seed) % limit;
}

#endif /* HARNESS_H */
