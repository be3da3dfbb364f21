/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the hypervisor's tick: a busy pCPU has a hundred per second, and an idle pCPU with nothing
 * to report has two.  Rows still hold all of the pCPU's time, in parts that fit into 32 bits, and
 * the doorbell still rings in time.
 *
 * The test compiles the hypervisor's own tick.c, stay.c, doorbell.c and record handler, on a pCPU
 * whose time it controls.
 */
#include "cmocka-tap.h"

#include "world.h"

#include "common/schedlog/tick.c"
#define is_on is_kind_on
#include "common/schedlog/stay.c"
#undef is_on
#include "common/schedlog/doorbell.c"

#define GUEST 2
#define SIZE (1U << 20)
#define EVENT(NAME) (1U << XEN_SCHEDLOG_EV_##NAME)
#define LCR (XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT | \
             XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER | \
             XEN_SCHEDLOG_LCR_TIME_TICK)

struct row {
    uint16_t event, current, correspondent, pad;
    uint32_t counter, tick;
};

s_time_t now_ns;
struct jump_label schedlog_label[XEN_SCHEDLOG_NR_EVENTS];
static const struct vcpu idle_vcpu = { XEN_SCHEDLOG_ACCT_XEN, true, { 0 } };
static struct vcpu busy_vcpu = { GUEST, false, { 0 } };
const struct vcpu *current;
struct schedlog_pcpu *fake_schedlog_pcpu;

static uint64_t route[4][XEN_SCHEDLOG_NR_EVENTS];
static uint32_t skipped[4 * XEN_SCHEDLOG_NR_EVENTS];
static uint32_t lcr[1];
static uint64_t mark[1];
static struct xen_schedlog_state state[1];
static uint8_t data[SIZE];
static unsigned int nr_ticks, nr_rings, nr_samples, nr_work_ticks, nr_work_starts;

void send_global_virq(uint32_t virq)
{
    assert_int_equal(virq, VIRQ_SCHEDLOG);
    nr_rings++;
}

void schedlog_runq(unsigned int cpu)
{
    assert_int_equal(cpu, smp_processor_id());
    nr_samples++;
}

void schedlog_memory_tick(struct schedlog_pcpu *pcpu)
{
    assert_non_null(pcpu);
}

void schedlog_work_tick(struct schedlog_pcpu *pcpu)
{
    assert_ptr_equal(pcpu, fake_schedlog_pcpu);
    nr_work_ticks++;
}

void schedlog_work_start(struct schedlog_pcpu *pcpu)
{
    assert_ptr_equal(pcpu, fake_schedlog_pcpu);
    nr_work_starts++;
}

uint64_t schedlog_read_pmc(unsigned int nr)
{
    return now_ns + nr;
}

uint64_t schedlog_pmc_mask(void)
{
    return (1ULL << 48) - 1;
}

/* Lets time pass, with the timer's interrupts. */
static void pass(s_time_t ns)
{
    struct timer *timer = &fake_schedlog_pcpu->tick;
    s_time_t end = now_ns + ns;

    while (timer->at && timer->at <= end) {
        now_ns = max(now_ns, timer->at);
        timer->at = 0;
        nr_ticks++;
        timer->function(timer->data);
    }
    now_ns = end;
}

static unsigned int ticks_in(s_time_t ns)
{
    unsigned int before = nr_ticks;

    pass(ns);

    return nr_ticks - before;
}

static void switch_to(const struct vcpu *next)
{
    const struct vcpu *prev = current;

    SCHEDLOG(SERVICE_NS, schedlog_switch, prev, next, now_ns);
    current = next;
}

static void turn_on(uint32_t events)
{
    unsigned int i;

    schedlog_stay_start(events);
    for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++)
        schedlog_label[i].on = events & (1U << i);
    if (events & SCHEDLOG_STAY_EVENTS)
        schedlog_label[XEN_SCHEDLOG_EV_SERVICE_NS].on = true;
    schedlog_set_ticking(events);
}

static int set_up(void **unused)
{
    struct schedlog_pcpu *pcpu = calloc(1, sizeof(*pcpu) + sizeof(struct schedlog_file));
    unsigned int i;

    (void)unused;
    now_ns = 1000 * MILLISECS(1000);
    nr_ticks = nr_rings = nr_samples = nr_work_ticks = nr_work_starts = 0;
    mark[0] = 0;
    memset(state, 0, sizeof(state));
    lcr[0] = LCR;
    for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++)
        route[XEN_SCHEDLOG_ACCT_XEN][i] = route[GUEST][i] = XEN_SCHEDLOG_ROUTE_VALID;
    pcpu->mark = mark;
    pcpu->cpu.lcr = lcr;
    pcpu->cpu.route = route[0];
    pcpu->cpu.skipped = skipped;
    pcpu->cpu.acct_mask = 3;
    schedlog_init_file(&pcpu->cpu.file[0], data, SIZE, &state[0]);
    fake_schedlog_pcpu = pcpu;
    current = &idle_vcpu;

    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    turn_on(0);
    free(fake_schedlog_pcpu);

    return 0;
}

static unsigned int nr_rows(void)
{
    return state[0].pos / sizeof(struct row);
}

static struct row row(unsigned int nr)
{
    struct row r;

    memcpy(&r, data + nr * sizeof(r), sizeof(r));

    return r;
}

/* Returns the sum of @acct's rows from @first on. */
static uint64_t used(unsigned int event, uint16_t acct, unsigned int first)
{
    uint64_t sum = 0;

    for (; first < nr_rows(); first++)
        if (row(first).event == event && row(first).current == acct)
            sum += row(first).counter;

    return sum;
}

static void an_idle_pcpu_is_left_alone(void **unused)
{
    (void)unused;
    turn_on(EVENT(SERVICE_NS) | EVENT(EVTCHN_SEND) | EVENT(WAKE_DELAY));
    pass(MILLISECS(1000));
    assert_in_range(ticks_in(MILLISECS(10000)), 1, 21);
}

/* A mean length of a run queue needs samples at equal intervals. */
static void run_queues_of_idle_pcpus_are_sampled_as_ever(void **unused)
{
    (void)unused;
    turn_on(EVENT(SERVICE_NS) | EVENT(RUNQ));
    pass(MILLISECS(1000));
    nr_samples = 0;
    pass(MILLISECS(1000));
    assert_in_range(nr_samples, 99, 101);
}

static void a_busy_one_has_a_hundred_ticks_in_a_second(void **unused)
{
    (void)unused;
    turn_on(EVENT(SERVICE_NS));
    pass(MILLISECS(3333));
    switch_to(&busy_vcpu);
    assert_in_range(ticks_in(MILLISECS(10)), 0, 1);
    assert_in_range(ticks_in(MILLISECS(1000)), 99, 101);
    switch_to(&idle_vcpu);
    assert_in_range(ticks_in(MILLISECS(10000)), 1, 21);
}

/* Without the site, nothing reports that such a pCPU gets work. */
static void without_the_site_ticks_are_as_ever(void **unused)
{
    (void)unused;
    turn_on(EVENT(RUNQ));
    assert_in_range(ticks_in(MILLISECS(1000)), 99, 101);
    assert_in_range(nr_samples, 99, 101);
    turn_on(0);
    assert_int_equal(ticks_in(MILLISECS(1000)), 0);
}

/* 32 bits have room for 4.3 s of ns and for 1.07 s of this TSC. */
static void a_minute_of_idleness_is_logged(uint32_t more)
{
    unsigned int first;

    turn_on(EVENT(SERVICE_NS) | EVENT(SERVICE_TSC) | more);
    switch_to(&busy_vcpu);
    pass(MILLISECS(100));
    switch_to(&idle_vcpu);
    first = nr_rows();
    pass(MILLISECS(60000));
    switch_to(&busy_vcpu);
    assert_int_equal(used(XEN_SCHEDLOG_EV_SERVICE_NS, XEN_SCHEDLOG_ACCT_XEN, first),
                     60000000000);
    assert_int_equal(used(XEN_SCHEDLOG_EV_SERVICE_TSC, XEN_SCHEDLOG_ACCT_XEN, first),
                     240000000000);
    assert_in_range(nr_rows() - first, 2 * 60, 2 * 130);
}

static void all_of_a_long_idle_time_is_logged(void **unused)
{
    (void)unused;
    a_minute_of_idleness_is_logged(0);
}

/* Ticks continue while run queues are sampled. */
static void also_while_run_queues_are_sampled(void **unused)
{
    (void)unused;
    a_minute_of_idleness_is_logged(EVENT(RUNQ));
}

/* A short time is in one row, as without ticks. */
static void a_short_idle_time_has_one_row(void **unused)
{
    unsigned int i, first;

    (void)unused;
    turn_on(EVENT(SERVICE_NS));
    switch_to(&busy_vcpu);
    pass(MILLISECS(5));
    switch_to(&idle_vcpu);
    first = nr_rows();
    for (i = 0; i < 20; i++) {
        pass(MILLISECS(45));
        switch_to(&busy_vcpu);
        pass(MILLISECS(5));
        switch_to(&idle_vcpu);
    }
    assert_in_range(nr_rows() - first, 2 * 20, 3 * 20);
    for (i = first; i < nr_rows(); i++)
        if (row(i).current == XEN_SCHEDLOG_ACCT_XEN)
            assert_int_equal(row(i).correspondent, GUEST);
}

/* Ticks also keep the clock of rows. */
static void rows_know_the_time_after_a_rest(void **unused)
{
    struct row last;

    (void)unused;
    turn_on(EVENT(SERVICE_NS));
    pass(MILLISECS(10000));
    pass(MILLISECS(333));
    switch_to(&busy_vcpu);
    last = row(nr_rows() - 1);
    assert_int_equal(last.correspondent, GUEST);
    assert_int_equal(last.tick, now_ns / MILLISECS(10));
}

/* The clock was read before the vCPU was woken by a pCPU whose clock may be ahead. */
static void time_before_a_wakeup_is_not_charged(void **unused)
{
    (void)unused;
    turn_on(EVENT(SERVICE_NS));
    pass(MILLISECS(5));
    busy_vcpu.runstate.state_entry_time = now_ns + 15000;
    switch_to(&busy_vcpu);
    pass(MILLISECS(3));
    switch_to(&idle_vcpu);
    assert_int_equal(used(XEN_SCHEDLOG_EV_SERVICE_NS, GUEST, 0), MILLISECS(3) - 15000);
    /* The vCPU leaves before that time: Xen accounts nothing. */
    busy_vcpu.runstate.state_entry_time = now_ns + MILLISECS(2);
    switch_to(&busy_vcpu);
    pass(MILLISECS(1));
    switch_to(&idle_vcpu);
    assert_int_equal(used(XEN_SCHEDLOG_EV_SERVICE_NS, GUEST, 0), MILLISECS(3) - 15000);
    busy_vcpu.runstate.state_entry_time = 0;
}

static void it_rings_until_it_is_answered(void **unused)
{
    (void)unused;
    turn_on(EVENT(SERVICE_NS));
    switch_to(&busy_vcpu);
    pass(MILLISECS(50));
    mark[0] = 1;
    switch_to(&idle_vcpu);
    pass(MILLISECS(1000));
    assert_in_range(nr_rings, 99, 101);
    mark[0] = state[0].pos + SIZE / 2;
    pass(MILLISECS(10));
    nr_rings = 0;
    assert_in_range(ticks_in(MILLISECS(10000)), 1, 21);
    assert_int_equal(nr_rings, 0);
}

/* Time from before the events were off is not charged to them. */
static void sums_are_logged_by_ticks_and_begin_at_zero(void **unused)
{
    (void)unused;
    turn_on(EVENT(HYPERCALL_TIME));
    assert_int_equal(nr_work_starts, 1);
    assert_in_range(ticks_in(MILLISECS(1000)), 99, 101);
    assert_int_equal(nr_work_ticks, nr_ticks);
    turn_on(EVENT(HYPERCALL_TIME) | EVENT(IRQ_TIME));
    assert_int_equal(nr_work_starts, 1);
    turn_on(0);
    turn_on(EVENT(IRQ_TIME));
    assert_int_equal(nr_work_starts, 2);
}

/* A pCPU that goes offline has no tick, and one that comes online has one. */
static void hotplug(void **unused)
{
    (void)unused;
    turn_on(EVENT(SERVICE_NS));
    pass(MILLISECS(1000));
    schedlog_stop_tick(1);
    switch_to(&busy_vcpu);
    assert_int_equal(ticks_in(MILLISECS(1000)), 0);
    schedlog_start_tick(1);
    assert_in_range(ticks_in(MILLISECS(1000)), 99, 101);
}

/* Sites of a pCPU that is online add to its sums while another pCPU starts its tick. */
static void a_tick_that_starts_leaves_sums_alone(void **unused)
{
    (void)unused;
    turn_on(EVENT(HYPERCALL_TIME));
    schedlog_stop_tick(1);
    schedlog_start_tick(1);
    assert_int_equal(nr_work_starts, 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_idle_pcpu_is_left_alone),
        TEST(run_queues_of_idle_pcpus_are_sampled_as_ever),
        TEST(a_busy_one_has_a_hundred_ticks_in_a_second),
        TEST(without_the_site_ticks_are_as_ever),
        TEST(all_of_a_long_idle_time_is_logged),
        TEST(also_while_run_queues_are_sampled),
        TEST(a_short_idle_time_has_one_row),
        TEST(rows_know_the_time_after_a_rest),
        TEST(time_before_a_wakeup_is_not_charged),
        TEST(it_rings_until_it_is_answered),
        TEST(sums_are_logged_by_ticks_and_begin_at_zero),
        TEST(hotplug),
        TEST(a_tick_that_starts_leaves_sums_alone),
    };

    return run_tap_tests(tests);
}
