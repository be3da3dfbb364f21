/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks which events --log chooses, and the log buffers that follow.
 *
 * A word that is misunderstood would lead to measurements of something else, without an error.
 */
#include <string.h>

#include "cmocka-tap.h"

#include "daemon/log/logs.h"

#define EVENT(NAME) (1U << XEN_SCHEDLOG_EV_##NAME)
#define MODEL (EVENT(SERVICE_NS) | EVENT(WAKE_DELAY) | EVENT(PREEMPT_DELAY) | \
               EVENT(WAIT_PART) | EVENT(MIGRATE) | EVENT(EVTCHN_SEND) | \
               EVENT(GRANT_MAP) | EVENT(GRANT_COPY) | EVENT(GRANT_UNMAP) | \
               EVENT(RING_PAGES))
#define PMCS (EVENT(PMC0) | EVENT(PMC1) | EVENT(PMC2) | EVENT(PMC3))

static struct choice choice;
static struct logs logs;

static uint32_t events_of_files(void)
{
    uint32_t events = 0;
    unsigned int i;

    for (i = 0; i < logs.nr; i++)
        events |= logs.events[i];

    return events;
}

static void by_default_it_is_what_the_model_is_made_of(void **state)
{
    (void)state;
    choice_default(&choice);
    assert_int_equal(choice.events, MODEL);
    assert_int_equal(choice.files, MODEL);
    assert_int_equal(choice.threshold[XEN_SCHEDLOG_EV_EVTCHN_SEND], 1);
    assert_int_equal(choice_events(&choice, HYPERVISOR),
                     MODEL & ~EVENT(RING_PAGES));
    assert_int_equal(choice_events(&choice, LINUX), EVENT(RING_PAGES));
}

static void a_list_is_taken_by_its_words(void **state)
{
    (void)state;
    assert_true(choice_parse(&choice, "evtchn-send,ring-pages:3"));
    assert_int_equal(choice.events, EVENT(EVTCHN_SEND) | EVENT(RING_PAGES));
    assert_int_equal(choice.threshold[XEN_SCHEDLOG_EV_EVTCHN_SEND], 1);
    assert_int_equal(choice.threshold[XEN_SCHEDLOG_EV_RING_PAGES], 3);
    assert_true(choice_parse(&choice, "runq:4294967295"));
    assert_int_equal(choice.threshold[XEN_SCHEDLOG_EV_RUNQ], UINT32_MAX);
}

static void wrong_choices_are_refused(void **state)
{
    static const char *const wrong[] = {
        "", ",", "evtchn-send,", "evtchn", "evtchn-send:", "evtchn-send:0",
        "evtchn-send:-1", "evtchn-send:+1", "evtchn-send:4294967296",
        "evtchn-send:1:1", "evtchn-send:2x", "evtchn-send,evtchn-send",
        "all:3", "all,runq", "none,runq", "pmc4", "evtchn-send,pmc0:", " runq",
        "process-io:1", "process-io:2", "guest-request", "irq-time:2",
    };
    unsigned int i;

    (void)state;
    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        if (choice_parse(&choice, wrong[i]))
            fail_msg("'%s' is taken", wrong[i]);
}

static void only_what_is_chosen_has_a_log_file(void **state)
{
    (void)state;
    assert_true(choice_parse(&choice, "grant-copy,runq,mark"));
    logs_init(&logs, &choice, HYPERVISOR, 64);
    assert_int_equal(logs.nr, 2);
    assert_int_equal(logs.events[0], EVENT(GRANT_COPY));
    assert_int_equal(logs.events[1], EVENT(RUNQ) | EVENT(MARK));
    assert_int_equal(logs.geometry.nr_acct, 64);
    assert_int_equal(logs.geometry.nr_files, 2);
    assert_ptr_equal(logs.geometry.sizes, logs.sizes);

    /* An area needs at least one log buffer. */
    logs_init(&logs, &choice, LINUX, 64);
    assert_int_equal(logs.nr, 0);
    assert_int_equal(logs.geometry.nr_files, 1);
    assert_int_equal(logs.sizes[0], XEN_SCHEDLOG_MIN_FILE_SIZE);
}

static void events_that_need_64_bits_have_them(void **state)
{
    (void)state;
    assert_true(choice_parse(&choice, "guest-switch,guest-name,guest-runq"));
    logs_init(&logs, &choice, LINUX, 64);
    assert_int_equal(logs.nr, 2);
    assert_int_equal(logs.events[1],
                     EVENT(GUEST_SWITCH) | EVENT(GUEST_NAME));
    assert_false(logs.lcr[0] & XEN_SCHEDLOG_LCR_COUNTER64);
    assert_true(logs.lcr[1] & XEN_SCHEDLOG_LCR_COUNTER64);
}

/* An operator cannot choose these events: they come with the events made of them. */
static void rows_for_the_agent_come_with_the_rest(void **state)
{
    (void)state;
    choice_default(&choice);
    logs_init(&logs, &choice, GUEST, 64);
    assert_int_equal(logs.nr, 0);
    assert_false(choice_possible() & EVENT(GUEST_REQUEST));

    assert_true(choice_parse(&choice, "ring-pages,process-io"));
    assert_int_equal(choice_events(&choice, GUEST), EVENT(PROCESS_IO));
    assert_int_equal(choice_events(&choice, LINUX), EVENT(RING_PAGES));
    logs_init(&logs, &choice, GUEST, 64);
    assert_int_equal(logs.nr, 2);
    assert_int_equal(logs.events[0], EVENT(PROCESS_IO));
    assert_int_equal(logs.preliminary,
                     EVENT(GUEST_REQUEST) | EVENT(GUEST_NAME));
    assert_int_equal(logs.events[1], logs.preliminary);
    assert_int_equal(logs.not_ours, 1U << 1);
    assert_true(logs.lcr[0] & logs.lcr[1] & XEN_SCHEDLOG_LCR_COUNTER64);
    logs_init(&logs, &choice, LINUX, 64);
    assert_int_equal(logs.nr, 1);
    assert_int_equal(logs.preliminary | logs.not_ours, 0);
}

static void log_files_have_the_sizes_that_are_set(void **state)
{
    (void)state;
    choice_default(&choice);
    assert_true(choice_parse(&choice, "evtchn-send,grant-map,grant-copy,runq"));
    assert_true(choice_parse_sizes(&choice, "evtchn-send:512K,grant-map:16,"
                                   "grant-copy:2M,service-ns:32K"));
    logs_init(&logs, &choice, HYPERVISOR, 64);
    assert_int_equal(logs.nr, 3);
    assert_int_equal(logs.sizes[0], 512 << 10);
    /* A shared log buffer has the largest size of its events. */
    assert_int_equal(logs.sizes[1], 2 << 20);
    assert_int_equal(logs.sizes[2], 64 << 10);

    /* Sizes stay, whatever events are chosen later. */
    assert_true(choice_parse(&choice, "service-ns,grant-map"));
    logs_init(&logs, &choice, HYPERVISOR, 64);
    assert_int_equal(logs.sizes[0], 32 << 10);
    assert_int_equal(logs.sizes[1], 16);
}

static void a_wrong_size_changes_nothing(void **state)
{
    static const char *const wrong[] = {
        "", "runq", "runq:", "runq:0", "runq:8", "runq:3K", "runq:32M",
        "runq:64k", "runq:-1K", "runq:64K,", "run:64K", "runq:64K;mark:64K",
        "runq:18446744073709551616", "runq:17179869184G",
    };
    struct choice before;
    unsigned int i;

    (void)state;
    choice_default(&choice);
    before = choice;
    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        if (choice_parse_sizes(&choice, wrong[i]))
            fail_msg("'%s' is taken", wrong[i]);
    assert_false(choice_parse_sizes(&choice, "evtchn-send:16K,runq:3K"));
    assert_memory_equal(&choice, &before, sizeof(choice));
}

/* The routes of Xen's own accounting domain: mask of events, and the log buffer of each. */
static uint32_t routed;
static unsigned int buffer_of[XEN_SCHEDLOG_NR_EVENTS];

int __wrap_xensched_area_set_route(struct xensched_area *area, uint16_t acct, unsigned int event,
                                   uint32_t file, uint32_t threshold);

int __wrap_xensched_area_set_route(struct xensched_area *area, uint16_t acct, unsigned int event,
                                   uint32_t file, uint32_t threshold)
{
    (void)area;
    assert_int_equal(acct, XEN_SCHEDLOG_ACCT_XEN);
    assert_int_equal(threshold, 1);
    routed |= 1U << event;
    buffer_of[event] = file;

    return 0;
}

/* Without its route, Xen would log no interrupts of idle pCPUs. */
static void idle_pcpus_log_run_queues_and_interrupts(void **state)
{
    (void)state;
    assert_true(choice_parse(&choice, "all"));
    logs_init(&logs, &choice, HYPERVISOR, 64);
    routed = 0;
    logs_route_xen(&logs, &choice, NULL);
    assert_int_equal(routed, EVENT(RUNQ) | EVENT(IRQ_TIME));
    assert_true(logs.events[buffer_of[XEN_SCHEDLOG_EV_RUNQ]] & EVENT(RUNQ));
    assert_true(logs.events[buffer_of[XEN_SCHEDLOG_EV_IRQ_TIME]] & EVENT(IRQ_TIME));

    choice_default(&choice);
    logs_init(&logs, &choice, HYPERVISOR, 64);
    routed = 0;
    logs_route_xen(&logs, &choice, NULL);
    assert_int_equal(routed, 0);
}

static void there_is_a_power_of_two_of_them(void **state)
{
    (void)state;
    assert_true(choice_parse(&choice, "service-ns,evtchn-send,runq"));
    logs_init(&logs, &choice, HYPERVISOR, 64);
    assert_int_equal(logs.nr, 3);
    assert_int_equal(logs.geometry.nr_files, 4);
    assert_int_equal(logs.sizes[3], XEN_SCHEDLOG_MIN_FILE_SIZE);
    assert_int_equal(logs.lcr[3], 0);
}

static void all_is_all_but_performance_counters(void **state)
{
#define MASK(NAME, name, kind) 1U << XEN_SCHEDLOG_EV_##NAME |
    const uint32_t all = (XENSCHED_EVENTS(MASK) 0) &
                         ~EVENT(GUEST_REQUEST); /* not to be chosen */
    uint32_t files;

    (void)state;
    assert_true(choice_parse(&choice, "all"));
    assert_true(choice.all);
    assert_int_equal(choice.events, all & ~PMCS);
    logs_init(&logs, &choice, HYPERVISOR, 64);
    files = events_of_files();
    assert_true(logs.geometry.nr_files <= LOGS_MAX);
    logs_init(&logs, &choice, LINUX, 64);
    assert_int_equal(files & events_of_files(), 0);
    assert_int_equal(files | events_of_files() | EVENT(PROCESS_IO),
                     all & ~PMCS);
}

static void none_has_the_usual_log_files(void **state)
{
    struct logs usual;

    (void)state;
    choice_default(&choice);
    logs_init(&usual, &choice, HYPERVISOR, 64);
    assert_true(choice_parse(&choice, "none"));
    assert_int_equal(choice.events, 0);
    logs_init(&logs, &choice, HYPERVISOR, 64);
    assert_int_equal(logs.geometry.nr_files, usual.geometry.nr_files);
    assert_memory_equal(logs.sizes, usual.sizes, sizeof(logs.sizes));
}

static unsigned int shift_at(uint64_t tsc_khz)
{
    return (logs_register(&logs, 0, tsc_khz) & XEN_SCHEDLOG_LCR_TSC_MASK) >>
           XEN_SCHEDLOG_LCR_TSC_SHIFT;
}

static void the_unit_of_times_is_a_microsecond_at_most(void **state)
{
    (void)state;
    assert_true(choice_parse(&choice, "evtchn-send"));
    logs_init(&logs, &choice, HYPERVISOR, 64);
    assert_int_equal(shift_at(0), 10);
    assert_int_equal(shift_at(5000000), 10);
    assert_int_equal(shift_at(1000000), 10); /* 1024 ns */
    assert_int_equal(shift_at(999999), 9);
    assert_int_equal(shift_at(62500), 6);
    assert_int_equal(shift_at(24000), 4);
    assert_int_equal(shift_at(100), 0);

    /* Wide rows have the whole counter. */
    assert_true(choice_parse(&choice, "irq-time"));
    logs_init(&logs, &choice, HYPERVISOR, 64);
    assert_int_equal(shift_at(2000000), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_default_it_is_what_the_model_is_made_of),
        cmocka_unit_test(a_list_is_taken_by_its_words),
        cmocka_unit_test(wrong_choices_are_refused),
        cmocka_unit_test(only_what_is_chosen_has_a_log_file),
        cmocka_unit_test(events_that_need_64_bits_have_them),
        cmocka_unit_test(
            rows_for_the_agent_come_with_the_rest),
        cmocka_unit_test(the_unit_of_times_is_a_microsecond_at_most),
        cmocka_unit_test(log_files_have_the_sizes_that_are_set),
        cmocka_unit_test(a_wrong_size_changes_nothing),
        cmocka_unit_test(idle_pcpus_log_run_queues_and_interrupts),
        cmocka_unit_test(there_is_a_power_of_two_of_them),
        cmocka_unit_test(all_is_all_but_performance_counters),
        cmocka_unit_test(none_has_the_usual_log_files),
    };

    return run_tap_tests(tests);
}
