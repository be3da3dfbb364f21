/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stands in for Xen's header in test-pmc: registers of the pCPU on which the test runs, and their
 * numbers according to the manuals.
 */
#define MSR_P6_PERFCTR(n) (0xc1U + (n))
#define MSR_P6_EVNTSEL(n) (0x186U + (n))
#define MSR_CORE_PERF_GLOBAL_CTRL 0x38fU
#define MSR_K7_EVNTSEL0 0xc0010000U
#define MSR_K7_PERFCTR0 0xc0010004U

uint64_t fake_rdmsr(unsigned int msr);
int rdmsr_safe_(unsigned int msr, uint64_t *value);
int wrmsr_safe(unsigned int msr, uint64_t value);
void wrmsrl(unsigned int msr, uint64_t value);
uint64_t fake_rdpmc(unsigned int nr);

#define rdmsrl(msr, value) ((value) = fake_rdmsr(msr))
#define rdmsr_safe(msr, value) rdmsr_safe_(msr, &(value))
#define rdpmc(nr, low, high) \
    ((low) = fake_rdpmc(nr), (high) = fake_rdpmc(nr) >> 32)
