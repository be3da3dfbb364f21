/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks how sites of jump labels change on arm64: text stays read-only, frames of
 * Xen's image need not follow each other, and each new instruction is cleaned to
 * memory before a pCPU drops what it has fetched.
 *
 * The test compiles the hypervisor's own jump_label.c, the common one and that of arm64.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "cmocka-tap.h"

#include "world.h"

#include "common/jump_label.c"
#include "arch/arm/arm64/jump_label.c"

#define NR_PAGES 8
#define NR_SITES 4
#define NOP 0xd503201fU

/* A file has the pages of this array, in another order. */
static uint8_t text[NR_PAGES * PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
static uint8_t *frames;
static int file;

static struct jump_label one, two;
unsigned int nr_messages;
static unsigned int nr_mapped, nr_cleaned, cleaned_at_sync;
static uint32_t cleaned_as[NR_SITES];

/* The table, as the linker makes it. */
static struct jump_label_site sites[NR_SITES] __asm__("__start_jump_labels");
__asm__(".globl __stop_jump_labels\n"
        ".set __stop_jump_labels, __start_jump_labels + 48");

static const unsigned int at[NR_SITES] = {
    100, 4 * PAGE_SIZE + 4092, 5 * PAGE_SIZE, 7 * PAGE_SIZE + 8,
};

static unsigned int frame_of(unsigned int page) { return page * 3 % NR_PAGES; }

unsigned long __virt_to_mfn(unsigned long va)
{
    return frame_of((va - (unsigned long)text) / PAGE_SIZE);
}

void *vmap(const mfn_t *mfns, unsigned int nr)
{
    uint8_t *va = mmap(NULL, nr * PAGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
                       -1, 0);

    for (unsigned int i = 0; i < nr; i++)
        assert_ptr_equal(mmap(va + i * PAGE_SIZE, PAGE_SIZE, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_FIXED, file, mfns[i] * PAGE_SIZE),
                         va + i * PAGE_SIZE);
    nr_mapped = nr;

    return va;
}

void vunmap(void *va)
{
    munmap(va, nr_mapped * PAGE_SIZE);
    nr_mapped = 0;
}

uint32_t aarch64_insn_gen_branch_imm(unsigned long pc, unsigned long to,
                                     enum aarch64_insn_branch_type type)
{
    assert_int_equal(type, AARCH64_INSN_BRANCH_NOLINK);

    return 0x14000000 | (((to - pc) >> 2) & 0x3ffffff);
}

uint32_t aarch64_insn_gen_nop(void) { return NOP; }

int clean_and_invalidate_dcache_va_range(const void *p, unsigned long size)
{
    assert_int_equal(size, 4);
    assert_true(nr_cleaned < NR_SITES);
    cleaned_as[nr_cleaned++] = *(const uint32_t *)p;

    return 0;
}

void invalidate_icache_local(void) { cleaned_at_sync = nr_cleaned; }

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

static void write_frame(unsigned int where, uint32_t insn)
{
    memcpy(frames + frame_of(where / PAGE_SIZE) * PAGE_SIZE + where % PAGE_SIZE, &insn,
           sizeof(insn));
}

static int lay_out(void **state)
{
    (void)state;
    file = memfd_create("frames", 0);
    assert_int_equal(ftruncate(file, sizeof(text)), 0);
    frames = mmap(NULL, sizeof(text), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    for (unsigned int i = 0; i < NR_PAGES; i++)
        assert_ptr_equal(mmap(text + i * PAGE_SIZE, PAGE_SIZE, PROT_READ,
                              MAP_SHARED | MAP_FIXED, file, frame_of(i) * PAGE_SIZE),
                         text + i * PAGE_SIZE);

    return 0;
}

static int set_up(void **state)
{
    (void)state;
    one = two = (struct jump_label){};
    for (unsigned int i = 0; i < NR_SITES; i++) {
        struct jump_label_site *s = &sites[i];

        write_frame(at[i], NOP);
        s->insn = offset(text + at[i], &s->insn);
        s->target = offset(text + at[i] - 64, &s->target);
        s->label = offset(i == 3 ? &two : &one, &s->label);
    }
    nr_cleaned = cleaned_at_sync = nr_messages = 0;
    assert_int_equal(fake_start(), 0);

    return 0;
}

static uint32_t insn(unsigned int site) { return *(volatile uint32_t *)(text + at[site]); }

#define BACK_16_INSNS 0x17fffff0U

static void sites_become_branches_and_nops_again(void **state)
{
    (void)state;
    one.request = true;
    assert_int_equal(jump_label_apply(), 0);
    for (unsigned int i = 0; i < NR_SITES; i++)
        assert_int_equal(insn(i), i == 3 ? NOP : BACK_16_INSNS);
    one.request = false;
    two.request = true;
    nr_cleaned = 0;
    assert_int_equal(jump_label_apply(), 0);
    for (unsigned int i = 0; i < NR_SITES; i++)
        assert_int_equal(insn(i), i == 3 ? BACK_16_INSNS : NOP);
    assert_int_equal(nr_mapped, 0);
}

static void each_change_is_cleaned_before_pcpus_go_on(void **state)
{
    (void)state;
    one.request = true;
    assert_int_equal(jump_label_apply(), 0);
    assert_int_equal(nr_cleaned, 3);
    assert_int_equal(cleaned_at_sync, 3);
    for (unsigned int i = 0; i < nr_cleaned; i++)
        assert_int_equal(cleaned_as[i], BACK_16_INSNS);
}

static void a_site_that_was_overwritten_stays(void **state)
{
    (void)state;
    write_frame(at[1], 0xd65f03c0); /* RET */
    one.request = true;
    assert_int_equal(jump_label_apply(), -ENOEXEC);
    assert_int_equal(insn(0), NOP);
    assert_int_equal(insn(1), 0xd65f03c0);
    assert_int_equal(nr_messages, 1);
}

#define TEST(f) cmocka_unit_test_setup(f, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sites_become_branches_and_nops_again),
        TEST(each_change_is_cleaned_before_pcpus_go_on),
        TEST(a_site_that_was_overwritten_stays),
    };

    lay_out(NULL);

    return run_tap_tests(tests);
}
