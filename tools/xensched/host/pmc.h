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
    uint64_t select[PMC_MAX]; /* in the form of <xen/sysctl.h>, or PMC_MISSES */
};

/*
 * Parses "SELECT,...", one to four items, each "cache-misses" or an event select in hexadecimal
 * such as 0x300c0.  Returns false, with *pmc undefined, if it is invalid.
 */
bool pmc_parse(struct pmc *pmc, const char *text);

/* The events of @pmc: a mask of 1 << XEN_SCHEDLOG_EV_PMC0 and following. */
uint32_t pmc_events(const struct pmc *pmc);

/*
 * The event select, in the form of <xen/sysctl.h>, of "cache-misses" of perf(1); 0: unknown for
 * this processor.
 */
uint64_t pmc_misses(void);

/* The same for a vendor and a family of CPUID. */
uint64_t pmc_misses_of(const char *vendor, unsigned int family);

#endif /* XENSCHED_HOST_PMC_H */
