/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declares the performance counters that an architecture supplies to the log of
 * scheduling facts.
 *
 * The counters run freely on each pCPU and are never reset while a PMC event
 * is on.  Usage is the difference of two readings, so all accounting domains
 * share the counters.
 */
#ifndef XEN_SCHEDLOG_PMC_H
#define XEN_SCHEDLOG_PMC_H

#include <xen/errno.h>
#include <xen/types.h>

struct xen_sysctl_schedlog_pmc;

#ifdef CONFIG_ARM /* As without a PMU. */

static inline unsigned int schedlog_nr_pmcs(void) { return 0; }
static inline unsigned int schedlog_selected_pmcs(void) { return 0; }
static inline int schedlog_select_pmcs(const struct xen_sysctl_schedlog_pmc *op)
{
    return -ENODEV;
}
static inline void schedlog_release_pmcs(void) {}
static inline void schedlog_program_pmcs(void) {}
static inline uint64_t schedlog_read_pmc(unsigned int nr) { return 0; }
static inline uint64_t schedlog_pmc_mask(void) { return 0; }

#else /* !CONFIG_ARM */

/* Counters of the PMU, at most XEN_SCHEDLOG_MAX_PMCS.  0: there is no PMU. */
unsigned int schedlog_nr_pmcs(void);

/* Counters that are selected, which reserves them for the log. */
unsigned int schedlog_selected_pmcs(void);

/*
 * Program the counters of all pCPUs.  No PMC event may be on, and the caller
 * holds the CPU maps.  Returns 0, -ENODEV, -EBUSY or -EINVAL: see
 * public/sysctl.h.
 */
int schedlog_select_pmcs(const struct xen_sysctl_schedlog_pmc *op);

/* Free the counters for other users, under the same conditions. */
void schedlog_release_pmcs(void);

/* Program the counters of a pCPU that comes online; interrupts are disabled. */
void schedlog_program_pmcs(void);

/* Read this pCPU's counter, which wraps at the mask. */
uint64_t schedlog_read_pmc(unsigned int nr);
uint64_t schedlog_pmc_mask(void);

#endif /* CONFIG_ARM */

#endif /* XEN_SCHEDLOG_PMC_H */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
