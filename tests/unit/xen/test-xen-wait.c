/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks waits: rows report how long vCPUs waited and which domains had the pCPU, under any
 * scheduler.
 *
 * The test has its own account of the vCPUs that had each pCPU.
 */
#include "pcpus.h"

static void block(unsigned int cpu, struct vcpu *next)
{
    this_pcpu = cpu;
    switch_on(cpu, next, RUNSTATE_blocked);
}

static void is_row(unsigned int cpu, unsigned int nr, unsigned int event, uint16_t waiter,
                   uint16_t holder, uint32_t ns)
{
    struct row r = row(cpu, nr);

    assert_int_equal(r.event, event);
    assert_int_equal(r.current, waiter);
    assert_int_equal(r.correspondent, holder);
    assert_int_equal(r.counter, ns);
}

/* Returns the sum of @waiter's waits in all logs, in ns. */
static uint64_t waited_by(uint16_t waiter)
{
    unsigned int cpu, i;
    uint64_t ns = 0;

    for (cpu = 0; cpu < NR_PCPUS; cpu++)
        for (i = 0; i < nr_rows(cpu); i++)
            if (row(cpu, i).current == waiter && row(cpu, i).event != PART)
                ns += row(cpu, i).counter;

    return ns;
}

static uint64_t waited_for(uint16_t waiter, uint16_t holder)
{
    unsigned int cpu, i;
    uint64_t ns = 0;

    for (cpu = 0; cpu < NR_PCPUS; cpu++)
        for (i = 0; i < nr_rows(cpu); i++)
            if (row(cpu, i).current == waiter && row(cpu, i).correspondent == holder)
                ns += row(cpu, i).counter;

    return ns;
}

static void a_wakeup_waits_for_who_runs(void **unused)
{
    struct vcpu a = vcpu_of(A), b = vcpu_of(B);

    (void)unused;
    wake(&b);
    now_ns += 5 * US;
    run(0, &b);
    now_ns += 500 * US;
    wake(&a);
    now_ns += 300 * US;
    block(0, &a);
    assert_int_equal(nr_rows(0), 2);
    is_row(0, 0, WAKE, B, XEN, 5 * US);
    is_row(0, 1, WAKE, A, B, 300 * US);
}

/* The switch counts for the vCPU that gets the pCPU, however long it takes. */
static void a_preempted_vcpu_waits_for_who_runs(void **unused)
{
    struct vcpu a = vcpu_of(A), b = vcpu_of(B);

    (void)unused;
    wake(&a);
    run(0, &a);
    now_ns += 500 * US;
    wake(&b);
    change(&a, RUNSTATE_runnable);
    now_ns += 20 * US;
    run(0, &b);
    now_ns += 400 * US;
    block(0, &a);
    assert_int_equal(nr_rows(0), 3);
    is_row(0, 2, PREEMPT, A, B, 420 * US);
}

static void where_nobody_runs_it_is_delivery(void **unused)
{
    struct vcpu a = vcpu_of(A);

    (void)unused;
    wake(&a);
    now_ns += 7 * US;
    run(0, &a);
    is_row(0, 0, WAKE, A, XEN, 7 * US);
}

static void a_guest_may_wait_for_itself(void **unused)
{
    struct vcpu a = vcpu_of(A), sibling = vcpu_of(A);

    (void)unused;
    wake(&a);
    run(0, &a);
    now_ns += 500 * US;
    wake(&sibling);
    now_ns += 200 * US;
    run(0, &sibling);
    is_row(0, 1, WAKE, A, A, 200 * US);
}

static void several_share_a_wait(void **unused)
{
    struct vcpu a = vcpu_of(A), b = vcpu_of(B), c = vcpu_of(C);

    (void)unused;
    wake(&b);
    run(0, &b);
    now_ns += MILLISECS(1);
    wake(&a);
    wake(&c);
    now_ns += MILLISECS(8);
    run(0, &c);
    now_ns += MILLISECS(1);
    block(0, &b);
    now_ns += MILLISECS(2);
    block(0, &a);
    assert_int_equal(waited_by(A), MILLISECS(11));
    assert_int_equal(waited_for(A, B), MILLISECS(10));
    assert_int_equal(waited_for(A, C), MILLISECS(1));
    /* The wait comes first, and its parts follow in the same log. */
    is_row(0, nr_rows(0) - 3, WAKE, A, NONE, MILLISECS(11));
    assert_int_equal(row(0, nr_rows(0) - 2).event, PART);
    assert_int_equal(row(0, nr_rows(0) - 1).event, PART);
}

/* The holder of the new pCPU counts, not the vCPU before this one in a queue. */
static void a_vcpu_that_moves_waits_for_who_was_there(void **unused)
{
    struct vcpu a = vcpu_of(A), b = vcpu_of(B), c = vcpu_of(C);

    (void)unused;
    wake(&b);
    run(0, &b);
    wake(&c);
    run(1, &c);
    now_ns += MILLISECS(5);
    a.processor = 0;
    wake(&a);
    now_ns += MILLISECS(3);
    block(1, &a);
    is_row(1, nr_rows(1) - 1, WAKE, A, C, MILLISECS(3));
    now_ns += MILLISECS(1);
    change(&a, RUNSTATE_runnable);
    change(&c, RUNSTATE_runnable);
    now_ns += MILLISECS(1);
    run(2, &a);
    is_row(2, nr_rows(2) - 1, PREEMPT, A, XEN, MILLISECS(1));
}

/* The last pCPU that arrives switches the whole core, and has the rows. */
static void cores_are_switched_as_one(void **unused)
{
    struct vcpu a[2] = { vcpu_of(A), vcpu_of(A) }, b = vcpu_of(B), c = vcpu_of(C);
    unsigned int cpu;

    (void)unused;
    for (cpu = 0; cpu < 2; cpu++) {
        wake(cpu ? &c : &b);
        this_pcpu = 1;
        switch_on(cpu, cpu ? &c : &b, RUNSTATE_runnable);
    }
    now_ns += MILLISECS(2);
    wake(&a[0]);
    wake(&a[1]);
    now_ns += MILLISECS(4);
    for (cpu = 0; cpu < 2; cpu++) {
        this_pcpu = 1;
        switch_on(cpu, &a[cpu], RUNSTATE_blocked);
    }
    assert_int_equal(nr_rows(0), 0);
    is_row(1, nr_rows(1) - 2, WAKE, A, B, MILLISECS(4));
    is_row(1, nr_rows(1) - 1, WAKE, A, C, MILLISECS(4));
}

static void what_was_before_is_unknown(void **unused)
{
    struct vcpu a = vcpu_of(A), b = vcpu_of(B);

    (void)unused;
    turn_on(0);
    wake(&b);
    run(0, &b);
    now_ns += MILLISECS(5);
    wake(&a);
    turn_on(WAITS);
    now_ns += MILLISECS(1);
    /* This wait began while waits were not noted, so its begin is unknown. */
    block(0, &a);
    assert_int_equal(nr_rows(0), 0);
    now_ns += MILLISECS(1);
    wake(&b);
    now_ns += MILLISECS(1);
    block(0, &b);
    is_row(0, 0, WAKE, B, A, MILLISECS(1));
}

static void unknown_holders_are_not_guessed(void **unused)
{
    struct vcpu a = vcpu_of(A), b = vcpu_of(B);

    (void)unused;
    wake(&b);
    run(0, &b);
    turn_on(0);
    now_ns += MILLISECS(5);
    turn_on(WAITS);
    wake(&a);
    now_ns += MILLISECS(1);
    block(0, &a);
    is_row(0, 1, WAKE, A, NONE, MILLISECS(1));
    assert_int_equal(nr_rows(0), 2);
}

/* The history is shorter than the wait: the known part is charged, the rest to no domain. */
static void a_long_wait_has_the_latest_holders(void **unused)
{
    struct vcpu a = vcpu_of(A), b = vcpu_of(B), c = vcpu_of(C);
    unsigned int i;

    (void)unused;
    wake(&a);
    wake(&b);
    wake(&c);
    run(0, &b);
    for (i = 0; i < 100; i++) {
        now_ns += 100 * US;
        run(0, &c);
        now_ns += 10 * US;
        run(0, &b);
    }
    now_ns += 100 * US;
    run(0, &a);
    assert_int_equal(waited_by(A), (uint64_t)101 * 100 * US + 100 * 10 * US);
    assert_int_equal(waited_for(A, B), 32 * 100 * US);
    assert_int_equal(waited_for(A, C), 32 * 10 * US);
}

static void a_crowd_has_no_more_rows_than_parts(void **unused)
{
    struct vcpu a = vcpu_of(A), other[12];
    unsigned int i, before;

    (void)unused;
    wake(&a);
    for (i = 0; i < 12; i++) {
        other[i] = vcpu_of(B + i);
        wake(&other[i]);
        run(0, &other[i]);
        now_ns += MILLISECS(1);
    }
    before = nr_rows(0);
    block(0, &a);
    assert_int_equal(nr_rows(0) - before, 1 + SCHEDLOG_WAIT_PARTS);
    assert_int_equal(waited_for(A, B + 11), MILLISECS(1));
    assert_int_equal(waited_for(A, B), 0);
}

static void a_threshold_leaves_waits_whole(void **unused)
{
    struct vcpu a = vcpu_of(A), b = vcpu_of(B), c = vcpu_of(C);
    unsigned int i;

    (void)unused;
    route[A][WAKE] = XEN_SCHEDLOG_ROUTE_VALID | 2;
    route[A][PART] = XEN_SCHEDLOG_ROUTE_VALID | 7;
    wake(&b);
    wake(&c);
    run(0, &b);
    for (i = 0; i < 10; i++) {
        now_ns += MILLISECS(1);
        wake(&a);
        now_ns += MILLISECS(1);
        run(0, &c);
        now_ns += MILLISECS(1);
        run(0, &a);
        now_ns += MILLISECS(1);
        block(0, &b);
    }
    assert_int_equal(waited_by(A), 5 * MILLISECS(2));
    assert_int_equal(waited_for(A, B), 5 * MILLISECS(1));
    assert_int_equal(waited_for(A, C), 5 * MILLISECS(1));
}

/* The vCPU is paused, or its pCPU goes offline and another queue gets the vCPU. */
static void a_wait_that_ends_without_a_run_has_a_row(void **unused)
{
    struct vcpu a = vcpu_of(A), b = vcpu_of(B), c = vcpu_of(C);

    (void)unused;
    wake(&b);
    run(0, &b);
    now_ns += 500 * US;
    wake(&a);
    wake(&c);
    now_ns += MILLISECS(3);
    this_pcpu = 2;
    change(&a, RUNSTATE_offline);
    is_row(2, 0, WAKE, A, B, MILLISECS(3));
    assert_int_equal(row(2, 0).reason & XEN_SCHEDLOG_REASON_CUT, XEN_SCHEDLOG_REASON_CUT);
    now_ns += MILLISECS(5);
    wake(&a);
    now_ns += MILLISECS(1);
    run(0, &a);
    is_row(0, nr_rows(0) - 1, WAKE, A, B, MILLISECS(1));
    assert_int_equal(row(0, nr_rows(0) - 1).reason & XEN_SCHEDLOG_REASON_CUT, 0);
    /* Other vCPUs had the pCPU in turn. */
    now_ns += MILLISECS(1);
    run(0, &b);
    now_ns += MILLISECS(4);
    run(0, &c);
    now_ns += MILLISECS(2);
    this_pcpu = 2;
    change(&a, RUNSTATE_blocked);
    is_row(2, 1, PREEMPT, A, NONE, MILLISECS(6));
    assert_int_equal(nr_rows(2), 4);
    assert_int_equal(row(2, 2).event, PART);
    assert_int_equal(row(2, 3).event, PART);
    assert_int_equal(waited_by(A), a.runstate.time[RUNSTATE_runnable]);
}

/* A reader of rows without reasons assumes that the vCPU runs after each wait. */
static void without_reasons_waits_that_are_cut_have_no_rows(void **unused)
{
    struct vcpu a = vcpu_of(A), b = vcpu_of(B), c = vcpu_of(C);

    (void)unused;
    lcr[0] &= ~XEN_SCHEDLOG_LCR_REASON;
    wake(&a);
    wake(&b);
    run(0, &b);
    now_ns += MILLISECS(1);
    wake(&c);
    run(0, &c);
    now_ns += MILLISECS(1);
    this_pcpu = 2;
    change(&a, RUNSTATE_offline);
    assert_int_equal(nr_rows(2), 0);
    wake(&a);
    now_ns += MILLISECS(1);
    run(0, &a);
    is_row(0, nr_rows(0) - 1, WAKE, A, C, MILLISECS(1));
    assert_int_equal(row(0, nr_rows(0) - 1).reason, 0);
}

static void an_interrupt_writes_no_row(void **unused)
{
    struct vcpu a = vcpu_of(A);

    (void)unused;
    wake(&a);
    now_ns += MILLISECS(1);
    fake_in_irq = true;
    change(&a, RUNSTATE_offline);
    fake_in_irq = false;
    assert_int_equal(nr_rows(0), 0);
}

static void a_move_is_from_where_it_ran(void **unused)
{
    struct vcpu a = vcpu_of(A);

    (void)unused;
    turn_on(1U << XEN_SCHEDLOG_EV_MIGRATE);
    wake(&a);
    run(0, &a);
    block(0, &idle[0]);
    wake(&a);
    run(0, &a);
    assert_int_equal(nr_rows(0), 0);
    block(0, &idle[0]);
    a.processor = 1;
    wake(&a);
    run(2, &a);
    assert_int_equal(nr_rows(2), 1);
    is_row(2, 0, XEN_SCHEDLOG_EV_MIGRATE, A, NONE, 0 << 16 | 2);
}

static void events_are_chosen_one_by_one(void **unused)
{
    struct vcpu a = vcpu_of(A), b = vcpu_of(B), c = vcpu_of(C);

    (void)unused;
    turn_on(1U << WAKE);
    wake(&a);
    run(0, &a);
    wake(&b);
    wake(&c);
    now_ns += MILLISECS(1);
    run(0, &b);
    now_ns += MILLISECS(1);
    run(0, &c);
    now_ns += MILLISECS(1);
    run(0, &a);
    assert_int_equal(nr_rows(0), 3);
    is_row(0, 2, WAKE, C, NONE, MILLISECS(2));
}

/*
 * Kinds of hosts: vCPUs in one queue that some pCPUs share, as with credit2; in a queue per pCPU,
 * from which an idle pCPU steals, as with credit; each on its own pCPU, as with null; in one queue,
 * and runnable without a pCPU after their budget, as with rtds; in two cpupools, between which a
 * pCPU moves; two by two on cores; or in one queue, while pCPUs go offline or toolstacks pause
 * vCPUs.
 */
enum kind { SHARED, OWN, SINGLE, BUDGETS, POOLS, CORES, CUTS };

struct charge {
    uint64_t ns[NR_ACCT][NR_ACCT];
};

#define NR_VCPUS 10

static struct vcpu crowd[NR_VCPUS];

/* Charges the last @step ns of each wait when the wait ends, by its pCPU. */
static struct history {
    uint16_t holder[NR_PCPUS][1U << 20];
    unsigned int nr;
} history;

static void charge_wait(struct charge *charge, const struct vcpu *v, unsigned int cpu,
                        unsigned int since)
{
    unsigned int i;

    for (i = since; i < history.nr; i++)
        charge->ns[v->schedlog_acct][history.holder[cpu][i]]++;
}

static unsigned int nr_of(enum kind kind)
{
    return kind == SINGLE ? NR_PCPUS : NR_VCPUS;
}

/* In steps of run time. */
#define BUDGET 30
#define PERIOD 150
static unsigned int budget[NR_VCPUS];

/* The pool of each pCPU; vCPUs with even numbers are in the first pool. */
static unsigned int pool[NR_PCPUS];

static unsigned int since[NR_VCPUS];

static bool may_run(enum kind kind, unsigned int vcpu, unsigned int cpu)
{
    switch (kind) {
    case OWN:
        return vcpu % NR_PCPUS == cpu || rand() % 50 == 0;
    case SINGLE:
        return vcpu % NR_PCPUS == cpu;
    case BUDGETS:
        return budget[vcpu];
    case POOLS:
        return vcpu % 2 == pool[cpu];
    default:
        return true;
    }
}

/* Takes the pCPU from its vCPU, which then waits. */
static void evict(unsigned int cpu)
{
    struct vcpu *prev = running[cpu];

    if (prev->idle)
        return;
    since[prev - crowd] = history.nr;
    run(cpu, &idle[cpu]);
}

static void step_budgets(void)
{
    unsigned int cpu, i;

    for (i = 0; history.nr % PERIOD == 0 && i < NR_VCPUS; i++)
        budget[i] = BUDGET;
    for (cpu = 0; cpu < NR_PCPUS; cpu++)
        if (!running[cpu]->idle && !budget[running[cpu] - crowd]--) {
            budget[running[cpu] - crowd] = 0;
            evict(cpu);
        }
}

static void step_pools(void)
{
    if (history.nr % 700)
        return;
    evict(2);
    pool[2] = !pool[2];
}

/* Gives @cpu to @next. */
static void take_over(struct charge *charge, unsigned int cpu, struct vcpu *next, bool blocks)
{
    struct vcpu *prev = running[cpu];

    charge_wait(charge, next, cpu, since[next - crowd]);
    if (!prev->idle)
        since[prev - crowd] = history.nr;
    switch_on(cpu, next, prev->idle || !blocks ? RUNSTATE_runnable : RUNSTATE_blocked);
}

static void step_pcpu(enum kind kind, struct charge *charge)
{
    unsigned int cpu = rand() % NR_PCPUS, i = rand() % nr_of(kind);

    this_pcpu = cpu;
    if (crowd[i].runstate.state == RUNSTATE_runnable && may_run(kind, i, cpu))
        take_over(charge, cpu, &crowd[i], rand() % 2);
    else if (!running[cpu]->idle && rand() % 20 == 0)
        block(cpu, &idle[cpu]);
}

/*
 * Two vCPUs of a domain are a unit that has both pCPUs of a core.  If one of the two sleeps, its
 * pCPU is idle.  The pCPU that arrives last switches both.
 */
static bool is_on_core(unsigned int unit, unsigned int core)
{
    const struct vcpu *first = &crowd[2 * unit];

    return running[2 * core] == first || running[2 * core + 1] == first + 1;
}

static void step_unit(struct charge *charge, unsigned int core, unsigned int unit, bool blocks)
{
    unsigned int i;

    this_pcpu = 2 * core + rand() % 2;
    for (i = 0; i < 2; i++) {
        struct vcpu *next = &crowd[2 * unit + i];
        unsigned int cpu = 2 * core + i;

        if (next->runstate.state == RUNSTATE_runnable)
            take_over(charge, cpu, next, blocks);
        else if (running[cpu] != next && blocks)
            switch_on(cpu, &idle[cpu], RUNSTATE_blocked);
        else if (running[cpu] != next)
            evict(cpu);
    }
}

static void step_core(struct charge *charge)
{
    unsigned int core = rand() % (NR_PCPUS / 2), unit = rand() % (NR_VCPUS / 2);
    unsigned int cpu = 2 * core + rand() % 2;
    const struct vcpu *first = &crowd[2 * unit];
    bool wants = first[0].runstate.state == RUNSTATE_runnable ||
                 first[1].runstate.state == RUNSTATE_runnable;

    if (wants && !is_on_core(unit, !core))
        step_unit(charge, core, unit, rand() % 2);
    else if (!running[cpu]->idle && rand() % 20 == 0)
        block(cpu, &idle[cpu]);
}

/* The vCPU is paused for no time, and waits again. */
static void step_cuts(struct charge *charge)
{
    struct vcpu *v = &crowd[rand() % NR_VCPUS];

    if (v->runstate.state != RUNSTATE_runnable || rand() % 100)
        return;
    this_pcpu = rand() % NR_PCPUS;
    charge_wait(charge, v, v->processor, since[v - crowd]);
    change(v, RUNSTATE_offline);
    wake(v);
    since[v - crowd] = history.nr;
}

static void wake_some(enum kind kind)
{
    unsigned int i;

    for (i = 0; i < nr_of(kind); i++)
        if (crowd[i].runstate.state == RUNSTATE_blocked && rand() % 40 == 0) {
            wake(&crowd[i]);
            since[i] = history.nr;
        }
}

/* Each step has 10 us. */
static void simulate(enum kind kind, struct charge *charge)
{
    unsigned int cpu, i, step;

    srand(1);
    history.nr = 0;
    memset(since, 0, sizeof(since));
    memset(budget, 0, sizeof(budget));
    for (cpu = 0; cpu < NR_PCPUS; cpu++)
        pool[cpu] = cpu / 2;
    for (i = 0; i < nr_of(kind); i++)
        crowd[i] = vcpu_of(A + (kind == CORES ? i / 2 : i));
    for (step = 0; step < 200000; step++) {
        wake_some(kind);
        if (kind == BUDGETS)
            step_budgets();
        if (kind == POOLS)
            step_pools();
        if (kind == CUTS)
            step_cuts(charge);
        if (kind == CORES)
            step_core(charge);
        else
            step_pcpu(kind, charge);
        for (cpu = 0; cpu < NR_PCPUS; cpu++)
            history.holder[cpu][history.nr] = running[cpu]->schedlog_acct;
        history.nr++;
        now_ns += 10 * US;
    }
}

static uint64_t ready_of(enum kind kind, uint16_t acct)
{
    uint64_t ready = 0;
    unsigned int i;

    for (i = 0; i < nr_of(kind); i++)
        if (crowd[i].schedlog_acct == acct)
            ready += crowd[i].runstate.time[RUNSTATE_runnable];

    return ready;
}

/* At least 99 % of the waits are charged to the holder of the pCPU. */
static void compare(enum kind kind)
{
    static struct charge charge;
    uint64_t all = 0, right = 0;
    unsigned int waiter, holder;

    memset(&charge, 0, sizeof(charge));
    simulate(kind, &charge);
    for (waiter = A; waiter < NR_ACCT; waiter++)
        for (holder = 0; holder < NR_ACCT; holder++) {
            uint64_t is = charge.ns[waiter][holder] * 10 * US;
            uint64_t said = waited_for(waiter, holder);

            all += is;
            right += said < is ? said : is;
        }
    assert_true(all > MILLISECS(100));
    assert_in_range(right, all - all / 100, all);
    /* What a vCPU ran, waited and slept is all of its time. */
    for (waiter = A; waiter < NR_ACCT; waiter++) {
        uint64_t ready = ready_of(kind, waiter);

        assert_in_range(waited_by(waiter), ready - ready / 1000, ready);
    }
}

static void in_a_shared_queue(void **unused)
{
    (void)unused;
    compare(SHARED);
}

static void in_queues_of_pcpus(void **unused)
{
    (void)unused;
    compare(OWN);
}

static void on_pcpus_of_their_own(void **unused)
{
    unsigned int i;

    (void)unused;
    compare(SINGLE);
    for (i = 0; i < NR_PCPUS; i++)
        assert_int_equal(waited_for(A + i, XEN), waited_by(A + i));
}

static void when_budgets_are_used_up(void **unused)
{
    (void)unused;
    compare(BUDGETS);
}

static void in_cpupools(void **unused)
{
    (void)unused;
    compare(POOLS);
}

static void on_cores(void **unused)
{
    (void)unused;
    compare(CORES);
}

static void when_waits_are_cut(void **unused)
{
    (void)unused;
    compare(CUTS);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_wakeup_waits_for_who_runs),
        TEST(a_preempted_vcpu_waits_for_who_runs),
        TEST(where_nobody_runs_it_is_delivery),
        TEST(a_guest_may_wait_for_itself),
        TEST(several_share_a_wait),
        TEST(a_vcpu_that_moves_waits_for_who_was_there),
        TEST(cores_are_switched_as_one),
        TEST(what_was_before_is_unknown),
        TEST(unknown_holders_are_not_guessed),
        TEST(a_long_wait_has_the_latest_holders),
        TEST(a_crowd_has_no_more_rows_than_parts),
        TEST(a_threshold_leaves_waits_whole),
        TEST(a_wait_that_ends_without_a_run_has_a_row),
        TEST(without_reasons_waits_that_are_cut_have_no_rows),
        TEST(an_interrupt_writes_no_row),
        TEST(a_move_is_from_where_it_ran),
        TEST(events_are_chosen_one_by_one),
        TEST(in_a_shared_queue),
        TEST(in_queues_of_pcpus),
        TEST(on_pcpus_of_their_own),
        TEST(when_budgets_are_used_up),
        TEST(in_cpupools),
        TEST(on_cores),
        TEST(when_waits_are_cut),
    };

    return run_tap_tests(tests);
}
