/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where rows come from: sources that come, go, are silent and lie, each for
 * itself alone.
 *
 * What a driver domain can do to the daemon is all here: if one of these tests
 * fails, a guest can crash, stop or mislead the scheduler of the host.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "fake-domctl.h"
#include "fake-xenstore.h"
#include "feeds-world.h"
#include "harness.h"

#include <xenctrl.h>

#include "daemon/feeds/budget.h"
#include "daemon/look.h"

/* How it should be. */

static void a_driver_domain_is_asked_read_and_given_back(void **state)
{
    uint64_t lease;

    (void)state;
    look();
    assert_int_equal(driver()->state, FEED_ASKED);
    assert_string_equal(request("version"), "2");
    assert_string_equal(request("nr-acct"), "16");
    assert_string_equal(request("sizes"), "262144");
    /* Nothing is on before it can be read. */
    assert_string_equal(request("events"), "0");
    assert_string_equal(fake_xs_permissions("/local/domain/3/schedlog/"
                                            "request"), "n0r3");
    assert_string_equal(fake_xs_permissions("/local/domain/3/schedlog/area"),
                        "n0b3");
    answer();
    /* Its answer is noticed at once, not with the next look. */
    read_rows();
    read_rows();
    assert_int_equal(driver()->state, FEED_READING);
    assert_string_equal(request("events"), "16777216");
    assert_string_equal(request("lease-ms"), "10000");
    answer();
    lease = *(uint64_t *)page(GLOBAL);
    emit(0, PAGES, DRIVER_ACCT, CLIENT_ACCT, 8);
    emit(1, PAGES, DRIVER_ACCT, CLIENT_ACCT, 1);
    wait_for(1);
    assert_int_equal(total_of(PAGES, DRIVER_ACCT, CLIENT_ACCT), 9);
    assert_int_equal(driver()->refused, 0);
    assert_true(*(uint64_t *)page(GLOBAL) > lease);

    feeds_free(&feeds);
    assert_null(request("version"));
    assert_null(fake_xs_get("/local/domain/3/schedlog/acct/3"));
    assert_int_equal(mapped, 0);
    start_feeds("none");
}

/* Xen rings, a Linux does not. */
static void who_cannot_ring_is_looked_at_all_the_time(void **state)
{
    struct look none = { .interval_ms = 100, .lease_ms = 10000 };
    struct look has = none;

    (void)state;
    has.doorbell = (struct xensched_doorbell *)&has;
    assert_int_equal(look_again_ms(&none, &feeds), 100);
    assert_int_equal(look_again_ms(&has, &feeds), 1000);
    look(); /* a driver domain is asked for its log */
    assert_int_equal(look_again_ms(&has, &feeds), 100);
    assert_int_equal(look_longest_ms(&has), 1000);
    answer();
    read_rows();
    read_rows();
    assert_int_equal(driver()->state, FEED_READING);
    assert_int_equal(look_again_ms(&has, &feeds), 100);
    /* Xen must see that the lease is renewed. */
    has.lease_ms = 1000;
    assert_int_equal(look_longest_ms(&has), 250);
    has.lease_ms = 0;
    has.interval_ms = 5000;
    assert_int_equal(look_longest_ms(&has), 5000);
}

static void it_gets_the_numbers_it_needs_before_an_event_is_on(void **state)
{
    (void)state;
    look();
    assert_string_equal(fake_xs_get("/local/domain/3/schedlog/acct/3"), "3");
    assert_string_equal(fake_xs_get("/local/domain/3/schedlog/acct/4"), "4");
    assert_string_equal(fake_xs_permissions("/local/domain/3/schedlog/"
                                            "acct/4"), "n0r3");
    assert_string_equal(request("events"), "0");
    /* Who else there is is none of its business... */
    assert_null(fake_xs_get("/local/domain/3/schedlog/acct/5"));
    /* ... but dom0's. */
    assert_string_equal(fake_xs_get("/local/domain/0/schedlog/acct/0"), "2");
    assert_string_equal(fake_xs_get("/local/domain/0/schedlog/acct/5"), "5");

    host.world->domains[DRIVER].clients |= 1U << OTHER;
    wait_for(1);
    assert_string_equal(fake_xs_get("/local/domain/3/schedlog/acct/5"), "5");
    host.world->domains[OTHER].exists = false;
    wait_for(1);
    assert_null(fake_xs_get("/local/domain/3/schedlog/acct/5"));
    assert_null(fake_xs_get("/local/domain/0/schedlog/acct/5"));
}

/* Lies about rows. */

static void what_it_may_not_say_is_not_believed(void **state)
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
    /* What the hypervisor said is as it was, and all there is besides. */
    assert_int_equal(total_of(EV(EVTCHN_SEND), 2, 5), 10);
    assert_int_equal(matrix_size(core.matrix), 2);
    assert_int_equal(driver()->state, FEED_READING);

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

/* Xen has seen no notification of its client. */
static void what_its_client_did_not_ask_for_is_not_believed(void **state)
{
    unsigned int i;

    (void)state;
    feeds_free(&feeds);
    start_feeds("evtchn-send,ring-pages");
    get_it_to_log();
    for (i = 0; i < 9; i++) {
        emit(0, PAGES, DRIVER_ACCT, CLIENT_ACCT, 257);
        wait_for(1);
        assert_int_equal(total_of(PAGES, DRIVER_ACCT, CLIENT_ACCT), 0);
    }
    /* One may have been lost: it is not said of an honest one. */
    assert_string_equal(driver()->reason, "");
    emit(0, PAGES, DRIVER_ACCT, CLIENT_ACCT, 257);
    wait_for(1);
    assert_int_equal(driver()->state, FEED_READING);
    assert_non_null(strstr(driver()->reason, "more for its clients"));
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
    budget_keep(&feeds, 0, now);
    for (i = 0; i < 3000; i++)
        emit(0, PAGES, i % 3 ? OTHER_ACCT : DRIVER_ACCT, CLIENT_ACCT, 1);
    wait_for(1);
    budget_keep(&feeds, SECOND / 20, now);
    assert_true(routed_threshold(PAGES, DRIVER_ACCT) > 1);
    assert_int_equal(governor_threshold(&core.governor, PAGES, DRIVER_ACCT),
                     routed_threshold(PAGES, DRIVER_ACCT));
    assert_int_equal(governor_threshold(&core.governor, PAGES, OTHER_ACCT), 1);

    /* It counts for those which made no row, also when it was away. */
    before = total_of(PAGES, DRIVER_ACCT, CLIENT_ACCT);
    emit(0, PAGES, DRIVER_ACCT, CLIENT_ACCT, 1);
    wait_for(1);
    assert_int_equal(total_of(PAGES, DRIVER_ACCT, CLIENT_ACCT) - before,
                     governor_threshold(&core.governor, PAGES, DRIVER_ACCT));
    feeds_begin_anew(&feeds, now);
    wait_for(1);
    answer();
    wait_for(1);
    assert_int_equal(driver()->state, FEED_READING);
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
        /* A state which is plausible half of the time. */
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
    assert_int_equal(feed("hypervisor")->state, FEED_READING);
}

static void a_log_that_contradicts_itself_is_given_up(void **state)
{
    struct xen_schedlog_state *s;

    (void)state;
    get_it_to_log();
    emit(0, PAGES, DRIVER_ACCT, CLIENT_ACCT, 5);
    read_rows();
    assert_int_equal(driver()->state, FEED_READING);
    s = (void *)page(CPU_FRAME(0) + 1);
    s->layout_pos = s->pos + 64;
    now += SECOND / 10;
    read_rows();
    refused_with("contradicts itself");
    assert_int_equal(feed("hypervisor")->state, FEED_READING);
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

/* 200 CPUs whose pages are all the same, and full again in each round. */
static void what_it_costs_in_a_round_is_bounded(void **state)
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
    assert_int_equal(driver()->state, FEED_READING);
    emit(0, PAGES, DRIVER_ACCT, CLIENT_ACCT, 5);
    read_rows();
    feed_stats(driver(), &stats);
    before = stats.bytes;
    *(uint64_t *)page(CPU_FRAME(0) + 1) += FILE_SIZE;
    read_rows();
    feed_stats(driver(), &stats);
    assert_in_range(stats.bytes - before, (1U << 20) - FILE_SIZE,
                    (1U << 20) + FILE_SIZE);
    /* What is lost has its price. */
    before = stats.bytes;
    *(uint64_t *)page(CPU_FRAME(0) + 1) += 3 * FILE_SIZE;
    read_rows();
    feed_stats(driver(), &stats);
    assert_in_range(stats.bytes - before, 1, (1U << 19) + FILE_SIZE);
    /* For all of them together: another one, and it is half of that. */
    fake_domain_new(&host, OTHER_DRIVER, "driver", 1)->clients = 1U << OTHER;
    look();
    feed_stats(driver(), &stats);
    before = stats.bytes;
    *(uint64_t *)page(CPU_FRAME(0) + 1) += FILE_SIZE;
    read_rows();
    feed_stats(driver(), &stats);
    assert_in_range(stats.bytes - before, 1, (1U << 19) + FILE_SIZE);
}

/* Lies about the area. */

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
        feeds_free(&feeds);
        assert_int_equal(mapped, 0);
        fake_xs_remove("/local/domain/3/schedlog");
        start_feeds("ring-pages");
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
        assert_int_equal(feed("hypervisor")->state, FEED_READING);
        feeds_free(&feeds);
        fake_xs_remove("/local/domain/3/schedlog");
        start_feeds("ring-pages");
    }
}

/* A page of a device which it has: Xen would map that. */
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
        feeds_free(&feeds);
        fake_xs_remove("/local/domain/3/schedlog");
        start_feeds("ring-pages");
    }
}

/* It could cost time in each round, and never be found out. */
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
    assert_int_equal(driver()->state, FEED_READING);
    /* It ends in time: nothing has happened. */
    s->layout_seq--;
    read_rows();
    assert_int_equal(total_of(PAGES, DRIVER_ACCT, CLIENT_ACCT), 5);
    s->layout_seq++;
    for (i = 0; i < 20; i++)
        read_rows();
    refused_with("is being changed for ever");
    assert_int_equal(feed("hypervisor")->state, FEED_READING);
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
    assert_int_equal(driver()->state, FEED_READING);
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
    assert_int_equal(feed("hypervisor")->state, FEED_READING);
    assert_int_equal(total_of(EV(EVTCHN_SEND), 2, 5), 10);
}

/* Coming and going. */

static void one_that_fails_is_tried_again_and_less_often(void **state)
{
    unsigned int first, later;

    (void)state;
    look();
    answer();
    advertise("nr-cpus", "0");
    fake_xs.writes = 0;
    wait_for(10);
    first = fake_xs.writes;
    assert_true(first > 0);
    wait_for(1000);
    fake_xs.writes = 0;
    wait_for(100);
    later = fake_xs.writes;
    assert_true(later <= first);
    /* It tells the truth: the next try finds that out. */
    answer();
    wait_for(301);
    answer();
    wait_for(1);
    assert_int_equal(driver()->state, FEED_READING);
}

static void a_silent_one_is_asked_again_and_less_often(void **state)
{
    unsigned int first;

    (void)state;
    fake_xs.writes = 0;
    wait_for(10);
    first = fake_xs.writes;
    assert_int_equal(driver()->state, FEED_ASKED);
    assert_true(strstr(driver()->reason, "has not answered"));
    wait_for(1000);
    fake_xs.writes = 0;
    wait_for(100);
    assert_true(fake_xs.writes <= first);
    assert_int_equal(driver()->state, FEED_ASKED);
    answer();
    read_rows();
    read_rows();
    assert_int_equal(driver()->state, FEED_READING);
}

static void events_that_went_off_are_turned_on_again(void **state)
{
    unsigned int asked = 0, i;

    (void)state;
    get_it_to_log();
    /* Its lease has ended, say; it knows only of the last request. */
    advertise("events", "0");
    fake_xs_put("0", "/local/domain/3/schedlog/request/events");
    wait_for(20);
    assert_string_equal(request("events"), "16777216");
    /* One that never obeys is asked less and less often. */
    for (i = 0; i < 600; i++) {
        fake_xs_put("0", "/local/domain/3/schedlog/request/events");
        wait_for(1);
        asked += !!strcmp(request("events"), "0");
    }
    assert_in_range(asked, 2, 10);
    assert_int_equal(driver()->state, FEED_READING);
}

static void sites_may_come_later(void **state)
{
    (void)state;
    look();
    answer();
    advertise("events-built", "0");
    wait_for(2);
    assert_int_equal(driver()->state, FEED_READING);
    assert_string_equal(request("events"), "0");
    advertise("events-built", "16777216");
    wait_for(3);
    assert_string_equal(request("events"), "16777216");
}

static void the_dead_are_unmapped_at_once(void **state)
{
    (void)state;
    get_it_to_log();
    assert_true(mapped);
    host.world->domains[DRIVER].exists = false;
    look();
    assert_int_equal(mapped, 0);
    assert_null(driver());
    /* The same domid, another domain. */
    fake_xs_remove("/local/domain/3");
    fake_domain_new(&host, DRIVER, "driver", 1)->clients = 1U << CLIENT;
    get_it_to_log();
}

static void one_that_serves_nobody_any_more_is_let_go(void **state)
{
    (void)state;
    get_it_to_log();
    host.world->domains[DRIVER].clients = 0;
    wait_for(1);
    assert_null(driver());
    assert_int_equal(mapped, 0);
    assert_null(request("version"));
    assert_null(fake_xs_get("/local/domain/3/schedlog/acct/3"));
}

static void one_that_gives_its_log_up_is_asked_again(void **state)
{
    (void)state;
    get_it_to_log();
    take_back();
    wait_for(1);
    assert_int_equal(mapped, 0);
    wait_for(2);
    answer();
    wait_for(2);
    assert_int_equal(driver()->state, FEED_READING);
}

static void conflicts_in_xenstore_are_no_endless_loop(void **state)
{
    (void)state;
    fake_xs.conflicts = UINT32_MAX;
    look();
    assert_int_equal(driver()->state, FEED_FAILED);
    fake_xs.conflicts = 3;
    wait_for(2);
    assert_int_equal(driver()->state, FEED_ASKED);
}

/* What it costs when nothing happens. */

static void what_does_not_change_is_hardly_looked_at(void **state)
{
    (void)state;
    device.there = true;
    device.built = 1U << PAGES;
    get_it_to_log();
    wait_for(3);
    fake_xs.transactions = device.calls = 0;
    wait_for(20);
    assert_int_equal(fake_xs.transactions, 0);
    assert_in_range(device.calls, 1, 5);
    /* A safety net: not even this is trusted. */
    wait_for(20);
    assert_in_range(fake_xs.transactions, 1, 4);
    /* What it says is noticed with the next look, nevertheless. */
    take_back();
    wait_for(1);
    assert_int_equal(driver()->state, FEED_FAILED);
}

static void a_number_that_xenstore_refused_is_written_later(void **state)
{
    (void)state;
    get_it_to_log();
    fake_xs.refuse = EIO;
    host.world->domains[DRIVER].clients |= 1U << OTHER;
    wait_for(1);
    assert_null(fake_xs_get("/local/domain/3/schedlog/acct/5"));
    fake_xs.refuse = 0;
    wait_for(1);
    assert_string_equal(fake_xs_get("/local/domain/3/schedlog/acct/5"), "5");
}

static void a_linux_of_which_nothing_is_logged_is_left_alone(void **state)
{
    (void)state;
    feeds_free(&feeds);
    start_feeds("evtchn-send");
    device.there = true;
    device.calls = fake_xs.writes = fake_xs.transactions = 0;
    wait_for(3);
    assert_null(driver());
    assert_int_equal(feed("linux")->state, FEED_ABSENT);
    assert_int_equal(device.calls, 0);
    assert_int_equal(fake_xs.writes, 0);
    assert_int_equal(fake_xs.transactions, 0);
}

/* xenstored is killed, and started again; what it knew is lost. */
static void who_forgot_all_is_told_all_again(void **state)
{
    struct xensched_error err;

    (void)state;
    get_it_to_log();
    fake_xs_die();
    fake_xs_remove("/local/domain/3/schedlog");
    fake_xs_remove("/local/domain/0/schedlog");
    assert_int_equal(xenstore_check(xs, &err), XENSTORE_ANEW);
    feeds_begin_anew(&feeds, now);
    assert_int_equal(mapped, 0);
    wait_for(1);
    assert_string_equal(fake_xs_get("/local/domain/3/schedlog/acct/4"), "4");
    assert_string_equal(fake_xs_get("/local/domain/0/schedlog/acct/5"), "5");
    assert_non_null(request("version"));
    answer();
    wait_for(1);
    assert_int_equal(driver()->state, FEED_READING);
    emit(0, PAGES, DRIVER_ACCT, CLIENT_ACCT, 8);
    wait_for(1);
    assert_int_equal(total_of(PAGES, DRIVER_ACCT, CLIENT_ACCT), 8);
}

/* The daemon is killed, and started again. */

static void kill_daemon(void)
{
    feeds_begin_anew(&feeds, now); /* unmapped, and nothing else */
    while (feeds.nr) {
        struct feed *f = feeds.feed[--feeds.nr];

        sieve_clear(&f->sieve);
        free(f->numbers);
        free(f);
    }
    free(feeds.feed);
}

static void the_same_area_is_taken_over(void **state)
{
    (void)state;
    get_it_to_log();
    kill_daemon();
    assert_int_equal(mapped, 0);
    start_feeds("ring-pages");
    wait_for(1);
    wait_for(1);
    assert_int_equal(driver()->state, FEED_READING);
    /* What the dead one had routed is not routed any more. */
    emit(0, PAGES, DRIVER_ACCT, CLIENT_ACCT, 8);
    wait_for(1);
    assert_int_equal(total_of(PAGES, DRIVER_ACCT, CLIENT_ACCT), 8);
}

static void another_area_has_to_go_first(void **state)
{
    (void)state;
    get_it_to_log();
    kill_daemon();
    start_feeds("ring-pages,ring-sectors");
    look();
    assert_null(request("version"));
    wait_for(3);
    assert_int_equal(driver()->state, FEED_ASKED);
    assert_null(request("version"));
    take_back();
    wait_for(2);
    assert_string_equal(request("sizes"), "262144 262144");
}

static void numbers_of_a_killed_daemon_are_removed(void **state)
{
    (void)state;
    fake_xs_put("9", "/local/domain/0/schedlog/acct/77");
    fake_xs_put("9", "/local/domain/3/schedlog/acct/77");
    feeds_free(&feeds);
    start_feeds("ring-pages");
    look();
    assert_null(fake_xs_get("/local/domain/0/schedlog/acct/77"));
    assert_null(fake_xs_get("/local/domain/3/schedlog/acct/77"));
    assert_string_equal(fake_xs_get("/local/domain/0/schedlog/acct/3"), "3");
}

/* dom0's Linux. */

static void dom0_s_log_is_read_when_its_module_comes(void **state)
{
    (void)state;
    wait_for(3);
    assert_int_equal(feed("linux")->state, FEED_ABSENT);
    device.there = true;
    wait_for(5);
    assert_int_equal(feed("linux")->state, FEED_READING);
    assert_int_equal(device.events, 0);
    /* blkback comes later. */
    device.built = 3U << PAGES;
    wait_for(5);
    assert_int_equal(device.events, 1U << PAGES);
    assert_int_equal(device.lease_ms, 10000);
    emit_dom0(CLIENT_ACCT, 33);
    wait_for(1);
    assert_int_equal(total_of(PAGES, DOM0_ACCT, CLIENT_ACCT), 33);
    feeds_free(&feeds);
    assert_int_equal(device.nr_acct, 0);
    start_feeds("none");
}

/* Linux may not have heard yet which number is whose. */
static void dom0_s_rows_about_whom_it_does_not_serve_are_refused(void **state)
{
    (void)state;
    device.there = true;
    device.built = 1U << PAGES;
    wait_for(5);
    emit_dom0(OTHER_ACCT, 1);
    emit_dom0(CLIENT_ACCT, 2);
    wait_for(1);
    assert_int_equal(total_of(PAGES, DOM0_ACCT, OTHER_ACCT), 0);
    assert_int_equal(total_of(PAGES, DOM0_ACCT, CLIENT_ACCT), 2);
    assert_int_equal(feed("linux")->refused, 1);
}

static void dom0_s_log_is_set_up_again_when_its_lease_has_ended(void **state)
{
    (void)state;
    device.there = true;
    device.built = 1U << PAGES;
    wait_for(2);
    assert_int_equal(device.events, 1U << PAGES);
    device.events = device.lease_ms = 0;
    wait_for(6);
    assert_int_equal(device.events, 1U << PAGES);
    assert_int_equal(device.lease_ms, 10000);
}

static void dom0_s_log_may_be_held_by_somebody_else(void **state)
{
    (void)state;
    device.there = true;
    device.built = 1U << PAGES;
    device.nr_acct = 16;
    device.nr_files = 1;
    device.size = FILE_SIZE;
    device.events = device.built;
    device.lease_ms = 5000;
    device.cookie = 12345;
    wait_for(2);
    assert_int_equal(feed("linux")->state, FEED_FAILED);
    assert_true(strstr(feed("linux")->reason, "another scheduler"));
    device.events = device.lease_ms = 0;
    wait_for(10);
    assert_int_equal(feed("linux")->state, FEED_READING);
}

/* Anybody else can look at what is there, and not without that. */

static size_t rows_of(struct xensched_source *source)
{
    struct xensched_batch batch;
    size_t rows = 0;

    while (xensched_source_next(source, &batch, NULL) == XENSCHED_BATCH)
        rows += xensched_batch_rows(&batch);

    return rows;
}

static void others_can_look_on(void **state)
{
    struct xensched_source *domains, *linuxes;
    uint32_t size;

    (void)state;
    device.there = true;
    device.built = 1U << PAGES;
    get_it_to_log();
    assert_int_equal(xensched_source_open("domain:3", NULL, &domains, NULL),
                     0);
    assert_int_equal(xensched_source_open("linux", NULL, &linuxes, NULL), 0);
    emit(1, PAGES, DRIVER_ACCT, CLIENT_ACCT, 8);
    emit(0, PAGES, OTHER_ACCT, DOM0_ACCT, 8);
    emit_dom0(CLIENT_ACCT, 8);
    assert_int_equal(rows_of(domains), 2);
    assert_int_equal(rows_of(linuxes), 1);
    wait_for(1);
    assert_int_equal(total_of(PAGES, DRIVER_ACCT, CLIENT_ACCT), 8);
    assert_int_equal(total_of(PAGES, DOM0_ACCT, CLIENT_ACCT), 8);
    assert_null(xensched_area_data(driver()->area, 2, 0, &size));
    xensched_source_close(domains);
    xensched_source_close(linuxes);
}

static void there_is_nothing_to_look_at_before_it_was_asked_for(void **state)
{
    struct xensched_source *source;
    struct xensched_error err;

    (void)state;
    assert_int_equal(xensched_source_open("domain:3", NULL, &source, &err),
                     -ENODATA);
    assert_non_null(strstr(err.text, "xenschedd"));
    assert_int_equal(xensched_source_open("linux", NULL, &source, &err),
                     -ENOENT);
    assert_non_null(strstr(err.text, "load the module xensched_log"));
    device.there = true;
    assert_int_equal(xensched_source_open("linux", NULL, &source, &err),
                     -ENODATA);
    look();
    assert_int_equal(xensched_source_open("domain:3", NULL, &source, &err),
                     -ENODATA);
    assert_int_equal(xensched_source_open("domain:", NULL, &source, &err),
                     -EINVAL);
    assert_int_equal(xensched_source_open("domain:32752", NULL, &source,
                                          &err), -EINVAL);
    assert_int_equal(xensched_source_open("linux:x", NULL, &source, &err),
                     -EINVAL);
}

/* What is mapped keeps a dead domain from going. */
static void a_source_ends_when_its_domain_has_died(void **state)
{
    struct xensched_source *source;
    struct xensched_batch batch;
    struct xensched_error err;

    (void)state;
    get_it_to_log();
    assert_int_equal(xensched_source_open("domain:3", NULL, &source, &err), 0);
    fake_domctl.dying = true;
    assert_int_equal(xensched_source_next(source, &batch, &err),
                     XENSCHED_IDLE);
    sleep(1);
    assert_int_equal(xensched_source_next(source, &batch, &err), -ESRCH);
    assert_non_null(strstr(err.text, "domain 3 is gone"));
    xensched_source_close(source);
    fake_domctl.dying = false;

    assert_int_equal(xensched_source_open("domain:3", NULL, &source, &err), 0);
    take_back();
    sleep(1);
    assert_int_equal(xensched_source_next(source, &batch, &err), -ENODATA);
    assert_non_null(strstr(err.text, "given its log up"));
    xensched_source_close(source);
}

#define feeds_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        feeds_test(a_driver_domain_is_asked_read_and_given_back),
        feeds_test(who_cannot_ring_is_looked_at_all_the_time),
        feeds_test(it_gets_the_numbers_it_needs_before_an_event_is_on),
        feeds_test(what_it_may_not_say_is_not_believed),
        feeds_test(what_its_client_did_not_ask_for_is_not_believed),
        feeds_test(too_much_of_it_is_thinned_out_at_its_own_expense),
        feeds_test(noise_in_its_pages_does_nothing_to_others),
        feeds_test(a_log_that_contradicts_itself_is_given_up),
        feeds_test(rows_of_another_shape_are_not_looked_at),
        feeds_test(what_it_costs_in_a_round_is_bounded),
        feeds_test(an_area_which_was_not_asked_for_is_refused),
        feeds_test(frames_which_cannot_be_are_refused),
        feeds_test(memory_of_a_device_is_not_mapped),
        feeds_test(a_log_that_stays_busy_is_given_up),
        feeds_test(a_cpu_that_is_not_possible_has_no_log),
        feeds_test(one_page_for_all_is_its_own_problem),
        feeds_test(one_that_fails_is_tried_again_and_less_often),
        feeds_test(a_silent_one_is_asked_again_and_less_often),
        feeds_test(events_that_went_off_are_turned_on_again),
        feeds_test(sites_may_come_later),
        feeds_test(the_dead_are_unmapped_at_once),
        feeds_test(one_that_serves_nobody_any_more_is_let_go),
        feeds_test(one_that_gives_its_log_up_is_asked_again),
        feeds_test(conflicts_in_xenstore_are_no_endless_loop),
        feeds_test(what_does_not_change_is_hardly_looked_at),
        feeds_test(a_number_that_xenstore_refused_is_written_later),
        feeds_test(a_linux_of_which_nothing_is_logged_is_left_alone),
        feeds_test(who_forgot_all_is_told_all_again),
        feeds_test(the_same_area_is_taken_over),
        feeds_test(another_area_has_to_go_first),
        feeds_test(numbers_of_a_killed_daemon_are_removed),
        feeds_test(dom0_s_log_is_read_when_its_module_comes),
        feeds_test(dom0_s_rows_about_whom_it_does_not_serve_are_refused),
        feeds_test(dom0_s_log_is_set_up_again_when_its_lease_has_ended),
        feeds_test(dom0_s_log_may_be_held_by_somebody_else),
        feeds_test(others_can_look_on),
        feeds_test(there_is_nothing_to_look_at_before_it_was_asked_for),
        feeds_test(a_source_ends_when_its_domain_has_died),
    };

    return run_tap_tests(tests);
}
