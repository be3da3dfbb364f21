/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks sources that forge rows, or describe their area wrongly.
 *
 * These tests have all that a driver domain can do to the daemon: if one of them fails, a guest can
 * crash, stop or mislead the scheduler of the host.
 */
#include <errno.h>
#include <string.h>

#include "cmocka-tap.h"
#include "fake-domctl.h"
#include "fake-xenstore.h"
#include "log-sources-world.h"
#include "harness.h"

#include <xenctrl.h>

#include "daemon/sources/budget.h"

/* Forged rows. */

static void rows_that_it_may_not_write_are_rejected(void **state)
{
    unsigned int i;

    (void)state;
    get_it_to_log();
    emit(0, PAGES, DRIVER_ACCT, CLIENT_ACCT, 5);
    emit(0, PAGES, OTHER_ACCT, CLIENT_ACCT, 1000);
    emit(0, PAGES, DOM0_ACCT, OTHER_ACCT, 1000);
    emit(0, PAGES, DRIVER_ACCT, OTHER_ACCT, 1000);
    emit(0, EV(EVTCHN_SEND), DRIVER_ACCT, CLIENT_ACCT, 1000);
    emit(0, EV(EVTCHN_SEND), OTHER_ACCT, DOM0_ACCT, 1000);
    emit(0, EV(SERVICE_NS), DRIVER_ACCT, XEN_SCHEDLOG_ACCT_NONE, SECOND);
    emit(0, PAGES, DRIVER_ACCT, CLIENT_ACCT, UINT32_MAX);
    wait_for(1);
    assert_int_equal(total_of(PAGES, DRIVER_ACCT, CLIENT_ACCT), 5);
    assert_int_equal(driver()->refused, 7);
    /* Rows of the hypervisor count as before, and there are no other rows. */
    assert_int_equal(total_of(EV(EVTCHN_SEND), 2, 5), 10);
    assert_int_equal(matrix_size(core.matrix), 2);
    assert_int_equal(driver()->state, LOG_SOURCE_READING);

    for (i = 0; i < 100; i++) {
        emit(0, PAGES, OTHER_ACCT, CLIENT_ACCT, 1000);
        wait_for(1);
    }
    assert_int_equal(driver()->refused, 107);
    for (i = 0; i < core.journal.nr; i++)
        if (strstr(json_object_to_json_string(core.journal.entries[i]),
                   "refused"))
            break;
    assert_true(i < core.journal.nr);
    for (i++; i < core.journal.nr; i++)
        assert_null(strstr(json_object_to_json_string(
                               core.journal.entries[i]), "refused"));
}

/* Xen has not seen a notification of the client. */
static void rows_without_a_request_are_rejected(void **state)
{
    unsigned int i;

    (void)state;
    log_sources_free(&sources);
    start_log_sources("evtchn-send,ring-pages");
    get_it_to_log();
    for (i = 0; i < 9; i++) {
        emit(0, PAGES, DRIVER_ACCT, CLIENT_ACCT, 257);
        wait_for(1);
        assert_int_equal(total_of(PAGES, DRIVER_ACCT, CLIENT_ACCT), 0);
    }
    /* A notification may have been lost, so an honest domain is not accused. */
    assert_string_equal(driver()->reason, "");
    emit(0, PAGES, DRIVER_ACCT, CLIENT_ACCT, 257);
    wait_for(1);
    assert_int_equal(driver()->state, LOG_SOURCE_READING);
    assert_non_null(strstr(driver()->reason, "more work for its clients"));
    assert_int_equal(driver()->refused, 0);
}

static uint32_t routed_threshold(unsigned int event, uint16_t acct)
{
    return ((uint64_t *)page(GLOBAL + 1))[acct * XEN_SCHEDLOG_NR_EVENTS +
                                          event];
}

static void too_much_of_it_is_thinned_out_at_its_own_expense(void **state)
{
    uint64_t before;
    unsigned int i;

    (void)state;
    governor_init(&core.governor, 0.01, core.settings.choice.threshold,
                  FAKE_ACCTS);
    get_it_to_log();
    budget_keep(&sources, 0, now);
    for (i = 0; i < 3000; i++)
        emit(0, PAGES, i % 3 ? OTHER_ACCT : DRIVER_ACCT, CLIENT_ACCT, 1);
    wait_for(1);
    budget_keep(&sources, SECOND / 20, now);
    assert_true(routed_threshold(PAGES, DRIVER_ACCT) > 1);
    assert_int_equal(governor_threshold(&core.governor, PAGES, DRIVER_ACCT),
                     routed_threshold(PAGES, DRIVER_ACCT));
    assert_int_equal(governor_threshold(&core.governor, PAGES, OTHER_ACCT), 1);

    /* A row counts for those that made no row, also if the log was absent in between. */
    before = total_of(PAGES, DRIVER_ACCT, CLIENT_ACCT);
    emit(0, PAGES, DRIVER_ACCT, CLIENT_ACCT, 1);
    wait_for(1);
    assert_int_equal(total_of(PAGES, DRIVER_ACCT, CLIENT_ACCT) - before,
                     governor_threshold(&core.governor, PAGES, DRIVER_ACCT));
    log_sources_begin_anew(&sources, now);
    wait_for(1);
    answer();
    wait_for(1);
    assert_int_equal(driver()->state, LOG_SOURCE_READING);
    assert_int_equal(governor_threshold(&core.governor, PAGES, DRIVER_ACCT),
                     routed_threshold(PAGES, DRIVER_ACCT));
}

static void noise_in_its_pages_does_nothing_to_others(void **state)
{
    uint64_t seed = 7;
    unsigned int i, j;

    (void)state;
    get_it_to_log();
    for (i = 0; i < 300; i++) {
        for (j = 0; j < XC_PAGE_SIZE; j += 8) {
            *(uint64_t *)(page(CPU_FRAME(0)) + j) = harness_random(&seed);
            *(uint64_t *)(page(CPU_FRAME(1) + 1) + j) = harness_random(&seed);
            *(uint64_t *)(page(CPU_FRAME(1) + 2) + j) = harness_random(&seed);
            *(uint64_t *)(page(GLOBAL + 1) + j) = harness_random(&seed);
            *(uint64_t *)(page(DIRECTORY) + j) = harness_random(&seed);
        }
        /* The state is plausible half of the time. */
        *(uint32_t *)(page(CPU_FRAME(1) + 1) + 24) &= ~1U;
        *(uint64_t *)(page(CPU_FRAME(0) + 1)) += 1U << 20;
        now += SECOND / 10;
        read_rows();
    }
    wait_for(3);
    assert_int_equal(total_of(EV(EVTCHN_SEND), 2, 5), 10);
    for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++)
        if (i != EV(EVTCHN_SEND) && i != PAGES)
            for (j = 0; j < FAKE_ACCTS * FAKE_ACCTS; j++)
                assert_int_equal(total_of(i, j / FAKE_ACCTS,
                                          j % FAKE_ACCTS), 0);
    assert_int_equal(source_named("hypervisor")->state, LOG_SOURCE_READING);
}

static void a_log_that_contradicts_itself_is_given_up(void **state)
{
    struct xen_schedlog_state *s;

    (void)state;
    get_it_to_log();
    emit(0, PAGES, DRIVER_ACCT, CLIENT_ACCT, 5);
    read_rows();
    assert_int_equal(driver()->state, LOG_SOURCE_READING);
    s = (void *)page(CPU_FRAME(0) + 1);
    s->layout_pos = s->pos + 64;
    now += SECOND / 10;
    read_rows();
    refused_with("contradicts itself");
    assert_int_equal(source_named("hypervisor")->state, LOG_SOURCE_READING);
}

static void rows_of_another_shape_are_not_looked_at(void **state)
{
    uint32_t *registers;

    (void)state;
    get_it_to_log();
    registers = (void *)page(CPU_FRAME(0));
    registers[0] = XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |
                   XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER;
    emit(0, PAGES, DRIVER_ACCT, CLIENT_ACCT, 5);
    emit(0, PAGES, DRIVER_ACCT, CLIENT_ACCT, 5);
    read_rows();
    assert_true(driver()->refused > 0);
    assert_int_equal(total_of(PAGES, DRIVER_ACCT, CLIENT_ACCT), 0);
}

/* 200 CPUs share the same pages, which are full again in each round. */
static void the_cost_of_a_round_is_bounded(void **state)
{
    uint64_t *entry = (uint64_t *)page(DIRECTORY) + 2, before;
    struct xensched_source_stats stats;
    unsigned int i;

    (void)state;
    fake_domctl.nr_vcpus = 200;
    look();
    answer();
    advertise("nr-cpus", "200");
    advertise("directory", "100 101 102 103 104 105 106 107 108 109 110 111 "
              "112 113 114 115 116 117 118 119 120 121 122 123 124 125");
    for (i = 0; i < 200 * CPU_PAGES; i++)
        entry[i] = CPU_FRAME(0) + i % CPU_PAGES;
    wait_for(5);
    assert_int_equal(driver()->state, LOG_SOURCE_READING);
    emit(0, PAGES, DRIVER_ACCT, CLIENT_ACCT, 5);
    read_rows();
    log_source_stats(driver(), &stats);
    before = stats.bytes;
    *(uint64_t *)page(CPU_FRAME(0) + 1) += FILE_SIZE;
    read_rows();
    log_source_stats(driver(), &stats);
    assert_in_range(stats.bytes - before, (1U << 20) - FILE_SIZE,
                    (1U << 20) + FILE_SIZE);
    /* Lost rows count as well. */
    before = stats.bytes;
    *(uint64_t *)page(CPU_FRAME(0) + 1) += 3 * FILE_SIZE;
    read_rows();
    log_source_stats(driver(), &stats);
    assert_in_range(stats.bytes - before, 1, (1U << 19) + FILE_SIZE);
    /* The limit is for all sources together: with another source, each has half. */
    fake_domain_new(&host, OTHER_DRIVER, "driver", 1)->clients = 1U << OTHER;
    look();
    log_source_stats(driver(), &stats);
    before = stats.bytes;
    *(uint64_t *)page(CPU_FRAME(0) + 1) += FILE_SIZE;
    read_rows();
    log_source_stats(driver(), &stats);
    assert_in_range(stats.bytes - before, 1, (1U << 19) + FILE_SIZE);
}

/* Forged areas. */

static void an_area_which_was_not_asked_for_is_refused(void **state)
{
    static const struct {
        const char *node, *value, *words;
    } lies[] = {
        { "version", "1", "version 1" },
        { "version", "x", "version 0" },
        { "nr-cpus", "0", "impossible number of CPUs" },
        { "nr-cpus", "4097", "impossible number of CPUs" },
        { "nr-cpus", "-1", "impossible number of CPUs" },
        { "nr-cpus", "4294967298", "impossible number of CPUs" },
        { "nr-cpus", " 2", "impossible number of CPUs" },
        { "nr-cpus", "3", "logs of 3 CPUs, and has 2" },
        { "nr-acct", "32", "another geometry" },
        { "nr-acct", "", "another geometry" },
        { "sizes", "131072", "another geometry" },
        { "sizes", "262144 262144", "another geometry" },
        { "sizes", "0262144", "another geometry" },
        { "directory", "", "directory" },
        { "directory", "100 101", "directory" },
        { "directory", "0x64", "directory" },
        { "directory", "100 ", "directory" },
        { "directory", "99999", "cannot map the directory" },
        { "directory", "18446744073709551615", "cannot map the directory" },
        { "directory", "18446744073709551616", "directory" },
        { "error", "EBUSY somebody else holds it", "somebody else holds it" },
        { "error", "\033[2J", "?[2J" },
        { "error", "", "" },
    };
    unsigned int i;

    (void)state;
    for (i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        look();
        answer();
        advertise(lies[i].node, lies[i].value);
        wait_for(1);
        if (*lies[i].words)
            refused_with(lies[i].words);
        log_sources_free(&sources);
        assert_int_equal(mapped, 0);
        fake_xs_remove("/local/domain/3/schedlog");
        start_log_sources("ring-pages");
    }
}

static void frames_which_cannot_be_are_refused(void **state)
{
    static const struct {
        unsigned int entry;
        uint64_t frame;
        const char *words;
    } lies[] = {
        { 0, FRAMES, "cannot map the routes" },
        { 1, NO_FRAME, "cannot map the routes" },
        { 2, 1ULL << 52, "cannot map the log of CPU 0" },
        { 3, NO_FRAME, "cannot map the log of CPU 0" },
        { 2 + CPU_PAGES + 65, FRAMES, "cannot map the log of CPU 1" },
        { 2 + CPU_PAGES + 65, NO_FRAME - 1, "cannot map the log of CPU 1" },
    };
    unsigned int i;

    (void)state;
    for (i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        look();
        answer();
        ((uint64_t *)page(DIRECTORY))[lies[i].entry] = lies[i].frame;
        wait_for(1);
        refused_with(lies[i].words);
        assert_int_equal(source_named("hypervisor")->state, LOG_SOURCE_READING);
        log_sources_free(&sources);
        fake_xs_remove("/local/domain/3/schedlog");
        start_log_sources("ring-pages");
    }
}

/* The page is of a device that the domain has: Xen would map it. */
static void memory_of_a_device_is_not_mapped(void **state)
{
    static const struct {
        uint64_t frame;
        const char *words;
    } lies[] = {
        { DIRECTORY, "cannot map the directory" },
        { GLOBAL + 1, "cannot map the routes" },
        { CPU_FRAME(1) + 7, "cannot map the log of CPU 1" },
    };
    unsigned int i;

    (void)state;
    for (i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        fake_domctl.device = lies[i].frame;
        look();
        answer();
        wait_for(1);
        refused_with(lies[i].words);
        refused_with("no memory of domain 3's own");
        log_sources_free(&sources);
        fake_xs_remove("/local/domain/3/schedlog");
        start_log_sources("ring-pages");
    }
}

/* A log that is always busy could cost time in each round without being noticed. */
static void a_log_that_stays_busy_is_given_up(void **state)
{
    struct xen_schedlog_state *s;
    unsigned int i;

    (void)state;
    get_it_to_log();
    emit(0, PAGES, DRIVER_ACCT, CLIENT_ACCT, 5);
    s = (void *)page(CPU_FRAME(0) + 1);
    s->layout_seq++;
    for (i = 0; i < 5; i++)
        read_rows();
    assert_int_equal(driver()->state, LOG_SOURCE_READING);
    /* The log becomes consistent in time, so nothing is given up. */
    s->layout_seq--;
    read_rows();
    assert_int_equal(total_of(PAGES, DRIVER_ACCT, CLIENT_ACCT), 5);
    s->layout_seq++;
    for (i = 0; i < 20; i++)
        read_rows();
    refused_with("is being changed for ever");
    assert_int_equal(source_named("hypervisor")->state, LOG_SOURCE_READING);
}

static void a_cpu_that_is_not_possible_has_no_log(void **state)
{
    unsigned int i;

    (void)state;
    look();
    answer();
    for (i = 0; i < CPU_PAGES; i++)
        ((uint64_t *)page(DIRECTORY))[2 + i] = NO_FRAME;
    wait_for(1);
    assert_int_equal(driver()->state, LOG_SOURCE_READING);
    assert_false(xensched_area_has_cpu(driver()->area, 0));
    assert_true(xensched_area_has_cpu(driver()->area, 1));
}

static void one_page_for_all_is_its_own_problem(void **state)
{
    uint64_t *entry = (uint64_t *)page(DIRECTORY);
    unsigned int i;

    (void)state;
    look();
    answer();
    for (i = 0; i < 2 + 2 * CPU_PAGES; i++)
        entry[i] = DIRECTORY;
    wait_for(20);
    assert_int_equal(source_named("hypervisor")->state, LOG_SOURCE_READING);
    assert_int_equal(total_of(EV(EVTCHN_SEND), 2, 5), 10);
}

/* Other programs can read the log while it exists. */

int main(void)
{
    const struct CMUnitTest tests[] = {
        log_sources_test(rows_that_it_may_not_write_are_rejected),
        log_sources_test(rows_without_a_request_are_rejected),
        log_sources_test(too_much_of_it_is_thinned_out_at_its_own_expense),
        log_sources_test(noise_in_its_pages_does_nothing_to_others),
        log_sources_test(a_log_that_contradicts_itself_is_given_up),
        log_sources_test(rows_of_another_shape_are_not_looked_at),
        log_sources_test(the_cost_of_a_round_is_bounded),
        log_sources_test(an_area_which_was_not_asked_for_is_refused),
        log_sources_test(frames_which_cannot_be_are_refused),
        log_sources_test(memory_of_a_device_is_not_mapped),
        log_sources_test(a_log_that_stays_busy_is_given_up),
        log_sources_test(a_cpu_that_is_not_possible_has_no_log),
        log_sources_test(one_page_for_all_is_its_own_problem),
    };

    return run_tap_tests(tests);
}
