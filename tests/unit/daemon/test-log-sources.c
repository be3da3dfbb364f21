/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks where rows come from: sources appear, disappear and are silent, each independent of the
 * others; see log-sources-world.h.
 */
#include <errno.h>
#include <string.h>

#include "cmocka-tap.h"
#include "fake-xenstore.h"
#include "base/blocking-call.h"
#include "log-sources-world.h"

#include "daemon/doorbells.h"

/* The usual course of a source. */

static void a_driver_domain_is_asked_read_and_given_back(void **state)
{
    uint64_t lease;

    (void)state;
    look();
    assert_int_equal(driver()->state, LOG_SOURCE_ASKED);
    assert_string_equal(request("version"), "2");
    assert_string_equal(request("nr-acct"), "16");
    assert_string_equal(request("sizes"), "262144");
    /* No event is on before the daemon can read the log. */
    assert_string_equal(request("events"), "0");
    assert_string_equal(fake_xs_permissions("/local/domain/3/schedlog/"
                                            "request"), "n0r3");
    assert_string_equal(fake_xs_permissions("/local/domain/3/schedlog/area"),
                        "n0b3");
    answer();
    /* The daemon notices the answer at once, without waiting for its next poll. */
    read_rows();
    read_rows();
    assert_int_equal(driver()->state, LOG_SOURCE_READING);
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

    log_sources_free(&sources);
    assert_null(request("version"));
    assert_null(fake_xs_get("/local/domain/3/schedlog/acct/3"));
    assert_int_equal(mapped, 0);
    start_log_sources("none");
}

/* Xen rings the doorbell, a Linux does not. */
static void a_source_without_a_doorbell_is_polled_all_the_time(void **state)
{
    struct read_schedule none = { .interval_ms = 100, .lease_ms = 10000 };
    struct read_schedule has = none;

    (void)state;
    has.rings = true;
    assert_int_equal(read_schedule_next_ms(&none, &sources), 100);
    assert_int_equal(read_schedule_next_ms(&has, &sources), 1000);
    look();
    assert_int_equal(read_schedule_longest_ms(&has), 1000);
    answer();
    read_rows();
    assert_true(driver()->poll_again);
    assert_int_equal(read_schedule_next_ms(&has, &sources), 100);
    read_rows();
    assert_int_equal(driver()->state, LOG_SOURCE_READING);
    assert_int_equal(read_schedule_next_ms(&has, &sources), 100);
    /* Xen must see that the lease is renewed. */
    has.lease_ms = 1000;
    assert_int_equal(read_schedule_longest_ms(&has), 250);
    has.lease_ms = 0;
    has.interval_ms = 5000;
    assert_int_equal(read_schedule_longest_ms(&has), 5000);
}

static void a_domain_that_does_not_answer_is_not_polled(void **state)
{
    struct read_schedule has = { .interval_ms = 100, .rings = true };

    (void)state;
    look();
    assert_int_equal(driver()->state, LOG_SOURCE_ASKED);
    assert_int_equal(read_schedule_next_ms(&has, &sources), 1000);
}

/* The daemon only renews the lease of such a log. */
static void a_log_in_which_nothing_is_on_is_looked_at_rarely(void **state)
{
    struct read_schedule has = { .interval_ms = 100, .rings = true };
    uint64_t lease;

    (void)state;
    log_sources_free(&sources);
    start_log_sources("none");
    look();
    answer();
    read_rows();
    read_rows();
    assert_int_equal(driver()->state, LOG_SOURCE_READING);
    assert_string_equal(request("events"), "0");
    assert_int_equal(read_schedule_next_ms(&has, &sources), 1000);
    lease = *(uint64_t *)page(GLOBAL);
    read_rows();
    assert_true(*(uint64_t *)page(GLOBAL) > lease);
}

/* Linux reports with its log whether it has a doorbell. */
static void the_log_of_linux_is_polled_without_a_doorbell(void **state)
{
    struct read_schedule has = { .interval_ms = 100, .rings = true };

    (void)state;
    host.world->domains[DRIVER].exists = false;
    device.there = true;
    device.built = 1U << PAGES;
    look();
    assert_int_equal(source_named("linux")->state, LOG_SOURCE_READING);
    assert_false(log_sources_linux_rings(&sources));
    assert_int_equal(read_schedule_next_ms(&has, &sources), 100);

    log_sources_begin_anew(&sources, now);
    assert_false(log_sources_linux_rings(&sources));
    device.rings = true;
    device.built = 1U << PAGES;
    look();
    assert_int_equal(source_named("linux")->state, LOG_SOURCE_READING);
    assert_true(log_sources_linux_rings(&sources));
    assert_int_equal(read_schedule_next_ms(&has, &sources), 100); /* it could */
    has.linux_rings = true;
    assert_int_equal(read_schedule_next_ms(&has, &sources), 1000);
}

/* The hypervisor binds the doorbell, and then does not ring. */
static void a_doorbell_that_never_rings_is_not_waited_for(void **state)
{
    struct read_schedule has = { .interval_ms = 100 };
    uint64_t due;

    (void)state;
    has.rings = true;
    assert_false(read_schedule_done(&has, 0));
    /* A poll may come just before the doorbell. */
    assert_false(read_schedule_done(&has, 1));
    assert_false(read_schedule_done(&has, 2));
    for (due = 3; due < 100; due++) {
        assert_false(read_schedule_rung(&has));
        assert_false(read_schedule_done(&has, due));
    }
    /* Nothing caused a doorbell. */
    for (due = 0; due < 100; due++)
        assert_false(read_schedule_done(&has, 99));
    assert_int_equal(read_schedule_next_ms(&has, &sources), 1000);
    assert_false(read_schedule_done(&has, 100));
    assert_false(read_schedule_done(&has, 101));
    assert_true(read_schedule_done(&has, 102));
    assert_int_equal(read_schedule_next_ms(&has, &sources), 100);
    assert_false(read_schedule_done(&has, 103)); /* reported once */
    assert_true(read_schedule_rung(&has));
    assert_int_equal(read_schedule_next_ms(&has, &sources), 1000);
    /* After another source the count restarts. */
    assert_false(read_schedule_done(&has, 0));
    assert_false(read_schedule_done(&has, 0));
    assert_false(read_schedule_rung(&has));
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
    /* The driver domain does not see the numbers of other domains... */
    assert_null(fake_xs_get("/local/domain/3/schedlog/acct/5"));
    /* ... but dom0's Linux does. */
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

/* Sources that come and go. */

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
    /* The domain answers correctly now: the next try succeeds. */
    answer();
    wait_for(301);
    answer();
    wait_for(1);
    assert_int_equal(driver()->state, LOG_SOURCE_READING);
}

static void a_silent_one_is_asked_again_and_less_often(void **state)
{
    unsigned int first;

    (void)state;
    fake_xs.writes = 0;
    wait_for(10);
    first = fake_xs.writes;
    assert_int_equal(driver()->state, LOG_SOURCE_ASKED);
    assert_true(strstr(driver()->reason, "has not answered"));
    wait_for(1000);
    fake_xs.writes = 0;
    wait_for(100);
    assert_true(fake_xs.writes <= first);
    assert_int_equal(driver()->state, LOG_SOURCE_ASKED);
    answer();
    read_rows();
    read_rows();
    assert_int_equal(driver()->state, LOG_SOURCE_READING);
}

static void events_that_went_off_are_turned_on_again(void **state)
{
    unsigned int asked = 0, i;

    (void)state;
    get_it_to_log();
    /* The lease has ended, for example; the domain knows only the last request. */
    advertise("events", "0");
    fake_xs_put("0", "/local/domain/3/schedlog/request/events");
    wait_for(20);
    assert_string_equal(request("events"), "16777216");
    /* A domain that never obeys is asked less and less often. */
    for (i = 0; i < 600; i++) {
        fake_xs_put("0", "/local/domain/3/schedlog/request/events");
        wait_for(1);
        asked += !!strcmp(request("events"), "0");
    }
    assert_in_range(asked, 2, 10);
    assert_int_equal(driver()->state, LOG_SOURCE_READING);
}

static void sites_may_come_later(void **state)
{
    (void)state;
    look();
    answer();
    advertise("events-built", "0");
    wait_for(2);
    assert_int_equal(driver()->state, LOG_SOURCE_READING);
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
    /* Another domain has the same domid. */
    fake_xs_remove("/local/domain/3");
    fake_domain_new(&host, DRIVER, "driver", 1)->clients = 1U << CLIENT;
    get_it_to_log();
}

static void a_domain_that_serves_no_guest_any_more_is_released(void **state)
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
    /* The domain may reuse the memory as soon as the request is removed. */
    assert_null(request("version"));
    wait_for(2);
    assert_non_null(request("version"));
    answer();
    wait_for(2);
    assert_int_equal(driver()->state, LOG_SOURCE_READING);
}

static void conflicts_in_xenstore_are_no_endless_loop(void **state)
{
    (void)state;
    fake_xs.conflicts = UINT32_MAX;
    look();
    assert_int_equal(driver()->state, LOG_SOURCE_FAILED);
    fake_xs.conflicts = 3;
    wait_for(2);
    assert_int_equal(driver()->state, LOG_SOURCE_ASKED);
}

/* The cost if nothing happens. */

static void an_unchanged_domain_is_hardly_read(void **state)
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
    /* As a safety net the daemon reads even this again after a while. */
    wait_for(20);
    assert_in_range(fake_xs.transactions, 1, 4);
    /* Nevertheless the next poll notices a change. */
    take_back();
    wait_for(1);
    assert_int_equal(driver()->state, LOG_SOURCE_FAILED);
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
    log_sources_free(&sources);
    start_log_sources("evtchn-send");
    device.there = true;
    device.calls = fake_xs.writes = fake_xs.transactions = 0;
    wait_for(3);
    assert_null(driver());
    assert_int_equal(source_named("linux")->state, LOG_SOURCE_ABSENT);
    assert_int_equal(device.calls, 0);
    assert_int_equal(fake_xs.writes, 0);
    assert_int_equal(fake_xs.transactions, 0);
}

static int check_xenstore(void *err)
{
    return xenstore_check(xs, err);
}

/* xenstored is killed and restarted; its contents are lost. */
static void xenstore_is_written_again_after_it_lost_all(void **state)
{
    struct xensched_error err;

    (void)state;
    get_it_to_log();
    fake_xs_die();
    fake_xs_remove("/local/domain/3/schedlog");
    fake_xs_remove("/local/domain/0/schedlog");
    assert_int_equal(blocking_call(check_xenstore, &err), XENSTORE_ANEW);
    log_sources_begin_anew(&sources, now);
    assert_int_equal(mapped, 0);
    wait_for(1);
    assert_string_equal(fake_xs_get("/local/domain/3/schedlog/acct/4"), "4");
    assert_string_equal(fake_xs_get("/local/domain/0/schedlog/acct/5"), "5");
    assert_non_null(request("version"));
    answer();
    wait_for(1);
    assert_int_equal(driver()->state, LOG_SOURCE_READING);
    emit(0, PAGES, DRIVER_ACCT, CLIENT_ACCT, 8);
    wait_for(1);
    assert_int_equal(total_of(PAGES, DRIVER_ACCT, CLIENT_ACCT), 8);
}

/* dom0's Linux. */

static void dom0_s_log_is_read_when_its_module_comes(void **state)
{
    (void)state;
    wait_for(3);
    assert_int_equal(source_named("linux")->state, LOG_SOURCE_ABSENT);
    device.there = true;
    wait_for(5);
    assert_int_equal(source_named("linux")->state, LOG_SOURCE_READING);
    assert_int_equal(device.events, 0);
    /* blkback is loaded later. */
    device.built = 3U << PAGES;
    wait_for(5);
    assert_int_equal(device.events, 1U << PAGES);
    assert_int_equal(device.lease_ms, 10000);
    emit_dom0(CLIENT_ACCT, 33);
    wait_for(1);
    assert_int_equal(total_of(PAGES, DOM0_ACCT, CLIENT_ACCT), 33);
    log_sources_free(&sources);
    assert_int_equal(device.nr_acct, 0);
    start_log_sources("none");
}

/* Linux may not know the current numbers yet. */
static void dom0_s_rows_about_guests_of_others_are_refused(void **state)
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
    assert_int_equal(source_named("linux")->refused, 1);
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

static void dom0_s_log_is_asked_again_when_it_has_the_numbers(void **state)
{
    (void)state;
    device.there = device.no_numbers = true;
    device.built = 1U << PAGES;
    wait_for(2);
    assert_int_equal(source_named("linux")->state, LOG_SOURCE_FAILED);
    assert_non_null(strstr(source_named("linux")->reason, "is xenstored running?"));
    assert_int_equal(device.events, 0);
    device.no_numbers = false;
    wait_for(60);
    assert_int_equal(device.events, 1U << PAGES);
}

static void dom0_s_log_may_have_another_holder(void **state)
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
    assert_int_equal(source_named("linux")->state, LOG_SOURCE_FAILED);
    assert_true(strstr(source_named("linux")->reason, "another scheduler"));
    device.events = device.lease_ms = 0;
    wait_for(10);
    assert_int_equal(source_named("linux")->state, LOG_SOURCE_READING);
}

/* Other programs can read the log while it exists. */

int main(void)
{
    const struct CMUnitTest tests[] = {
        log_sources_test(a_driver_domain_is_asked_read_and_given_back),
        log_sources_test(a_source_without_a_doorbell_is_polled_all_the_time),
        log_sources_test(a_domain_that_does_not_answer_is_not_polled),
        log_sources_test(a_log_in_which_nothing_is_on_is_looked_at_rarely),
        log_sources_test(a_doorbell_that_never_rings_is_not_waited_for),
        log_sources_test(the_log_of_linux_is_polled_without_a_doorbell),
        log_sources_test(it_gets_the_numbers_it_needs_before_an_event_is_on),
        log_sources_test(one_that_fails_is_tried_again_and_less_often),
        log_sources_test(a_silent_one_is_asked_again_and_less_often),
        log_sources_test(events_that_went_off_are_turned_on_again),
        log_sources_test(sites_may_come_later),
        log_sources_test(the_dead_are_unmapped_at_once),
        log_sources_test(a_domain_that_serves_no_guest_any_more_is_released),
        log_sources_test(one_that_gives_its_log_up_is_asked_again),
        log_sources_test(conflicts_in_xenstore_are_no_endless_loop),
        log_sources_test(an_unchanged_domain_is_hardly_read),
        log_sources_test(a_number_that_xenstore_refused_is_written_later),
        log_sources_test(a_linux_of_which_nothing_is_logged_is_left_alone),
        log_sources_test(xenstore_is_written_again_after_it_lost_all),
        log_sources_test(dom0_s_log_is_read_when_its_module_comes),
        log_sources_test(dom0_s_rows_about_guests_of_others_are_refused),
        log_sources_test(dom0_s_log_is_set_up_again_when_its_lease_has_ended),
        log_sources_test(dom0_s_log_is_asked_again_when_it_has_the_numbers),
        log_sources_test(dom0_s_log_may_have_another_holder),
    };

    return run_tap_tests(tests);
}
