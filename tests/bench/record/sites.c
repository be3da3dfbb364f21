/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The floors and the record handler, compiled as the hypervisor is: the same
 * optimisation, no vector registers.
 *
 * A site is a function of its own, as in Xen.  The compiler must not see
 * through the calls: it would keep in registers across events what the handler
 * has to load for each.  run_empty() is the same loop with a site that does
 * nothing; what the others take beyond it is the cost of what they do.
 */
#include "schedlog-record.h"
#include "sites.h"

#define site __attribute__((__noinline__, __noipa__))

static site void empty(void *cpu, uint32_t acct, uint32_t other, uint64_t nr)
{
    (void)cpu, (void)acct, (void)other, (void)nr;
    asm volatile ("");
}

/* As a jump label that is off: the 5-byte NOP. */
static site void disabled(void *cpu, uint32_t acct, uint32_t other,
                          uint64_t nr)
{
    (void)cpu, (void)acct, (void)other, (void)nr;
    asm volatile (".byte 0x0f, 0x1f, 0x44, 0x00, 0x00");
}

static site void bare_rdtsc(void *cpu, uint32_t acct, uint32_t other,
                            uint64_t nr)
{
    (void)cpu, (void)acct, (void)other, (void)nr;
    asm volatile ("rdtsc" ::: "eax", "edx");
}

/* A row of four entries, ready made. */
static site void memcpy_row(void *buffer, uint32_t acct, uint32_t other,
                            uint64_t nr)
{
    static const struct {
        uint16_t event, current_, correspondent;
        uint32_t counter;
    } row = { 4, FIRST_ACCT, OTHER_ACCT, 1 };
    struct plain_buffer *b = buffer;

    (void)acct, (void)other, (void)nr;
    _Static_assert(sizeof(row) == 12, "one row of 16 bytes");
    __builtin_memcpy(b->data + (b->pos & b->mask), &row, sizeof(row));
    b->pos += 16;
}

static site void record(void *cpu, uint32_t acct, uint32_t other, uint64_t nr)
{
    schedlog_record(cpu, XEN_SCHEDLOG_EV_GRANT_MAP, acct, other, nr);
}

#define RUN(name, what, correspondent)                        \
    void run_##name(void *arg, unsigned int nr)               \
    {                                                         \
        for (unsigned int i = 0; i < nr; i++) {               \
            uint32_t acct = FIRST_ACCT + i % ACCTS_IN_TURN;   \
                                                              \
            what(arg, acct, correspondent, 1);                \
        }                                                     \
    }

RUN(empty, empty, OTHER_ACCT)
RUN(disabled, disabled, OTHER_ACCT)
RUN(rdtsc, bare_rdtsc, OTHER_ACCT)
RUN(memcpy_row, memcpy_row, OTHER_ACCT)
RUN(record, record, OTHER_ACCT)
RUN(domain_skip, record, acct)

void run_core_cycles(void *unused, unsigned int nr)
{
    uint64_t sum = 0;

    (void)unused;
    for (unsigned int i = 0; i < nr; i += 8)
        asm volatile (".rept 8; add $1, %0; .endr" : "+r" (sum));
}
