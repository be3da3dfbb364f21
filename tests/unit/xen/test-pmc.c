/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks performance counters: which machines have them, when they are refused, and what is written
 * to which register in which order.
 *
 * The test compiles the hypervisor's own schedlog-pmc.c, on pCPUs whose registers are arrays that
 * record each write.  The machine that the host tests run on has no PMU.
 */
#include <stdint.h>
#include <string.h>

#include "cmocka-tap.h"

#define CONFIG_SCHEDLOG
#include "arch/x86/schedlog-pmc.c"

#define NR_CPUS 3
#define NR_MSRS 64
#define NR_WRITES 512

#define COUNTER(n) (0xc1U + (n))
#define SELECT(n) (0x186U + (n))
#define GLOBAL 0x38fU
#define AMD_SELECT(n) (0xc0010000U + (n))
#define AMD_COUNTER(n) (0xc0010004U + (n))

#define ENABLE (1ULL << 22)
#define USR_OS (3ULL << 16)
#define CYCLES (0x003cU | USR_OS)
#define MISSES (0x412eU | USR_OS)

struct msr {
    unsigned int nr;
    uint64_t value;
};

struct cpu {
    struct msr msr[NR_MSRS];
    struct msr writes[NR_WRITES];
    unsigned int nr_msrs, nr_writes, nr_seen;
};

static struct {
    struct cpu cpu[NR_CPUS];
    unsigned int on;     /* pCPU on which the code runs */
    unsigned int online; /* number of pCPUs */
    unsigned int leaf_a; /* EAX of CPUID leaf 0xa */
    bool ignores;        /* writes to counters have no effect */
    bool faults;         /* any access faults */
    bool vpmu, barred;   /* guests use the PMU; guests are barred from it */
    bool guests_ask;     /* guests request the PMU at the worst moment */
} machine;

struct cpuinfo_x86 boot_cpu_data;
unsigned int nmi_watchdog;

bool vpmu_bar(bool bar)
{
    if (bar && machine.vpmu)
        return false;
    machine.barred = bar;

    return true;
}

static struct msr *find_msr(unsigned int nr)
{
    struct cpu *cpu = &machine.cpu[machine.on];
    unsigned int i;

    for (i = 0; i < cpu->nr_msrs; i++)
        if (cpu->msr[i].nr == nr)
            return &cpu->msr[i];
    assert_true(cpu->nr_msrs < NR_MSRS);
    cpu->msr[cpu->nr_msrs].nr = nr;

    return &cpu->msr[cpu->nr_msrs++];
}

uint64_t fake_rdmsr(unsigned int msr)
{
    assert_false(machine.faults);
    return find_msr(msr)->value;
}

int rdmsr_safe_(unsigned int msr, uint64_t *value)
{
    *value = machine.faults ? 0 : find_msr(msr)->value;
    return machine.faults ? -EFAULT : 0;
}

void wrmsrl(unsigned int msr, uint64_t value)
{
    struct cpu *cpu = &machine.cpu[machine.on];

    assert_false(machine.faults);
    assert_true(cpu->nr_writes < NR_WRITES);
    cpu->writes[cpu->nr_writes++] = (struct msr){ msr, value };
    if (!machine.ignores)
        find_msr(msr)->value = value;
}

int wrmsr_safe(unsigned int msr, uint64_t value)
{
    if (machine.faults)
        return -EFAULT;
    wrmsrl(msr, value);

    return 0;
}

/* Bits above the counter's width are not zero on every machine. */
uint64_t fake_rdpmc(unsigned int nr)
{
    unsigned int counters = boot_cpu_data.x86_vendor == X86_VENDOR_INTEL
                            ? COUNTER(0) : AMD_COUNTER(0);

    return find_msr(counters + nr)->value | 0xf000000000000000ULL;
}

unsigned int cpuid_eax(unsigned int leaf)
{
    assert_int_equal(leaf, 0xa);
    return machine.leaf_a;
}

void on_each_cpu(void (*fn)(void *data), void *data, int wait)
{
    assert_int_equal(wait, 1);
    if (machine.guests_ask && !machine.barred)
        machine.vpmu = true;
    for (machine.on = 0; machine.on < machine.online; machine.on++)
        fn(data);
    machine.on = 0;
}

static void start(unsigned char vendor, int cpuid_level, unsigned int leaf_a)
{
    boot_cpu_data.x86_vendor = vendor;
    boot_cpu_data.cpuid_level = cpuid_level;
    machine.leaf_a = leaf_a;
    assert_int_equal(fake_start(), 0);
    memset(machine.cpu, 0, sizeof(machine.cpu));
}

/* Returns EAX of CPUID leaf 0xa. */
static unsigned int intel(unsigned int version, unsigned int nr,
                          unsigned int width)
{
    return version | nr << 8 | width << 16;
}

static void start_intel(unsigned int version, unsigned int nr)
{
    start(X86_VENDOR_INTEL, 0xd, intel(version, nr, 48));
}

static int set_up(void **state)
{
    (void)state;
    memset(&machine, 0, sizeof(machine));
    machine.online = 2;
    memset(&pmu, 0, sizeof(pmu));
    memset(selects, 0, sizeof(selects));
    selected = 0;
    nmi_watchdog = NMI_NONE;

    return 0;
}

static int select_pmcs(unsigned int nr, uint64_t one, uint64_t two)
{
    struct xen_sysctl_schedlog_pmc op = { .nr = nr, .select = { one, two } };

    return schedlog_select_pmcs(&op);
}

static void assert_write(unsigned int cpu, unsigned int msr, uint64_t value)
{
    struct cpu *c = &machine.cpu[cpu];

    assert_true(c->nr_seen < c->nr_writes);
    assert_int_equal(c->writes[c->nr_seen].nr, msr);
    assert_int_equal(c->writes[c->nr_seen].value, value);
    c->nr_seen++;
}

static void assert_no_write(unsigned int cpu)
{
    assert_int_equal(machine.cpu[cpu].nr_seen, machine.cpu[cpu].nr_writes);
}

/* Checks that the call was refused, and no register was touched. */
static void assert_refused(int result, int code)
{
    unsigned int cpu;

    assert_int_equal(result, code);
    for (cpu = 0; cpu < NR_CPUS; cpu++)
        assert_no_write(cpu);
}

static void intel_says_how_many_it_has(void **state)
{
    (void)state;
    start_intel(1, 2);
    assert_int_equal(schedlog_nr_pmcs(), 2);
    start(X86_VENDOR_INTEL, 0xa, intel(2, 4, 40));
    assert_int_equal(schedlog_nr_pmcs(), 4);
    assert_true(schedlog_pmc_mask() == (1ULL << 40) - 1);
    start_intel(5, 8); /* no more than there are events for */
    assert_int_equal(schedlog_nr_pmcs(), XEN_SCHEDLOG_MAX_PMCS);
    assert_true(schedlog_pmc_mask() == (1ULL << 48) - 1);
}

static void amd_and_hygon_have_four(void **state)
{
    (void)state;
    start(X86_VENDOR_AMD, 0xd, 0);
    assert_int_equal(schedlog_nr_pmcs(), 4);
    assert_true(schedlog_pmc_mask() == (1ULL << 48) - 1);
    set_up(NULL);
    start(X86_VENDOR_HYGON, 0xd, 0);
    assert_int_equal(schedlog_nr_pmcs(), 4);
}

static void assert_no_pmu(void)
{
    assert_int_equal(schedlog_nr_pmcs(), 0);
    assert_refused(select_pmcs(1, CYCLES, 0), -ENODEV);
    assert_refused(select_pmcs(0, 0, 0), -ENODEV);
    set_up(NULL);
}

static void no_pmu(void **state)
{
    (void)state;
    start(X86_VENDOR_UNKNOWN, 0xd, intel(4, 4, 48));
    assert_no_pmu();
    start(X86_VENDOR_INTEL, 0x9, intel(4, 4, 48)); /* has no such leaf */
    assert_no_pmu();
    start_intel(0, 4);
    assert_no_pmu();
    start_intel(2, 0);
    assert_no_pmu();
    start(X86_VENDOR_INTEL, 0xd, intel(2, 4, 0)); /* no width known */
    assert_no_pmu();
    start(X86_VENDOR_INTEL, 0xd, intel(2, 4, 64));
    assert_no_pmu();
}

static void a_hypervisor_below_which_ignores_writes(void **state)
{
    (void)state;
    machine.ignores = true;
    start_intel(2, 4);
    assert_no_pmu();
    machine.ignores = true;
    start(X86_VENDOR_AMD, 0xd, 0);
    assert_no_pmu();
}

static void a_hypervisor_below_which_faults(void **state)
{
    (void)state;
    machine.faults = true;
    start_intel(2, 4);
    assert_no_pmu();
    machine.faults = true;
    start(X86_VENDOR_AMD, 0xd, 0);
    assert_no_pmu();
}

static void finding_out_leaves_the_counter_as_it_was(void **state)
{
    (void)state;
    find_msr(COUNTER(0))->value = 0xffffffff8765;
    boot_cpu_data.x86_vendor = X86_VENDOR_INTEL;
    boot_cpu_data.cpuid_level = 0xd;
    machine.leaf_a = intel(2, 4, 48);
    assert_int_equal(fake_start(), 0);
    assert_int_equal(schedlog_nr_pmcs(), 4);
    assert_int_equal(find_msr(COUNTER(0))->value, 0xffffffff8765);
}

static void not_while_guests_have_them(void **state)
{
    (void)state;
    start_intel(2, 4);
    machine.vpmu = true;
    assert_refused(select_pmcs(1, CYCLES, 0), -EBUSY);
}

static void guests_do_not_get_them_meanwhile(void **state)
{
    (void)state;
    start_intel(2, 4);
    machine.guests_ask = true;
    assert_int_equal(select_pmcs(1, CYCLES, 0), 0);
    assert_false(machine.vpmu);
    assert_true(machine.barred);
    machine.guests_ask = false;
    schedlog_release_pmcs();
    assert_false(machine.barred);
    nmi_watchdog = NMI_LOCAL_APIC;
    assert_int_equal(select_pmcs(1, CYCLES, 0), -EBUSY);
    assert_false(machine.barred);
}

static void not_while_the_watchdog_has_them(void **state)
{
    (void)state;
    start_intel(2, 4);
    nmi_watchdog = NMI_LOCAL_APIC;
    assert_refused(select_pmcs(1, CYCLES, 0), -EBUSY);
}

static void they_are_reserved_until_they_are_released(void **state)
{
    (void)state;
    start_intel(1, 2);
    schedlog_release_pmcs(); /* there is none */
    assert_int_equal(select_pmcs(1, CYCLES, 0), 0);
    assert_int_equal(select_pmcs(2, CYCLES, MISSES), 0);
    assert_int_equal(schedlog_selected_pmcs(), 2);
    memset(machine.cpu, 0, sizeof(machine.cpu));
    schedlog_release_pmcs();
    assert_int_equal(schedlog_selected_pmcs(), 0);
    assert_write(0, SELECT(0), 0);
    assert_write(0, SELECT(1), 0);
    assert_write(1, SELECT(0), 0);
    assert_write(1, SELECT(1), 0);
    assert_int_equal(select_pmcs(1, CYCLES, 0), 0);
    assert_int_equal(select_pmcs(0, 0, 0), 0);
    assert_int_equal(schedlog_selected_pmcs(), 0);
}

static void not_more_than_there_are(void **state)
{
    (void)state;
    start_intel(2, 1);
    assert_refused(select_pmcs(2, CYCLES, MISSES), -EINVAL);
    assert_int_equal(schedlog_selected_pmcs(), 0);
}

/* Bits for pin control, interrupt, any-thread, enable, host/guest, and reserved ones. */
static void only_what_selects_an_event(void **state)
{
    uint64_t bit;

    (void)state;
    start_intel(2, 4);
    for (bit = 1; bit; bit <<= 1)
        if (bit & 0xff87ffff)
            assert_int_equal(select_pmcs(1, bit, 0), 0);
    memset(machine.cpu, 0, sizeof(machine.cpu));
    for (bit = 1; bit; bit <<= 1)
        if (!(bit & 0xff87ffff))
            assert_refused(select_pmcs(2, CYCLES, bit), -EINVAL);

    /* AMD's numbers of events are longer. */
    set_up(NULL);
    start(X86_VENDOR_AMD, 0xd, 0);
    assert_int_equal(select_pmcs(1, 0xf00000000ULL | USR_OS, 0), 0);
    memset(machine.cpu, 0, sizeof(machine.cpu));
    assert_refused(select_pmcs(1, 1ULL << 36, 0), -EINVAL);
    assert_refused(select_pmcs(1, 1ULL << 40, 0), -EINVAL);
}

/* A refused selection does not disturb the current one. */
static void a_bad_one_changes_nothing(void **state)
{
    (void)state;
    start_intel(2, 4);
    assert_int_equal(select_pmcs(1, CYCLES, 0), 0);
    assert_int_equal(select_pmcs(2, MISSES, ENABLE), -EINVAL);
    assert_int_equal(schedlog_selected_pmcs(), 1);
    assert_int_equal(find_msr(SELECT(0))->value, CYCLES | ENABLE);
}

static void intel_1_has_no_global_switch(void **state)
{
    unsigned int cpu;

    (void)state;
    start_intel(1, 2);
    assert_int_equal(select_pmcs(1, CYCLES, 0), 0);
    assert_int_equal(schedlog_selected_pmcs(), 1);
    for (cpu = 0; cpu < machine.online; cpu++) {
        assert_write(cpu, SELECT(0), 0);
        assert_write(cpu, COUNTER(0), 0);
        assert_write(cpu, SELECT(0), CYCLES | ENABLE);
        assert_write(cpu, SELECT(1), 0);
        assert_no_write(cpu);
    }
    assert_no_write(machine.online);
}

static void intel_2_keeps_the_switches_of_others(void **state)
{
    const uint64_t fixed = 7ULL << 32, fifth = 1ULL << 4;

    (void)state;
    start_intel(2, 8);
    find_msr(GLOBAL)->value = fixed | fifth | 0xc;
    assert_int_equal(select_pmcs(2, CYCLES, MISSES), 0);
    assert_write(0, SELECT(0), 0);
    assert_write(0, COUNTER(0), 0);
    assert_write(0, SELECT(0), CYCLES | ENABLE);
    assert_write(0, SELECT(1), 0);
    assert_write(0, COUNTER(1), 0);
    assert_write(0, SELECT(1), MISSES | ENABLE);
    assert_write(0, SELECT(2), 0);
    assert_write(0, SELECT(3), 0);
    assert_write(0, GLOBAL, fixed | fifth | 3);
    assert_no_write(0);
}

static void amd_has_other_registers(void **state)
{
    (void)state;
    start(X86_VENDOR_AMD, 0xd, 0);
    assert_int_equal(select_pmcs(1, 0x76 | USR_OS, 0), 0);
    assert_write(1, AMD_SELECT(0), 0);
    assert_write(1, AMD_COUNTER(0), 0);
    assert_write(1, AMD_SELECT(0), 0x76 | USR_OS | ENABLE);
    assert_write(1, AMD_SELECT(1), 0);
    assert_write(1, AMD_SELECT(2), 0);
    assert_write(1, AMD_SELECT(3), 0);
    assert_no_write(1);
}

static void giving_them_back_stops_them(void **state)
{
    (void)state;
    start_intel(2, 4);
    assert_int_equal(select_pmcs(2, CYCLES, MISSES), 0);
    assert_int_equal(select_pmcs(0, 0, 0), 0);
    assert_int_equal(schedlog_selected_pmcs(), 0);
    assert_int_equal(find_msr(SELECT(0))->value, 0);
    assert_int_equal(find_msr(SELECT(1))->value, 0);
    assert_int_equal(find_msr(GLOBAL)->value, 0);
}

static void a_pcpu_which_comes_online_counts_the_same(void **state)
{
    struct cpu *first = &machine.cpu[0], *new = &machine.cpu[2];

    (void)state;
    start_intel(2, 4);
    assert_int_equal(select_pmcs(2, CYCLES, MISSES), 0);
    machine.on = 2;
    schedlog_program_pmcs();
    assert_int_equal(new->nr_writes, first->nr_writes);
    assert_memory_equal(new->writes, first->writes, sizeof(new->writes));
}

static void reading_gives_what_the_counter_has(void **state)
{
    (void)state;
    start(X86_VENDOR_INTEL, 0xd, intel(2, 4, 40));
    find_msr(COUNTER(0))->value = 0x1234567890;
    find_msr(COUNTER(3))->value = 0xfedcba9876;
    assert_int_equal(schedlog_read_pmc(0), 0x1234567890);
    assert_int_equal(schedlog_read_pmc(3), 0xfedcba9876);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(intel_says_how_many_it_has),
        TEST(amd_and_hygon_have_four),
        TEST(no_pmu),
        TEST(a_hypervisor_below_which_ignores_writes),
        TEST(a_hypervisor_below_which_faults),
        TEST(finding_out_leaves_the_counter_as_it_was),
        TEST(not_while_guests_have_them),
        TEST(guests_do_not_get_them_meanwhile),
        TEST(not_while_the_watchdog_has_them),
        TEST(they_are_reserved_until_they_are_released),
        TEST(not_more_than_there_are),
        TEST(only_what_selects_an_event),
        TEST(a_bad_one_changes_nothing),
        TEST(intel_1_has_no_global_switch),
        TEST(intel_2_keeps_the_switches_of_others),
        TEST(amd_has_other_registers),
        TEST(giving_them_back_stops_them),
        TEST(a_pcpu_which_comes_online_counts_the_same),
        TEST(reading_gives_what_the_counter_has),
    };

    return run_tap_tests(tests);
}
