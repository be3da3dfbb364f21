/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waits: rows say how long vCPUs waited and who had the pCPU meanwhile, whatever
 * the scheduler is; why they had left it, and what woke them.
 *
 * The hypervisor's own wait.c, off.c and record handler are compiled here.  The test
 * moves vCPUs as Xen's schedulers do, and holds its own account of who had which
 * pCPU when.
 */
#include "cmocka-tap.h"

#include "world.h"

#include "common/schedlog/wait.c"
#include "common/schedlog/off.c"

#undef current

#define A 2
#define B 3
#define C 4
#define NR_ACCT 16
#define SIZE (1U << 20)
#define NONE XEN_SCHEDLOG_ACCT_NONE
#define XEN XEN_SCHEDLOG_ACCT_XEN
#define WAKE XEN_SCHEDLOG_EV_WAKE_DELAY
#define PREEMPT XEN_SCHEDLOG_EV_PREEMPT_DELAY
#define PART XEN_SCHEDLOG_EV_WAIT_PART
#define OFF XEN_SCHEDLOG_EV_OFF_CPU
/* Those which are rows of waits, on which most tests count. */
#define WAITS (SCHEDLOG_WAIT_EVENTS & ~(1U << OFF))
#define US 1000

struct row {
    uint16_t event, current, correspondent, pad;
    uint32_t counter, pad_end;
};

s_time_t now_ns;
unsigned int this_pcpu;
struct schedlog_pcpu *fake_schedlog_pcpu[NR_PCPUS];

static uint64_t route[NR_ACCT][XEN_SCHEDLOG_NR_EVENTS];
static uint32_t skipped[NR_PCPUS][NR_ACCT * XEN_SCHEDLOG_NR_EVENTS];
static uint32_t lcr[1];
static struct xen_schedlog_state state[NR_PCPUS];
static uint8_t data[NR_PCPUS][SIZE];

static struct vcpu idle[NR_PCPUS];
struct vcpu *running[NR_PCPUS];
static bool site_on;

/* By number, as accounting domains are. */
static struct domain domain[NR_ACCT];

/* As vcpu_runstate_change(). */
static void change(struct vcpu *v, int new_state)
{
    if (v->runstate.state == new_state)
        return;
    if (site_on)
        schedlog_wait(v, new_state, now_ns);
    v->time[v->runstate.state] += now_ns - v->runstate.state_entry_time;
    v->runstate.state_entry_time = now_ns;
    v->runstate.state = new_state;
}

/* As sched_switch_units(); this runs on @this_pcpu. */
static void switch_on(unsigned int cpu, struct vcpu *next, int state_of_prev)
{
    struct vcpu *prev = running[cpu];

    if (prev == next)
        return;
    change(prev, state_of_prev);
    next->processor = cpu;
    change(next, RUNSTATE_running);
    running[cpu] = next;
}

static void run(unsigned int cpu, struct vcpu *next)
{
    this_pcpu = cpu;
    switch_on(cpu, next, RUNSTATE_runnable);
}

static void block(unsigned int cpu, struct vcpu *next)
{
    this_pcpu = cpu;
    switch_on(cpu, next, RUNSTATE_blocked);
}

static void wake(struct vcpu *v)
{
    change(v, RUNSTATE_runnable);
}

static struct vcpu vcpu_of(uint16_t acct)
{
    return (struct vcpu){
        .schedlog_acct = acct,
        .domain = &domain[acct % NR_ACCT],
        .pause_flags = VPF_blocked,
        .runstate = { RUNSTATE_blocked, now_ns },
    };
}

static void turn_on(uint32_t events)
{
    schedlog_wait_start(events);
    site_on = events & SCHEDLOG_WAIT_EVENTS;
}

static void make_pcpu(unsigned int cpu)
{
    struct schedlog_pcpu *pcpu = calloc(1, sizeof(*pcpu) + sizeof(struct schedlog_file));

    pcpu->cpu.lcr = lcr;
    pcpu->cpu.route = route[0];
    pcpu->cpu.skipped = skipped[cpu];
    pcpu->cpu.acct_mask = NR_ACCT - 1;
    schedlog_init_file(&pcpu->cpu.file[0], data[cpu], SIZE, &state[cpu]);
    fake_schedlog_pcpu[cpu] = pcpu;
    idle[cpu] = (struct vcpu){
        .processor = cpu,
        .idle = true,
        .schedlog_acct = XEN,
        .domain = &domain[XEN],
        .runstate = { RUNSTATE_running, now_ns },
    };
    running[cpu] = &idle[cpu];
}

static int set_up(void **unused)
{
    unsigned int cpu, acct, event;

    (void)unused;
    now_ns = 1000 * MILLISECS(1000);
    memset(state, 0, sizeof(state));
    memset(skipped, 0, sizeof(skipped));
    lcr[0] = XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |
             XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER;
    for (acct = 0; acct < NR_ACCT; acct++)
        domain[acct] = (struct domain){ .schedlog_acct = acct };
    for (acct = 0; acct < NR_ACCT; acct++)
        for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
            route[acct][event] = XEN_SCHEDLOG_ROUTE_VALID;
    for (cpu = 0; cpu < NR_PCPUS; cpu++)
        make_pcpu(cpu);
    turn_on(WAITS);
    /* A first switch each, from when on it is known who has the pCPU. */
    for (cpu = 0; cpu < NR_PCPUS; cpu++)
        schedlog_wait(&idle[cpu], RUNSTATE_running, now_ns);
    now_ns += MILLISECS(100);

    return 0;
}

static int tear_down(void **unused)
{
    unsigned int cpu;

    (void)unused;
    turn_on(0);
    for (cpu = 0; cpu < NR_PCPUS; cpu++)
        free(fake_schedlog_pcpu[cpu]);

    return 0;
}

static unsigned int nr_rows(unsigned int cpu)
{
    return state[cpu].pos / sizeof(struct row);
}

static struct row row(unsigned int cpu, unsigned int nr)
{
    struct row r;

    assert_true(nr < nr_rows(cpu));
    memcpy(&r, data[cpu] + nr * sizeof(r), sizeof(r));

    return r;
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

/* ns in all logs: of the waits, and of what is charged to @holder. */
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

/* The switch itself, in which the vCPU is runnable and nobody else runs yet, is nobody's. */
static void a_preempted_vcpu_waits_for_who_runs(void **unused)
{
    struct vcpu a = vcpu_of(A), b = vcpu_of(B);

    (void)unused;
    wake(&a);
    run(0, &a);
    now_ns += 500 * US;
    wake(&b);
    change(&a, RUNSTATE_runnable);
    now_ns += 1;
    run(0, &b);
    now_ns += 400 * US;
    block(0, &a);
    assert_int_equal(nr_rows(0), 3);
    is_row(0, 2, PREEMPT, A, B, 400 * US + 1);
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

/* It counts who had the pCPU that it gets, and not whom it was queued behind. */
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

/* The last pCPU that arrives switches all of the core, and has the rows. */
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
    /* This wait began while nothing was noted, so nobody knows when. */
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

/* More than is remembered: what is known is charged, the rest to nobody. */
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
 * Any number of vCPUs in one queue that some pCPUs share, as with credit2; in queues of
 * their own pCPUs, as with credit, where an idle pCPU steals; each on its own pCPU, as with
 * null; in one queue, but runnable without a pCPU when their budget is used up, as with rtds;
 * in two cpupools, between which a pCPU moves; or two by two on cores.
 */
enum kind { SHARED, OWN, SINGLE, BUDGETS, POOLS, CORES };

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

/* In steps; as long as it runs. */
#define BUDGET 30
#define PERIOD 150
static unsigned int budget[NR_VCPUS];

/* Of a pCPU; vCPUs with even numbers are in the first. */
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

/* Nobody runs there; that vCPU waits. */
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

/* @next gets @cpu. */
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
 * Two vCPUs of a domain are a unit, which has both pCPUs of a core; while one of the two
 * sleeps, its pCPU idles.  The pCPU that is the last to arrive switches both.
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
            ready += crowd[i].time[RUNSTATE_runnable];

    return ready;
}

/* At least 99 % of what was waited is charged to who had the pCPU. */
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
    /* And what a vCPU ran, waited and slept is all of its time. */
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

/* Why vCPUs leave their pCPU: a domain of one vCPU that comes back after 3 ms. */

#define LEFT(x) XEN_SCHEDLOG_LEFT_##x
#define WOKE(x) XEN_SCHEDLOG_WOKE_##x

static struct vcpu a_vcpu, b_vcpu;

/* It runs on pCPU 0, and only OFF_CPU is logged. */
static void run_first(void)
{
    turn_on(1U << OFF);
    now_ns += MILLISECS(1);
    a_vcpu = vcpu_of(A);
    b_vcpu = vcpu_of(B);
    wake(&a_vcpu);
    run(0, &a_vcpu);
    a_vcpu.pause_flags = 0;
    now_ns += MILLISECS(1);
}

static void leave(int state, unsigned long pause_flags)
{
    this_pcpu = 0;
    a_vcpu.pause_flags = pause_flags;
    switch_on(0, &idle[0], state);
    now_ns += MILLISECS(3);
}

static void come_back(void)
{
    a_vcpu.pause_flags = 0;
    wake(&a_vcpu);
    run(0, &a_vcpu);
}

static void is_off(unsigned int left, uint32_t flags, unsigned int woke, uint16_t waker)
{
    uint32_t time = MILLISECS(3) / 512;
    struct row r = row(0, nr_rows(0) - 1);

    assert_int_equal(r.event, OFF);
    assert_int_equal(r.current, A);
    assert_int_equal(r.counter >> XEN_SCHEDLOG_OFF_LEFT_SHIFT, left);
    assert_int_equal(r.counter >> XEN_SCHEDLOG_OFF_WOKE_SHIFT & XEN_SCHEDLOG_OFF_WOKE_MASK,
                     woke);
    assert_int_equal(r.counter & (XEN_SCHEDLOG_OFF_CAPPED | XEN_SCHEDLOG_OFF_PAUSED), flags);
    assert_in_range(r.counter & XEN_SCHEDLOG_OFF_TIME_MASK, time, time + 1);
    assert_int_equal(r.correspondent, waker);
}

static void who_runs_for_the_first_time_has_left_nothing(void **unused)
{
    (void)unused;
    run_first();
    assert_int_equal(nr_rows(0), 0);
}

static void to_block_is_not_to_poll(void **unused)
{
    (void)unused;
    run_first();
    leave(RUNSTATE_blocked, VPF_blocked);
    come_back();
    is_off(LEFT(BLOCKED), 0, WOKE(OTHER), NONE);

    domain[A].poll_mask[0] = 1;
    leave(RUNSTATE_blocked, VPF_blocked);
    come_back();
    is_off(LEFT(POLLING), 0, WOKE(OTHER), NONE);
}

static void to_spin_is_not_to_yield(void **unused)
{
    (void)unused;
    run_first();
    leave(RUNSTATE_runnable, 0);
    come_back();
    is_off(LEFT(PREEMPTED), 0, WOKE(OTHER), NONE);

    schedlog_yields(LEFT(YIELDED));
    leave(RUNSTATE_runnable, 0);
    come_back();
    is_off(LEFT(YIELDED), 0, WOKE(OTHER), NONE);

    /* The handler of a pause-loop exit calls the function of the hypercall. */
    schedlog_yields(LEFT(SPINNING));
    schedlog_yields(LEFT(YIELDED));
    leave(RUNSTATE_runnable, 0);
    come_back();
    is_off(LEFT(SPINNING), 0, WOKE(OTHER), NONE);
}

/* Long after it has yielded for nobody. */
static void a_yield_that_had_no_effect_is_forgotten(void **unused)
{
    (void)unused;
    run_first();
    schedlog_yields(LEFT(YIELDED));
    schedlog_stays(&a_vcpu);
    now_ns += MILLISECS(1000);
    leave(RUNSTATE_runnable, 0);
    come_back();
    is_off(LEFT(PREEMPTED), 0, WOKE(OTHER), NONE);
}

static void who_is_offline_is_not_always_paused(void **unused)
{
    (void)unused;
    run_first();
    leave(RUNSTATE_offline, 0);
    come_back();
    is_off(LEFT(PAUSED), 0, WOKE(OTHER), NONE);

    leave(RUNSTATE_offline, VPF_migrating);
    come_back();
    is_off(LEFT(MIGRATED), 0, WOKE(OTHER), NONE);

    leave(RUNSTATE_offline, VPF_blocked_in_xen);
    come_back();
    is_off(LEFT(IN_XEN), 0, WOKE(OTHER), NONE);
}

/* credit pauses, credit2 parks, and with rtds the vCPU stays runnable. */
static void a_budget_ends_in_each_scheduler(void **unused)
{
    struct sched_unit unit = { { &a_vcpu } };

    (void)unused;
    run_first();
    schedlog_no_budget(&unit);
    leave(RUNSTATE_offline, 0);
    come_back();
    is_off(LEFT(CAPPED), 0, WOKE(OTHER), NONE);

    /* credit2 lets a vCPU run that is not even runnable in between. */
    schedlog_no_budget(&unit);
    leave(RUNSTATE_offline, VPF_parked);
    a_vcpu.pause_flags = 0;
    run(0, &a_vcpu);
    is_off(LEFT(CAPPED), 0, WOKE(OTHER), NONE);

    schedlog_no_budget(&unit);
    leave(RUNSTATE_runnable, 0);
    come_back();
    is_off(LEFT(CAPPED), 0, WOKE(OTHER), NONE);

    leave(RUNSTATE_runnable, 0);
    come_back();
    is_off(LEFT(PREEMPTED), 0, WOKE(OTHER), NONE);
}

static void what_comes_in_its_way_later_is_a_flag(void **unused)
{
    struct sched_unit unit = { { &a_vcpu } };

    (void)unused;
    run_first();
    leave(RUNSTATE_blocked, VPF_blocked);
    a_vcpu.pause_flags = 0;
    wake(&a_vcpu);
    schedlog_no_budget(&unit);
    run(0, &a_vcpu);
    is_off(LEFT(BLOCKED), XEN_SCHEDLOG_OFF_CAPPED, WOKE(OTHER), NONE);

    leave(RUNSTATE_blocked, VPF_blocked);
    change(&a_vcpu, RUNSTATE_offline);
    come_back();
    is_off(LEFT(BLOCKED), XEN_SCHEDLOG_OFF_PAUSED, WOKE(OTHER), NONE);

    leave(RUNSTATE_blocked, VPF_blocked);
    a_vcpu.pause_flags = VPF_parked;
    change(&a_vcpu, RUNSTATE_offline);
    come_back();
    is_off(LEFT(BLOCKED), XEN_SCHEDLOG_OFF_CAPPED, WOKE(OTHER), NONE);

    leave(RUNSTATE_runnable, 0);
    a_vcpu.pause_flags = VPF_migrating;
    change(&a_vcpu, RUNSTATE_offline);
    come_back();
    is_off(LEFT(PREEMPTED), 0, WOKE(OTHER), NONE);
}

/* By B on pCPU 1, while A is blocked. */
static void wake_by(const struct evtchn *evtchn, unsigned int woke, uint16_t waker)
{
    leave(RUNSTATE_blocked, VPF_blocked);
    this_pcpu = 1;
    schedlog_evtchn_wakes(&a_vcpu, evtchn);
    come_back();
    is_off(LEFT(BLOCKED), 0, woke, waker);
}

static void an_event_channel_says_what_woke(void **unused)
{
    struct evtchn evtchn = { .state = ECS_INTERDOMAIN };

    (void)unused;
    run_first();
    wake(&b_vcpu);
    run(1, &b_vcpu);
    b_vcpu.schedlog_acct = C; /* of this vCPU alone */
    evtchn.u.interdomain.remote_dom = &domain[B];
    wake_by(&evtchn, WOKE(EVTCHN), C);
    /* Xen sends for another domain than the one that runs. */
    evtchn.u.interdomain.remote_dom = &domain[B + 3];
    wake_by(&evtchn, WOKE(EVTCHN), B + 3);
    evtchn = (struct evtchn){ .state = ECS_IPI };
    wake_by(&evtchn, WOKE(IPI), A);
    evtchn = (struct evtchn){ .state = ECS_PIRQ };
    wake_by(&evtchn, WOKE(PIRQ), NONE);
    evtchn = (struct evtchn){ .state = ECS_VIRQ, .u.virq = VIRQ_TIMER };
    wake_by(&evtchn, WOKE(TIMER), NONE);
    evtchn.u.virq = VIRQ_TIMER + 1;
    wake_by(&evtchn, WOKE(VIRQ), NONE);
}

/* B runs on pCPU 1, and sends A an interrupt of the local APIC. */
static void an_interrupt_of_a_local_apic_has_the_senders_name(void **unused)
{
    (void)unused;
    run_first();
    wake(&b_vcpu);
    run(1, &b_vcpu);
    leave(RUNSTATE_blocked, VPF_blocked);
    this_pcpu = 1;
    schedlog_ipi_wakes(&a_vcpu);
    come_back();
    is_off(LEFT(BLOCKED), 0, WOKE(IPI), B);
}

static void the_first_event_has_woken_it(void **unused)
{
    struct evtchn evtchn = { .state = ECS_PIRQ };

    (void)unused;
    run_first();
    leave(RUNSTATE_blocked, VPF_blocked);
    schedlog_timer_wakes(&a_vcpu);
    schedlog_evtchn_wakes(&a_vcpu, &evtchn);
    come_back();
    is_off(LEFT(BLOCKED), 0, WOKE(TIMER), NONE);
    /* And what came while it ran has woken nobody. */
    schedlog_evtchn_wakes(&a_vcpu, &evtchn);
    leave(RUNSTATE_blocked, VPF_blocked);
    come_back();
    is_off(LEFT(BLOCKED), 0, WOKE(OTHER), NONE);
}

/* It was about to sleep, but did not, and then is preempted. */
static void who_did_not_sleep_is_woken_by_nobody(void **unused)
{
    (void)unused;
    run_first();
    a_vcpu.pause_flags = VPF_blocked;
    schedlog_timer_wakes(&a_vcpu);
    leave(RUNSTATE_runnable, 0);
    come_back();
    is_off(LEFT(PREEMPTED), 0, WOKE(OTHER), NONE);
    leave(RUNSTATE_blocked, VPF_blocked);
    come_back();
    is_off(LEFT(BLOCKED), 0, WOKE(OTHER), NONE);
}

static void a_long_sleep_saturates(void **unused)
{
    (void)unused;
    run_first();
    leave(RUNSTATE_blocked, VPF_blocked);
    now_ns += 60 * MILLISECS(1000);
    come_back();
    assert_int_equal(row(0, 0).counter & XEN_SCHEDLOG_OFF_TIME_MASK,
                     XEN_SCHEDLOG_OFF_TIME_MASK);
    assert_int_equal(row(0, 0).counter >> XEN_SCHEDLOG_OFF_LEFT_SHIFT, LEFT(BLOCKED));
}

/* Why it left before the event was on is unknown, and before it was on again as well. */
static void why_it_left_earlier_is_unknown(void **unused)
{
    (void)unused;
    run_first();
    leave(RUNSTATE_blocked, VPF_blocked);
    turn_on(0);
    come_back();
    now_ns += MILLISECS(1);
    change(&a_vcpu, RUNSTATE_blocked);
    now_ns += MILLISECS(1);
    turn_on(1U << OFF);
    come_back();
    assert_int_equal(nr_rows(0), 0);
}

static void another_event_that_is_turned_on_hides_no_reason(void **unused)
{
    (void)unused;
    run_first();
    leave(RUNSTATE_blocked, VPF_blocked);
    turn_on(SCHEDLOG_WAIT_EVENTS);
    come_back();
    is_off(LEFT(BLOCKED), 0, WOKE(OTHER), NONE);
}

static void off_cpu_has_a_threshold_of_its_own(void **unused)
{
    unsigned int i;

    (void)unused;
    run_first();
    turn_on(SCHEDLOG_WAIT_EVENTS);
    route[A][OFF] = XEN_SCHEDLOG_ROUTE_VALID | 2;
    for (i = 0; i < 10; i++) {
        leave(RUNSTATE_blocked, VPF_blocked);
        come_back();
    }
    assert_int_equal(nr_rows(0), 15);
    /* The reason follows the wait. */
    assert_int_equal(row(0, 13).event, WAKE);
    assert_int_equal(row(0, 14).event, OFF);
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
        TEST(events_are_chosen_one_by_one),
        TEST(in_a_shared_queue),
        TEST(in_queues_of_pcpus),
        TEST(on_pcpus_of_their_own),
        TEST(when_budgets_are_used_up),
        TEST(in_cpupools),
        TEST(on_cores),
        TEST(who_runs_for_the_first_time_has_left_nothing),
        TEST(to_block_is_not_to_poll),
        TEST(to_spin_is_not_to_yield),
        TEST(a_yield_that_had_no_effect_is_forgotten),
        TEST(who_is_offline_is_not_always_paused),
        TEST(a_budget_ends_in_each_scheduler),
        TEST(what_comes_in_its_way_later_is_a_flag),
        TEST(an_event_channel_says_what_woke),
        TEST(an_interrupt_of_a_local_apic_has_the_senders_name),
        TEST(the_first_event_has_woken_it),
        TEST(who_did_not_sleep_is_woken_by_nobody),
        TEST(a_long_sleep_saturates),
        TEST(why_it_left_earlier_is_unknown),
        TEST(another_event_that_is_turned_on_hides_no_reason),
        TEST(off_cpu_has_a_threshold_of_its_own),
    };

    return run_tap_tests(tests);
}
