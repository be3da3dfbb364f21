/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that the compiled record handler reads each shared word at most once.
 *
 * The scheduler may change its words between two reads, and then the value that was checked differs
 * from the value that is used.  The source says ACCESS_ONCE(); this test checks the machine code,
 * with the hypervisor's optimisation and without the sanitizers, which would change the code.
 *
 * All shared memory is inaccessible while the handler runs.  Each access faults and is noted; then
 * the instruction runs alone, with the trap flag set, and the memory becomes inaccessible again.
 * After that, the test overwrites a word that the scheduler can write at once: the worst case.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "schedlog-record.h"
#include "common/schedlog/record.c"

#include <cmocka.h>

#define NR_ACCT 16
#define NR_FILES 4
#define FILE_SIZE 1024
#define NR_EVENTS_MADE 4000
#define MAX_ACCESSES 64
#define TRAP_FLAG 0x100
#define FAULT_IS_WRITE 2

#define LCR(entry) XEN_SCHEDLOG_LCR_##entry

/* Memory that is shared with the scheduler, in pages of its own. */
enum region { ROUTE, CONTROL, STATE, DATA, NR_REGIONS };

static const size_t region_size[NR_REGIONS] = {
    [ROUTE] = NR_ACCT * XEN_SCHEDLOG_NR_EVENTS * sizeof(uint64_t),
    [CONTROL] = 4096,
    [STATE] = 4096,
    [DATA] = NR_FILES * FILE_SIZE,
};

/* The unit in which the scheduler writes, and in which reads are counted. */
static const size_t word_size[NR_REGIONS] = {
    [ROUTE] = sizeof(uint64_t),
    [CONTROL] = sizeof(uint32_t),
    [STATE] = 1,
    [DATA] = 1,
};

static uint8_t *memory[NR_REGIONS];
static struct schedlog_cpu *cpu;
static uint64_t seed = 1986;

static struct access {
    enum region region;
    size_t word;
    bool read;
    bool write;
} accesses[MAX_ACCESSES];
static volatile int nr_accesses;

static uint64_t random64(void)
{
    /* xorshift64*, S. Vigna, ACM TOMS 42(4), 2016 */
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;

    return seed * 0x2545f4914f6cdd1dULL;
}

static void protect(int how)
{
    for (int i = 0; i < NR_REGIONS; i++)
        if (mprotect(memory[i], region_size[i], how))
            abort();
}

/*
 * Returns whether the instruction stores without loading.  Only MOV to memory does, from a general
 * register, a constant or a vector register.  ADD to memory loads as well, but the MMU sees a
 * write.
 */
static bool only_stores(const uint8_t *insn)
{
    while (*insn == 0x66 || *insn == 0xf2 || *insn == 0xf3 ||
           (*insn & 0xf0) == 0x40)
        insn++;
    if (*insn == 0x0f)
        return insn[1] == 0x11 || insn[1] == 0x29 || insn[1] == 0x7f ||
               insn[1] == 0xd6;

    return *insn == 0x88 || *insn == 0x89 || *insn == 0xc6 || *insn == 0xc7;
}

/* The handler touched shared memory, or made an error. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    const uint8_t *at = info->si_addr;
    struct access *a = &accesses[nr_accesses];
    int i;

    (void)signal;
    for (i = 0; i < NR_REGIONS; i++)
        if (at >= memory[i] && at < memory[i] + region_size[i])
            break;
    if (i == NR_REGIONS || nr_accesses == MAX_ACCESSES)
        abort();

    a->region = i;
    a->word = (at - memory[i]) / word_size[i];
    a->write = u->uc_mcontext.gregs[REG_ERR] & FAULT_IS_WRITE;
    a->read = !a->write ||
              !only_stores((uint8_t *)u->uc_mcontext.gregs[REG_RIP]);
    nr_accesses++;

    protect(PROT_READ | PROT_WRITE);
    u->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

/* The single instruction has been executed. */
static void on_step(int signal, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    const struct access *last = &accesses[nr_accesses - 1];
    const uint64_t noise = random64();

    (void)signal, (void)info;
    if (last->region == ROUTE || last->region == CONTROL)
        memcpy(memory[last->region] + last->word * word_size[last->region],
               &noise, word_size[last->region]);
    protect(PROT_NONE);
    u->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

static int set_up(void **test)
{
    (void)test;
    for (int i = 0; i < NR_REGIONS; i++) {
        memory[i] = mmap(NULL, region_size[i], PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory[i] == MAP_FAILED)
            return -1;
    }
    cpu = calloc(1, sizeof(*cpu) + NR_FILES * sizeof(cpu->file[0]));
    cpu->route = (uint64_t *)memory[ROUTE];
    cpu->lcr = (uint32_t *)memory[CONTROL];
    cpu->skipped = calloc(NR_ACCT * XEN_SCHEDLOG_NR_EVENTS, 4);
    cpu->acct_mask = NR_ACCT - 1;
    cpu->file_mask = NR_FILES - 1;
    for (int i = 0; i < NR_FILES; i++)
        schedlog_init_file(&cpu->file[i], memory[DATA] + i * FILE_SIZE,
                           FILE_SIZE,
                           (struct xen_schedlog_state *)memory[STATE] + i);

    return 0;
}

static int tear_down(void **test)
{
    (void)test;
    free(cpu->skipped);
    free(cpu);
    for (int i = 0; i < NR_REGIONS; i++)
        munmap(memory[i], region_size[i]);

    return 0;
}

/* Logs one event, by one of the handler's functions. */
typedef bool handler(unsigned int event, uint16_t acct,
                     uint16_t other, uint64_t count);

static __attribute__((__noinline__))
bool record(unsigned int event, uint16_t acct, uint16_t other,
            uint64_t count)
{
    schedlog_record(cpu, event, acct, other, count);
    return true;
}

static __attribute__((__noinline__))
bool enter(unsigned int event, uint16_t acct, uint16_t other,
           uint64_t count)
{
    (void)other, (void)count;
    return schedlog_enter(cpu, event, acct);
}

static __attribute__((__noinline__))
bool leave(unsigned int event, uint16_t acct, uint16_t other,
           uint64_t count)
{
    schedlog_leave(cpu, event, acct, other, count);
    return true;
}

/* Runs @handle, and notes what it touches.  cmocka has signal handlers of its own. */
static void watch(handler *handle, uint64_t r)
{
    const struct sigaction fault = { .sa_sigaction = on_fault,
                                     .sa_flags = SA_SIGINFO };
    const struct sigaction step = { .sa_sigaction = on_step,
                                    .sa_flags = SA_SIGINFO };
    struct sigaction former;

    sigaction(SIGSEGV, &fault, &former);
    sigaction(SIGTRAP, &step, NULL);
    nr_accesses = 0;
    protect(PROT_NONE);
    handle(r % XEN_SCHEDLOG_NR_EVENTS, r >> 8, r >> 24, r >> 32);
    protect(PROT_READ | PROT_WRITE);
    sigaction(SIGSEGV, &former, NULL);
}

static int reads_of(enum region region)
{
    int nr = 0;

    for (int i = 0; i < nr_accesses; i++)
        nr += accesses[i].region == region && accesses[i].read;

    return nr;
}

static int writes_to(enum region region)
{
    int nr = 0;

    for (int i = 0; i < nr_accesses; i++)
        nr += accesses[i].region == region && accesses[i].write;

    return nr;
}

/* Writes routes that are mostly valid, with thresholds that are mostly low. */
static void new_control_words(uint64_t r)
{
    uint32_t *lcr = (uint32_t *)memory[CONTROL];
    uint64_t *route = (uint64_t *)memory[ROUTE];

    for (int i = 0; i < NR_ACCT * XEN_SCHEDLOG_NR_EVENTS; i++) {
        route[i] = random64() & ~(r & 1 ? 0xffffffffULL : 0xfffffffcULL);
        if (r & 6)
            route[i] |= XEN_SCHEDLOG_ROUTE_VALID;
    }
    /* The present layout, or another one. */
    for (int i = 0; i < NR_FILES; i++)
        lcr[i] = r & 24 ? cpu->file[i].lcr : random64();
}

/* Returns how many rows were written. */
static int check_each_word_is_read_once(handler *handle, bool writes_rows)
{
    int rows = 0;

    for (int i = 0; i < NR_EVENTS_MADE; i++) {
        uint64_t pos[NR_FILES];
        bool adds = false;

        new_control_words(random64());
        for (int j = 0; j < NR_FILES; j++)
            pos[j] = cpu->file[j].pos;

        watch(handle, random64());

        for (int j = 0; j < NR_FILES; j++)
            if (pos[j] != cpu->file[j].pos) {
                rows++;
                adds = (cpu->file[j].lcr & LCR(ADD)) &&
                       (cpu->file[j].lcr & LCR(COUNTER));
            }
        assert_in_range(reads_of(ROUTE), 0, 1);
        assert_in_range(reads_of(CONTROL), 0, writes_rows);
        assert_int_equal(reads_of(STATE), 0);
        assert_int_equal(reads_of(DATA), adds);
        assert_int_equal(writes_to(ROUTE) + writes_to(CONTROL), 0);
    }

    return rows;
}

static void an_access_event_reads_each_word_once(void **test)
{
    (void)test;
    assert_true(check_each_word_is_read_once(record, true) >
                NR_EVENTS_MADE / 4);
}

static void the_entry_of_a_stay_reads_the_route_once(void **test)
{
    (void)test;
    assert_int_equal(check_each_word_is_read_once(enter, false), 0);
    assert_int_equal(writes_to(STATE) + writes_to(DATA), 0);
}

static void the_exit_of_a_stay_reads_each_word_once(void **test)
{
    (void)test;
    assert_true(check_each_word_is_read_once(leave, true) >
                NR_EVENTS_MADE / 4);
}

/* Tests of the test: these handlers do what the record handler must not do. */
static bool reads_a_route_twice(unsigned int event, uint16_t acct,
                                uint16_t other, uint64_t count)
{
    (void)event, (void)acct, (void)other, (void)count;

    return ACCESS_ONCE(cpu->route[5]) == ACCESS_ONCE(cpu->route[5]);
}

static bool adds_to_the_position(unsigned int event, uint16_t acct,
                                 uint16_t other, uint64_t count)
{
    (void)event, (void)acct, (void)other;
    asm volatile ("addq %1, %0"
                  : "+m" (*(uint64_t *)memory[STATE]) : "r" (count));

    return true;
}

static void a_forbidden_access_of_the_handler_would_be_seen(void **test)
{
    (void)test;
    watch(reads_a_route_twice, 0);
    assert_int_equal(reads_of(ROUTE), 2);
    assert_int_equal(accesses[0].word, 5);

    watch(adds_to_the_position, 0);
    assert_int_equal(reads_of(STATE), 1);
    assert_int_equal(writes_to(STATE), 1);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_forbidden_access_of_the_handler_would_be_seen),
        TEST(an_access_event_reads_each_word_once),
        TEST(the_entry_of_a_stay_reads_the_route_once),
        TEST(the_exit_of_a_stay_reads_each_word_once),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);

    return cmocka_run_group_tests(tests, NULL, NULL);
}
