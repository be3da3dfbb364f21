/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Performance counters for the log of scheduling facts: what an architecture
 * supplies.
 *
 * The counters run freely on each pCPU and are never reset while a PMC event
 * is on: who uses how much is told by differences, which is what lets all
 * accounting domains share them.
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

/* How many can be used, at most XEN_SCHEDLOG_MAX_PMCS.  0: there is no PMU. */
unsigned int schedlog_nr_pmcs(void);

/* How many have been selected: they are reserved for the log. */
unsigned int schedlog_selected_pmcs(void);

/*
 * Have all pCPUs count this.  No PMC event may be on, and pCPUs must neither
 * come nor go.  -ENODEV, -EBUSY, -EINVAL: see public/sysctl.h.
 */
int schedlog_select_pmcs(const struct xen_sysctl_schedlog_pmc *op);

/* They are free for others again, under the same conditions. */
void schedlog_release_pmcs(void);

/* On a pCPU which comes online, with interrupts disabled: count, too. */
void schedlog_program_pmcs(void);

/* This pCPU's counter, which wraps at the mask. */
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
