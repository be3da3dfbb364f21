/* SPDX-License-Identifier: GPL-2.0-only */
/* pmc.h - what the performance counters count: the events pmc0 to pmc3. */
#ifndef XENSCHED_HOST_PMC_H
#define XENSCHED_HOST_PMC_H

#include <stdbool.h>
#include <stdint.h>

#define PMC_MAX 4

/* Stands for the event select of this machine's cache misses. */
#define PMC_MISSES UINT64_C(0)

struct pmc {
    unsigned int nr; /* pmc0 to pmc(nr - 1) */
    uint64_t select[PMC_MAX]; /* as <xen/sysctl.h> has them, or PMC_MISSES */
};

/*
 * "SELECT,...", each "cache-misses" or an event select in hexadecimal such as
 * 0x300c0, one to four of them.  False: it isn't that, and *pmc is undefined.
 */
bool pmc_parse(struct pmc *pmc, const char *text);

/* The events of @pmc: mask of 1 << XEN_SCHEDLOG_EV_PMC0 and following. */
uint32_t pmc_events(const struct pmc *pmc);

/*
 * The event select, as <xen/sysctl.h> has it, of what Linux calls
 * "cache-misses" in perf(1); 0: it isn't known for this processor.
 */
uint64_t pmc_misses(void);

/* The same for a vendor and a family, as CPUID says them. */
uint64_t pmc_misses_of(const char *vendor, unsigned int family);

#endif /* XENSCHED_HOST_PMC_H */
