/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the hypervisor's own schedlog-cache.c on synthetic processors.
 *
 * Fails if it reads Intel's leaf on AMD's processors, if it takes a smaller cache for the last
 * level, if it reads a leaf that the processor lacks, or if pCPUs with other APIC ids share a cache.
 */
#include <string.h>

#include "cmocka-tap.h"

#include "world.h"

#include "arch/x86/schedlog-cache.c"

/* Type 1 is data, 2 instructions, 3 both; @ids APIC ids share the cache. */
#define EAX(type, level, ids) ((type) | (level) << 5 | ((ids) - 1U) << 14)

struct cpuinfo_x86 boot_cpu_data;
const uint32_t *fake_apic_ids;

static struct {
    bool topoext;
    uint32_t intel[8], amd[8]; /* EAX of each subleaf */
} cpu;

bool boot_cpu_has(unsigned int feature)
{
    assert_int_equal(feature, X86_FEATURE_TOPOEXT);

    return cpu.topoext;
}

/* A subleaf that is missing in the table has all bits set. */
void cpuid_count(uint32_t leaf, uint32_t subleaf, uint32_t *eax, uint32_t *ebx,
                 uint32_t *ecx, uint32_t *edx)
{
    assert_true(leaf <= (uint32_t)boot_cpu_data.cpuid_level ||
                (leaf >> 31 && leaf <= boot_cpu_data.extended_cpuid_level));
    *ebx = *ecx = *edx = ~0U;
    *eax = subleaf < 8 ? (leaf >> 31 ? cpu.amd : cpu.intel)[subleaf] : ~0U;
}

static int setup(void **state)
{
    (void)state;
    memset(&cpu, 0, sizeof(cpu));
    nr_ids = 0;
    boot_cpu_data = (struct cpuinfo_x86){ 0x16, 0x80000008 };

    return 0;
}

/* Checks which APIC ids share a cache: each aligned group of @ids; 0: no cache is known. */
static void sharing(uint32_t ids)
{
    const uint32_t apic_ids[] = { 0, ids - 1, ids, 3 * ids - 1, 0x80000000U, 0x80000000U + ids - 1 };

    fake_apic_ids = apic_ids;
    nr_ids = 0;
    assert_int_equal(fake_start(), 0);
    for (unsigned int i = 0; i < 6; i++)
        for (unsigned int k = 0; k < i; k++)
            assert_int_equal(ids ? schedlog_cache_of(i) == schedlog_cache_of(k)
                                 : schedlog_cache_of(i) != XEN_SCHEDLOG_NO_CACHE,
                             ids && apic_ids[i] / ids == apic_ids[k] / ids);
}

static void a_xeon_has_it_in_leaf_4(void **state)
{
    const uint32_t caches[] = {
        EAX(1, 1, 2), EAX(2, 1, 2), EAX(3, 2, 2), EAX(3, 3, 64)
    };

    (void)state;
    memcpy(cpu.intel, caches, sizeof(caches));
    sharing(64);
}

static void an_epyc_has_it_in_its_own_leaf(void **state)
{
    const uint32_t caches[] = {
        EAX(1, 1, 2), EAX(2, 1, 2), EAX(3, 2, 2), EAX(3, 3, 4)
    };

    (void)state;
    cpu.topoext = true;
    boot_cpu_data = (struct cpuinfo_x86){ 0x10, 0x8000001d };
    memcpy(cpu.amd, caches, sizeof(caches));
    sharing(4);
}

/* A cache of instructions is never the last level, whatever its number. */
static void the_order_of_subleaves_is_irrelevant(void **state)
{
    const uint32_t caches[] = {
        EAX(3, 3, 16), EAX(2, 7, 32), EAX(1, 1, 2), EAX(3, 2, 2)
    };

    (void)state;
    memcpy(cpu.intel, caches, sizeof(caches));
    sharing(16);
    /* Nor need the last level have instructions. */
    cpu.intel[0] = EAX(1, 3, 8);
    sharing(8);
}

static void without_a_leaf_there_is_nothing(void **state)
{
    (void)state;
    sharing(0);
    boot_cpu_data.cpuid_level = 2;
    cpu.intel[0] = EAX(3, 3, 4);
    sharing(0);
    /* A hypervisor below Xen can offer the feature without the leaf. */
    cpu.topoext = true;
    cpu.amd[0] = EAX(3, 3, 4);
    sharing(0);
}

/* Such a leaf describes nothing. */
static void subleaves_without_end_are_not_followed(void **state)
{
    (void)state;
    memset(cpu.intel, 0xff, sizeof(cpu.intel));
    sharing(0);
}

static void a_cache_of_the_first_level_is_not_the_last(void **state)
{
    (void)state;
    cpu.intel[0] = EAX(1, 1, 64);
    cpu.intel[1] = EAX(2, 3, 64);
    sharing(0);
}

/* 24 ids have the room of 32; 4096 is the largest number. */
static void ids_have_the_room_of_a_power_of_two(void **state)
{
    (void)state;
    cpu.intel[0] = EAX(3, 3, 24);
    sharing(32);
    cpu.intel[0] = EAX(3, 3, 33);
    sharing(64);
    cpu.intel[0] = EAX(3, 7, 4096);
    sharing(4096);
    cpu.intel[0] = EAX(3, 3, 1);
    sharing(1);
}

#define test(f) cmocka_unit_test_setup(f, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(a_xeon_has_it_in_leaf_4),
        test(an_epyc_has_it_in_its_own_leaf),
        test(the_order_of_subleaves_is_irrelevant),
        test(without_a_leaf_there_is_nothing),
        test(subleaves_without_end_are_not_followed),
        test(a_cache_of_the_first_level_is_not_the_last),
        test(ids_have_the_room_of_a_power_of_two),
    };

    return run_tap_tests(tests);
}
