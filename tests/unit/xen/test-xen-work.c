/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks Xen's work: rows have how often and how long Xen worked for each domain, by reason, and no
 * instant is charged twice.
 *
 * The test compiles the hypervisor's own work.c.  It makes hypercalls, softirqs and interrupts,
 * nests them as Xen does, and interrupts wherever interrupts are enabled.
 */
#include "pcpus.h"

#define current running[this_pcpu]
#include "common/schedlog/work.c"
#include "arch/x86/schedlog-work.c"
#undef current

#define HYPERCALL XEN_SCHEDLOG_EV_HYPERCALL_TIME
#define IRQ XEN_SCHEDLOG_EV_IRQ_TIME
#define EXIT XEN_SCHEDLOG_EV_EXIT_TIME
#define FLUSH XEN_SCHEDLOG_EV_FLUSH_WAIT

#define SCHED_OP 29
#define MMU_UPDATE 1
#define MULTICALL 13

/* With a counter of 64 bits a row is as long as struct row. */
struct wide_row {
    uint16_t event, current, correspondent, pad;
    uint64_t counter;
};

/* The sum of all rows with one event, accounting domain and reason. */
struct sum {
    unsigned int rows, times;
    uint64_t ns;
};

static struct vcpu a_vcpu, b_vcpu;

/* Number of interrupts, of 100 ns each, at every possible instant; 0: none. */
static unsigned int interrupts_left, nr_interrupts;

static void interrupt(unsigned int vector, s_time_t ns)
{
    bool nested = fake_in_irq, off = irqs_off;

    irqs_off = fake_in_irq = true;
    schedlog_apic_irq(vector);
    now_ns += ns;
    schedlog_end(IRQ);
    fake_in_irq = nested;
    irqs_off = off;
}

void may_be_interrupted(void)
{
    if (irqs_off || fake_in_irq || !interrupts_left)
        return;
    interrupts_left--;
    nr_interrupts++;
    interrupt(LOCAL_TIMER_VECTOR, 100);
}

static void work_for(s_time_t ns)
{
    now_ns += ns;
    may_be_interrupted();
}

static void hypercall(unsigned int nr, s_time_t ns)
{
    schedlog_begin(HYPERCALL, nr);
    work_for(ns);
    schedlog_end(HYPERCALL);
}

static void tick(void)
{
    schedlog_work_tick(fake_schedlog_pcpu[this_pcpu]);
}

static int set_up_work(void **state_)
{
    set_up(state_);
    lcr[0] |= XEN_SCHEDLOG_LCR_COUNTER64;
    turn_on(0);
    interrupts_left = nr_interrupts = 0;
    a_vcpu = vcpu_of(A);
    b_vcpu = vcpu_of(B);
    wake(&a_vcpu);
    wake(&b_vcpu);
    run(0, &a_vcpu);

    return 0;
}

static struct sum sum_of(unsigned int event, uint16_t acct, unsigned int reason)
{
    struct sum sum = { 0 };
    unsigned int i;

    for (i = 0; i < nr_rows(0); i++) {
        struct wide_row r;

        memcpy(&r, data[0] + i * sizeof(r), sizeof(r));
        assert_int_equal(r.correspondent, NONE);
        if (r.event != event || r.current != acct ||
            r.counter >> XEN_SCHEDLOG_WORK_REASON_SHIFT != reason)
            continue;
        sum.rows++;
        sum.times += r.counter >> XEN_SCHEDLOG_WORK_COUNT_SHIFT &
                     XEN_SCHEDLOG_WORK_COUNT_MASK;
        sum.ns += r.counter & XEN_SCHEDLOG_WORK_TIME_MASK;
    }

    return sum;
}

static void is_sum(unsigned int event, uint16_t acct, unsigned int reason,
                   unsigned int times, uint64_t ns)
{
    struct sum sum = sum_of(event, acct, reason);

    assert_int_equal(sum.times, times);
    assert_int_equal(sum.ns, ns);
}

static void many_hypercalls_are_one_row(void **unused)
{
    unsigned int i;

    (void)unused;
    for (i = 0; i < 1000; i++)
        hypercall(SCHED_OP, 5 * US);
    assert_int_equal(nr_rows(0), 0);
    tick();
    assert_int_equal(nr_rows(0), 1);
    assert_int_equal(row(0, 0).current, A);
    is_sum(HYPERCALL, A, SCHED_OP, 1000, 5000 * US);
    tick();
    assert_int_equal(nr_rows(0), 1);
}

static void an_interrupt_is_not_part_of_the_hypercall(void **unused)
{
    (void)unused;
    schedlog_begin(HYPERCALL, MMU_UPDATE);
    work_for(10 * US);
    interrupt(LOCAL_TIMER_VECTOR, 3 * US);
    work_for(10 * US);
    schedlog_flush(FLUSH_TLB);
    work_for(US);
    interrupt(EVENT_CHECK_VECTOR, 2 * US);
    schedlog_end(FLUSH);
    schedlog_end(HYPERCALL);
    tick();
    is_sum(HYPERCALL, A, MMU_UPDATE, 1, 20 * US);
    is_sum(IRQ, A, XEN_SCHEDLOG_IRQ_TIMER, 1, 3 * US);
    is_sum(IRQ, A, XEN_SCHEDLOG_IRQ_EVENT_CHECK, 1, 2 * US);
    is_sum(FLUSH, A, XEN_SCHEDLOG_FLUSH_TLB, 1, US);
}

/* Xen enables interrupts while it handles those of its own devices. */
static void interrupts_interrupt_interrupts(void **unused)
{
    const struct irq_desc serial = { 0 };

    (void)unused;
    schedlog_irq(&serial);
    now_ns += US;
    interrupt(CALL_FUNCTION_VECTOR, 4 * US);
    now_ns += US;
    schedlog_end(IRQ);
    tick();
    is_sum(IRQ, A, XEN_SCHEDLOG_IRQ_XEN, 1, 2 * US);
    is_sum(IRQ, A, XEN_SCHEDLOG_IRQ_CALL, 1, 4 * US);
}

static void calls_in_a_multicall_have_their_own_numbers(void **unused)
{
    unsigned int i;

    (void)unused;
    schedlog_begin(HYPERCALL, MULTICALL);
    for (i = 0; i < 7; i++) {
        work_for(US);
        hypercall(MMU_UPDATE, 2 * US);
    }
    schedlog_end(HYPERCALL);
    tick();
    is_sum(HYPERCALL, A, MULTICALL, 1, 7 * US);
    is_sum(HYPERCALL, A, MMU_UPDATE, 7, 14 * US);
}

/*
 * The vCPU's state changes first, and an interrupt may come then.  On x86 the softirq never
 * returns; elsewhere it returns on the stack of another vCPU.
 */
static void the_softirq_that_switches_ends_there(void **unused)
{
    (void)unused;
    schedlog_softirq(SCHEDULE_SOFTIRQ);
    work_for(3 * US);
    change(&a_vcpu, RUNSTATE_blocked);
    change(&b_vcpu, RUNSTATE_running);
    interrupt(EVENT_CHECK_VECTOR, 2 * US);
    schedlog_end(IRQ);
    running[0] = &b_vcpu;
    work_for(100 * US);
    schedlog_end(IRQ);
    schedlog_softirq(TIMER_SOFTIRQ);
    work_for(US);
    schedlog_end(IRQ);
    tick();
    is_sum(IRQ, A, XEN_SCHEDLOG_SOFTIRQ_SCHEDULE, 1, 3 * US);
    is_sum(IRQ, A, XEN_SCHEDLOG_IRQ_EVENT_CHECK, 1, 2 * US);
    is_sum(IRQ, B, XEN_SCHEDLOG_SOFTIRQ_SCHEDULE, 0, 0);
    is_sum(IRQ, B, XEN_SCHEDLOG_SOFTIRQ_TIMER, 1, US);
}

/* The vCPU sleeps in Xen, in a wait queue, and returns to its stack. */
static void work_of_another_run_interval_is_not_ended(void **unused)
{
    (void)unused;
    schedlog_begin(HYPERCALL, SCHED_OP);
    work_for(US);
    run(0, &idle[0]);
    work_for(1000 * US);
    run(0, &a_vcpu);
    work_for(US);
    schedlog_end(HYPERCALL);
    hypercall(MMU_UPDATE, US);
    tick();
    is_sum(HYPERCALL, A, SCHED_OP, 0, 0);
    is_sum(HYPERCALL, A, MMU_UPDATE, 1, US);
}

static void work_that_began_while_the_event_was_off_has_no_end(void **unused)
{
    (void)unused;
    work_for(US);
    schedlog_end(EXIT);
    schedlog_vmx_exit(48);
    schedlog_end(HYPERCALL);
    work_for(US);
    schedlog_end(EXIT);
    tick();
    assert_int_equal(nr_rows(0), 1);
    is_sum(EXIT, A, 48, 1, US);
}

/* The event of a hypercall was turned off during the hypercall. */
static void work_without_an_end_ends_with_the_work_around_it(void **unused)
{
    (void)unused;
    schedlog_vmx_exit(18);
    work_for(US);
    schedlog_begin(HYPERCALL, SCHED_OP);
    work_for(US);
    schedlog_end(EXIT);
    work_for(US);
    schedlog_end(EXIT);
    schedlog_end(HYPERCALL);
    tick();
    is_sum(EXIT, A, 18, 1, 2 * US);
    is_sum(HYPERCALL, A, SCHED_OP, 0, 0);
}

static void an_idle_pcpu_is_interrupted_too(void **unused)
{
    (void)unused;
    run(0, &idle[0]);
    interrupt(LOCAL_TIMER_VECTOR, US);
    tick();
    is_sum(IRQ, XEN, XEN_SCHEDLOG_IRQ_TIMER, 1, US);
}

/* There are more reasons than cells. */
static void no_reason_is_lost(void **unused)
{
    struct vcpu vcpu[NR_ACCT];
    unsigned int acct, nr;

    (void)unused;
    for (acct = A; acct < NR_ACCT; acct++) {
        vcpu[acct] = vcpu_of(acct);
        wake(&vcpu[acct]);
        run(0, &vcpu[acct]);
        for (nr = 0; nr < 40; nr++)
            hypercall(nr, US + nr);
        now_ns += US;
    }
    tick();
    for (acct = A; acct < NR_ACCT; acct++)
        for (nr = 0; nr < 40; nr++)
            is_sum(HYPERCALL, acct, nr, 1, US + nr);
    run(0, &a_vcpu);
}

/* An IPI of arm64: it does not count as an interrupt, and could interrupt a writer of rows. */
static void work_with_interrupts_disabled_writes_no_row(void **unused)
{
    unsigned int nr;

    (void)unused;
    irqs_off = true;
    for (nr = 0; nr < SCHEDLOG_WORK_MANY + 10; nr++)
        hypercall(nr, US);
    assert_int_equal(nr_rows(0), 0);
    irqs_off = false;
    hypercall(nr, US);
    assert_int_equal(nr_rows(0), nr + 1);
}

/* Interrupts also come while work is added up, and while sums are logged. */
static void interrupts_anywhere_lose_nothing(void **unused)
{
    unsigned int every, i;

    (void)unused;
    for (every = 1; every < 50; every++) {
        for (i = 0; i < 20; i++) {
            interrupts_left = i % every == 0 ? 1 + every % 7 : 0;
            hypercall(i, US);
        }
        interrupts_left = every;
        tick();
        interrupts_left = 0;
    }
    tick();
    for (i = 0; i < 20; i++)
        is_sum(HYPERCALL, A, i, 49, 49 * US);
    assert_in_range(nr_interrupts, 500, 100000);
    is_sum(IRQ, A, XEN_SCHEDLOG_IRQ_TIMER, nr_interrupts, nr_interrupts * 100);
}

static void work_without_an_end_hides_no_other(void **unused)
{
    unsigned int i;

    (void)unused;
    for (i = 0; i < 1000; i++) {
        schedlog_softirq(TASKLET_SOFTIRQ);
        hypercall(SCHED_OP, US);
    }
    tick();
    is_sum(HYPERCALL, A, SCHED_OP, 1000, 1000 * US);
}

static void no_threshold_skips_sums(void **unused)
{
    (void)unused;
    route[A][HYPERCALL] |= 100;
    hypercall(SCHED_OP, US);
    tick();
    is_sum(HYPERCALL, A, SCHED_OP, 1, US);
}

static void a_long_time_saturates(void **unused)
{
    (void)unused;
    hypercall(SCHED_OP, 5000 * MILLISECS(1));
    tick();
    is_sum(HYPERCALL, A, SCHED_OP, 1, XEN_SCHEDLOG_WORK_TIME_MASK);
}

/* For example after a suspend. */
static void events_that_begin_find_nothing(void **unused)
{
    (void)unused;
    hypercall(SCHED_OP, US);
    schedlog_begin(HYPERCALL, SCHED_OP);
    schedlog_work_start(fake_schedlog_pcpu[0]);
    schedlog_end(HYPERCALL);
    tick();
    assert_int_equal(nr_rows(0), 0);
}

static void reason_is(unsigned int event, unsigned int reason)
{
    struct sum before = sum_of(event, A, reason);

    schedlog_end(event);
    tick();
    assert_int_equal(sum_of(event, A, reason).times, before.times + 1);
}

static void reasons_of_the_cpu_have_names(void **unused)
{
    const struct irq_desc guest = { IRQ_GUEST };

    (void)unused;
    schedlog_apic_irq(INVALIDATE_TLB_VECTOR);
    reason_is(IRQ, XEN_SCHEDLOG_IRQ_FLUSH);
    schedlog_apic_irq(0xf9);
    reason_is(IRQ, XEN_SCHEDLOG_IRQ_OTHER);
    schedlog_irq(&guest);
    reason_is(IRQ, XEN_SCHEDLOG_IRQ_GUEST);
    schedlog_softirq(SCHED_SLAVE_SOFTIRQ);
    reason_is(IRQ, XEN_SCHEDLOG_SOFTIRQ_SCHEDULE);
    schedlog_softirq(NEW_TLBFLUSH_CLOCK_PERIOD_SOFTIRQ);
    reason_is(IRQ, XEN_SCHEDLOG_SOFTIRQ_OTHER);
    schedlog_flush(FLUSH_TLB_GLOBAL | FLUSH_VCPU_STATE);
    reason_is(FLUSH, XEN_SCHEDLOG_FLUSH_TLB);
    schedlog_flush(FLUSH_VCPU_STATE);
    reason_is(FLUSH, XEN_SCHEDLOG_FLUSH_STATE);
    schedlog_flush(FLUSH_CACHE);
    reason_is(FLUSH, XEN_SCHEDLOG_FLUSH_OTHER);
}

static void reasons_of_exits_keep_the_vendors_apart(void **unused)
{
    (void)unused;
    schedlog_vmx_exit(0x80000000 | 33); /* bit 31: the entry failed */
    reason_is(EXIT, 33);
    schedlog_vmx_exit(600);
    reason_is(EXIT, XEN_SCHEDLOG_WORK_OTHER);
    schedlog_svm_exit(33);
    reason_is(EXIT, XEN_SCHEDLOG_EXIT_SVM + 33);
    schedlog_svm_exit(0x400);
    reason_is(EXIT, XEN_SCHEDLOG_EXIT_NPF);
    schedlog_svm_exit(0x402);
    reason_is(EXIT, XEN_SCHEDLOG_EXIT_NPF + 2);
    schedlog_svm_exit(-1);
    reason_is(EXIT, XEN_SCHEDLOG_WORK_OTHER);
    schedlog_begin(HYPERCALL, 0xdeadbeef);
    reason_is(HYPERCALL, XEN_SCHEDLOG_WORK_OTHER);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up_work, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(many_hypercalls_are_one_row),
        TEST(an_interrupt_is_not_part_of_the_hypercall),
        TEST(interrupts_interrupt_interrupts),
        TEST(calls_in_a_multicall_have_their_own_numbers),
        TEST(the_softirq_that_switches_ends_there),
        TEST(work_of_another_run_interval_is_not_ended),
        TEST(work_that_began_while_the_event_was_off_has_no_end),
        TEST(work_without_an_end_ends_with_the_work_around_it),
        TEST(an_idle_pcpu_is_interrupted_too),
        TEST(no_reason_is_lost),
        TEST(work_with_interrupts_disabled_writes_no_row),
        TEST(interrupts_anywhere_lose_nothing),
        TEST(work_without_an_end_hides_no_other),
        TEST(no_threshold_skips_sums),
        TEST(a_long_time_saturates),
        TEST(events_that_begin_find_nothing),
        TEST(reasons_of_the_cpu_have_names),
        TEST(reasons_of_exits_keep_the_vendors_apart),
    };

    return run_tap_tests(tests);
}
