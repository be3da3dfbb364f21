/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Times off the pCPU: rows report why a vCPU had left its pCPU, and what woke it.
 *
 * A domain of one vCPU returns after 3 ms.
 */
#include "pcpus.h"

#include "arch/arm/arm64/schedlog-wake.c"

#define LEFT(x) XEN_SCHEDLOG_LEFT_##x
#define WOKE(x) XEN_SCHEDLOG_WOKE_##x

static struct vcpu a_vcpu, b_vcpu;

/* A runs on pCPU 0, and only OFF_CPU is logged. */
static void run_first(void)
{
    turn_on(1U << OFF);
    now_ns += MILLISECS(1);
    a_vcpu = vcpu_of(A);
    b_vcpu = vcpu_of(B);
    known_vcpu[0] = &a_vcpu;
    known_vcpu[1] = &b_vcpu;
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

static void a_first_run_has_no_row(void **unused)
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

/* The vCPU yielded, but no other one ran; this is long after that. */
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

static void an_offline_vcpu_is_not_always_paused(void **unused)
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
    schedlog_no_budget(NULL);
    leave(RUNSTATE_runnable, 0);
    come_back();
    is_off(LEFT(PREEMPTED), 0, WOKE(OTHER), NONE);

    schedlog_no_budget(&unit);
    leave(RUNSTATE_offline, 0);
    come_back();
    is_off(LEFT(CAPPED), 0, WOKE(OTHER), NONE);

    /* credit2 runs a vCPU that is not even runnable in between. */
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

    /* If both happened, the row reports the budget. */
    leave(RUNSTATE_blocked, VPF_blocked);
    change(&a_vcpu, RUNSTATE_offline);
    wake(&a_vcpu);
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

/* B, on pCPU 1, wakes A, which is blocked. */
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
    b_vcpu.schedlog_acct = C; /* the number of this vCPU alone */
    evtchn.u.interdomain.remote_dom = &domain[B];
    wake_by(&evtchn, WOKE(EVTCHN), C);
    /* Xen sends on behalf of another domain than the one that runs. */
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

/* B, on pCPU 1, injects an interrupt of arm64 into A, which is blocked. */
static void inject(unsigned int virq, const struct irq_desc *desc, unsigned int woke,
                   uint16_t waker)
{
    leave(RUNSTATE_blocked, VPF_blocked);
    this_pcpu = 1;
    schedlog_virq_wakes(&a_vcpu, virq, desc);
    come_back();
    is_off(LEFT(BLOCKED), 0, woke, waker);
}

static void an_interrupt_of_a_gic_says_what_woke(void **unused)
{
    static const struct irq_desc device;

    (void)unused;
    run_first();
    a_vcpu.arch.virt_timer.irq = 27;
    a_vcpu.arch.phys_timer.irq = 30;
    wake(&b_vcpu);
    run(1, &b_vcpu);
    b_vcpu.schedlog_acct = C; /* the number of this vCPU alone */
    inject(0, NULL, WOKE(IPI), C);
    inject(NR_GIC_SGI - 1, NULL, WOKE(IPI), C);
    inject(27, NULL, WOKE(TIMER), NONE);
    inject(30, NULL, WOKE(TIMER), NONE);
    inject(33, &device, WOKE(PIRQ), NONE);
    /* That of event channels, which has no device. */
    inject(NR_GIC_SGI, NULL, WOKE(OTHER), NONE);
    inject(31, NULL, WOKE(OTHER), NONE);
}

static void an_interrupt_of_a_gic_wakes_sleepers_only(void **unused)
{
    (void)unused;
    run_first();
    schedlog_virq_wakes(&a_vcpu, 0, NULL);
    leave(RUNSTATE_blocked, VPF_blocked);
    come_back();
    is_off(LEFT(BLOCKED), 0, WOKE(OTHER), NONE);
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
    /* An event while the vCPU ran is no wake-up. */
    schedlog_evtchn_wakes(&a_vcpu, &evtchn);
    leave(RUNSTATE_blocked, VPF_blocked);
    come_back();
    is_off(LEFT(BLOCKED), 0, WOKE(OTHER), NONE);
}

/* The vCPU was about to sleep, did not, and then is preempted. */
static void a_vcpu_that_did_not_sleep_has_no_waker(void **unused)
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

/* The reason is unknown if the vCPU left before the event was on, or was on again. */
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

#define REASON(x) XEN_SCHEDLOG_REASON_##x

static void is_wait(unsigned int event, unsigned int reason)
{
    struct row r = row(0, nr_rows(0) - 1);

    assert_int_equal(r.event, event);
    assert_int_equal(r.reason, reason);
}

/* The wait has its reason even if off-cpu is not logged. */
static void a_wait_states_its_reason(void **unused)
{
    struct sched_unit unit = { { &a_vcpu } };
    struct evtchn evtchn = { .state = ECS_INTERDOMAIN,
                             .u.interdomain.remote_dom = &domain[B] };

    (void)unused;
    run_first();
    turn_on(WAITS);

    leave(RUNSTATE_blocked, VPF_blocked);
    schedlog_evtchn_wakes(&a_vcpu, &evtchn);
    come_back();
    is_wait(WAKE, REASON(SLEPT) | WOKE(EVTCHN));

    domain[A].poll_mask[0] = 1;
    leave(RUNSTATE_blocked, VPF_blocked);
    domain[A].poll_mask[0] = 0;
    schedlog_timer_wakes(&a_vcpu);
    come_back();
    is_wait(WAKE, REASON(SLEPT) | REASON(POLLED) | WOKE(TIMER));

    leave(RUNSTATE_runnable, 0);
    run(0, &a_vcpu);
    is_wait(PREEMPT, LEFT(PREEMPTED));

    schedlog_yields(LEFT(SPINNING));
    leave(RUNSTATE_runnable, 0);
    run(0, &a_vcpu);
    is_wait(PREEMPT, LEFT(SPINNING));

    schedlog_no_budget(&unit);
    leave(RUNSTATE_offline, 0);
    come_back();
    is_wait(WAKE, LEFT(CAPPED));

    leave(RUNSTATE_blocked, VPF_blocked);
    change(&a_vcpu, RUNSTATE_offline);
    come_back();
    is_wait(WAKE, REASON(SLEPT) | REASON(PAUSED));

    /* The vCPU's pCPU goes offline while the vCPU waits. */
    leave(RUNSTATE_runnable, 0);
    a_vcpu.pause_flags = VPF_migrating;
    change(&a_vcpu, RUNSTATE_offline);
    is_wait(PREEMPT, LEFT(PREEMPTED) | REASON(CUT));
    come_back();
    is_wait(WAKE, LEFT(PREEMPTED));
}

/* A note from an earlier time with the events on must not explain a wait of this time. */
static void notes_are_forgotten_with_the_events_off(void **unused)
{
    (void)unused;
    run_first();
    turn_on(WAITS);
    schedlog_yields(LEFT(YIELDED));
    leave(RUNSTATE_runnable, 0);
    turn_on(0);
    run(0, &a_vcpu);
    leave(RUNSTATE_blocked, VPF_blocked);
    turn_on(WAITS);
    come_back();
    is_wait(WAKE, REASON(SLEPT));

    leave(RUNSTATE_blocked, VPF_blocked);
    schedlog_timer_wakes(&a_vcpu);
    turn_on(0);
    come_back();
    leave(RUNSTATE_blocked, VPF_blocked);
    turn_on(WAITS);
    come_back();
    is_wait(WAKE, REASON(SLEPT));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_first_run_has_no_row),
        TEST(to_block_is_not_to_poll),
        TEST(to_spin_is_not_to_yield),
        TEST(a_yield_that_had_no_effect_is_forgotten),
        TEST(an_offline_vcpu_is_not_always_paused),
        TEST(a_budget_ends_in_each_scheduler),
        TEST(what_comes_in_its_way_later_is_a_flag),
        TEST(an_event_channel_says_what_woke),
        TEST(an_interrupt_of_a_local_apic_has_the_senders_name),
        TEST(an_interrupt_of_a_gic_says_what_woke),
        TEST(an_interrupt_of_a_gic_wakes_sleepers_only),
        TEST(the_first_event_has_woken_it),
        TEST(a_vcpu_that_did_not_sleep_has_no_waker),
        TEST(a_long_sleep_saturates),
        TEST(why_it_left_earlier_is_unknown),
        TEST(another_event_that_is_turned_on_hides_no_reason),
        TEST(off_cpu_has_a_threshold_of_its_own),
        TEST(a_wait_states_its_reason),
        TEST(notes_are_forgotten_with_the_events_off),
    };

    return run_tap_tests(tests);
}
