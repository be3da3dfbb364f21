/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks sites of jump labels: all sites of a label change at once, with few flushes of TLBs
 * however far apart the sites are; and the sites that a live patch loses are known.
 *
 * The test compiles the hypervisor's own jump_label.c, the common one and that of x86.  .text is an
 * array of NOPs.
 */
#include "cmocka-tap.h"

#include "world.h"

/* The instruction would need a privilege. */
#define asm(...) __asm__("")
#include "common/jump_label.c"
#undef asm
#define arch_jump_label_sync unused_sync
#include "arch/x86/jump_label.c"
#undef arch_jump_label_sync

#define NR_PAGES 80
#define NR_SITES 4

static uint8_t text[NR_PAGES * PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
static struct jump_label one, two;
unsigned int nr_messages;
static unsigned int nr_flushes, nr_mapped;

/* The table, as the linker makes it. */
static struct jump_label_site sites[NR_SITES] __asm__("__start_jump_labels");
__asm__(".globl __stop_jump_labels\n"
        ".set __stop_jump_labels, __start_jump_labels + 48");

static const unsigned int at[NR_SITES] = {
    100, 40 * PAGE_SIZE + 4093, 40 * PAGE_SIZE + 3000, 79 * PAGE_SIZE,
};

void arch_jump_label_sync(void)
{
}

unsigned long virt_to_mfn(unsigned long va)
{
    return va / PAGE_SIZE;
}

/* Xen's pages are physically contiguous. */
void *vmap_contig(unsigned long mfn, unsigned int nr)
{
    assert_int_equal(nr_mapped, 0);
    nr_mapped = nr;

    return (void *)(mfn * PAGE_SIZE);
}

/* Unmaps each page on its own, as map_pages_to_xen() of nothing does. */
void vunmap(void *va)
{
    assert_non_null(va);
    nr_flushes += nr_mapped;
    nr_mapped = 0;
}

/* Unmaps all of them, and perhaps a page table that has become empty. */
int destroy_xen_mappings(unsigned long start, unsigned long end)
{
    assert_int_equal((end - start) / PAGE_SIZE, nr_mapped);
    nr_flushes += 2;
    nr_mapped = 0;

    return 0;
}

int stop_machine_run(int (*fn)(void *data), void *data, unsigned int cpu)
{
    assert_int_equal(cpu, NR_CPUS);

    return fn(data);
}

bool is_kernel_text(const void *p)
{
    return (const uint8_t *)p >= text && (const uint8_t *)p < text + sizeof(text);
}

static int32_t offset(const void *to, const int32_t *from)
{
    return (uintptr_t)to - (uintptr_t)from;
}

static int set_up(void **state)
{
    unsigned int i;

    (void)state;
    one = two = (struct jump_label){};
    for (i = 0; i < NR_SITES; i++) {
        struct jump_label_site *s = &sites[i];

        memcpy(text + at[i], arch_jump_label_nop, ARCH_JUMP_LABEL_INSN_LEN);
        s->insn = offset(text + at[i], &s->insn);
        s->target = offset(text + at[i] + 64, &s->target);
        s->label = offset(i == 3 ? &two : &one, &s->label);
    }
    nr_flushes = nr_messages = 0;
    assert_int_equal(fake_start(), 0);

    return 0;
}

static bool jumps(unsigned int site)
{
    return text[at[site]] == 0xe9;
}

static void sites_of_a_label_change_together(void **state)
{
    (void)state;
    one.request = true;
    assert_int_equal(jump_label_apply(), 0);
    assert_true(jumps(0) && jumps(1) && jumps(2) && !jumps(3));
    one.request = false;
    two.request = true;
    assert_int_equal(jump_label_apply(), 0);
    assert_true(!jumps(0) && !jumps(1) && !jumps(2) && jumps(3));
}

static void a_change_flushes_tlbs_a_few_times(void **state)
{
    (void)state;
    one.request = two.request = true;
    assert_int_equal(jump_label_apply(), 0);
    assert_in_range(nr_flushes, 1, 3);
    assert_int_equal(nr_mapped, 0);
}

static void sites_that_a_live_patch_loses_are_counted(void **state)
{
    (void)state;
    assert_int_equal(jump_label_lost_sites(), 0);
    jump_label_replace(text + 40 * PAGE_SIZE + 2000, 3000, true);
    assert_int_equal(jump_label_lost_sites(), 2);
    assert_int_equal(nr_messages, 1);
    jump_label_replace(text + 60 * PAGE_SIZE, 3000, true); /* has no site */
    assert_int_equal(jump_label_lost_sites(), 2);
    assert_int_equal(nr_messages, 1);
    jump_label_replace(text, 200, true);
    assert_int_equal(jump_label_lost_sites(), 3);
    jump_label_replace(text + 40 * PAGE_SIZE + 2000, 3000, false);
    assert_int_equal(jump_label_lost_sites(), 1);
    jump_label_replace(text, 200, false);
    assert_int_equal(jump_label_lost_sites(), 0);
}

#define TEST(f) cmocka_unit_test_setup(f, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sites_of_a_label_change_together),
        TEST(a_change_flushes_tlbs_a_few_times),
        TEST(sites_that_a_live_patch_loses_are_counted),
    };

    return run_tap_tests(tests);
}
