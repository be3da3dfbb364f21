/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the core's lease of the log: only reading rows renews it, the core gives it up when
 * another program has the log, and waits while another program holds it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "core-world.h"

#include <xensched/recording.h>

const char state_path[] = "test-core-lease.state";
const char journal_path[] = "test-core-lease.journal";

/* The lease. */

/* Reads rows, and returns the reader's result. */
static int read_rows(const char *spec, struct xensched_error *err)
{
    struct xensched_source *source;
    int rc;

    assert_int_equal(xensched_source_open(spec, NULL, &source, err), 0);
    rc = core_read(&core, source, now, err);
    xensched_source_close(source);

    return rc;
}

static void a_sign_of_life_is_given_when_rows_were_taken_in(void **state)
{
    struct xensched_error err;

    (void)state;
    start(MODE_OBSERVE);
    assert_int_equal(host.world->lease_ms, LEASE / 1000000);
    assert_int_equal(host.world->nr_alive, 0);
    run(60, TALK);
    assert_int_equal(host.world->nr_alive, 600);
    assert_int_equal(core_run(&core, now, &err), 0);
    assert_int_equal(host.world->nr_alive, 600);
}

/* Makes a recording whose end is missing. */
static void make_cut_recording(const char *path)
{
    struct xensched_recorder *recorder;
    struct xensched_source *source;
    struct xensched_batch batch;

    assert_int_equal(xensched_source_open("synthetic:rows=100," TALK, NULL,
                                          &source, NULL), 0);
    assert_int_equal(xensched_recorder_open(path, 0, 0, &recorder, NULL), 0);
    while (xensched_source_next(source, &batch, NULL) == XENSCHED_BATCH)
        assert_int_equal(xensched_recorder_write(recorder, &batch, NULL), 0);
    xensched_recorder_close(recorder, NULL);
    assert_int_equal(truncate(path, 1000), 0);
    xensched_source_close(source);
}

static void a_source_that_fails_is_no_sign_of_life(void **state)
{
    struct xensched_error err;

    (void)state;
    make_cut_recording("test-core.cut");
    start(MODE_OBSERVE);
    assert_true(read_rows("recording:test-core.cut", &err) < 0);
    assert_int_equal(host.world->nr_alive, 0);
    unlink("test-core.cut");
}

static void expect_lost(const char *why)
{
    struct xensched_error err;
    unsigned int alive = host.world->nr_alive, journaled;

    journaled = count_in_journal("\"what\":\"log-lost\"");
    assert_int_equal(read_rows("synthetic:rows=1," TALK, &err), -ESTALE);
    assert_non_null(strstr(err.text, why));
    assert_int_equal(host.world->nr_alive, alive);
    assert_int_equal(count_in_journal("\"what\":\"log-lost\""),
                     journaled + 1);
    assert_true(count_in_journal(why) > 0);
}

static void a_daemon_that_stood_still_sets_the_log_up_again(void **state)
{
    struct xensched_error err;

    (void)state;
    start(MODE_OBSERVE);
    run(10, TALK);
    now += 20 * SECOND;
    expect_lost("stood still for 20.0 s, and its lease is 10.0 s");
    domain(DISK)->acct = domain(SPIN)->acct = 0;
    assert_int_equal(core_log_again(&core, now, &err), 0);
    assert_int_equal(host.world->nr_logs, 2);
    assert_int_equal(domain(DISK)->acct, 3);
    assert_int_equal(domain(SPIN)->acct, 4);
    assert_int_equal(count_in_journal("\"what\":\"log-again\""), 1);
    run(10, TALK);
}

static void it_is_noticed_when_xen_has_turned_events_off(void **state)
{
    struct xensched_error err;

    (void)state;
    start(MODE_OBSERVE);
    run(1, TALK);
    host.world->lease_ms = 0;
    host.world->events = 0;
    now += SECOND;
    expect_lost("turned all events off");
    assert_int_equal(core_log_again(&core, now, &err), 0);
    run(10, TALK);
}

/* Without events Xen grants no lease, so there is none to lose. */
static void a_daemon_without_events_loses_no_log(void **state)
{
    (void)state;
    host.world->logs_nothing = true;
    start(MODE_OBSERVE);
    run(3, TALK);
    now += 20 * SECOND;
    run(3, TALK);
    assert_int_equal(count_in_journal("\"what\":\"log-lost\""), 0);
}

static void a_daemon_that_lost_the_log_to_another_leaves_it(void **state)
{
    struct xensched_error err;

    (void)state;
    start(MODE_OBSERVE);
    now += 20 * SECOND;
    expect_lost("stood still");
    host.world->held = true;
    assert_int_equal(core_log_again(&core, now, &err), -EEXIST);
    host.world->held = false;
}

static void the_next_daemon_is_known_by_the_same_cookie(void **state)
{
    uint64_t cookie;

    (void)state;
    start(MODE_OBSERVE);
    cookie = core.cookie;
    assert_true(cookie != 0);
    core_free(&core); /* no core_stop() */
    start(MODE_OBSERVE);
    assert_true(core.cookie == cookie);
    core_stop(&core);
    core_free(&core);
    assert_int_equal(access(state_path, F_OK), -1);
    start(MODE_OBSERVE);
    assert_true(core.cookie != cookie);
}

static void the_lease_of_another_one_is_waited_for(void **state)
{
    struct lease_wait wait = { 0 };
    unsigned int ms;

    (void)state;
    assert_int_equal(lease_wait(&wait, 10000, 9000, 1), LEASE_WAIT);
    /* Xen saw the last sign of life before the wait began. */
    for (ms = 0; ms < 9900; ms += 200)
        assert_int_equal(lease_wait(&wait, 10000, 9900 - ms,
                                    SECOND + ms * 1000000ULL), LEASE_WAIT);
    /* Xen notices the end of the lease only a moment later. */
    assert_int_equal(lease_wait(&wait, 10000, 0, 12 * SECOND), LEASE_WAIT);
    assert_int_equal(lease_wait(&wait, 0, 0, 12 * SECOND), LEASE_FREE);
    assert_int_equal(lease_wait(&wait, 10000, 0, 15 * SECOND), LEASE_REFUSE);
}

static void a_holder_that_renews_its_lease_is_not_waited_for(void **state)
{
    struct lease_wait wait = { 0 };

    (void)state;
    assert_int_equal(lease_wait(&wait, 10000, 8000, 1), LEASE_WAIT);
    assert_int_equal(lease_wait(&wait, 10000, 9999, SECOND), LEASE_WAIT);
    assert_int_equal(lease_wait(&wait, 10000, 9000, 2 * SECOND), LEASE_WAIT);
    assert_int_equal(lease_wait(&wait, 10000, 9999, 3 * SECOND), LEASE_REFUSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(a_sign_of_life_is_given_when_rows_were_taken_in),
        core_test(a_source_that_fails_is_no_sign_of_life),
        core_test(a_daemon_that_stood_still_sets_the_log_up_again),
        core_test(it_is_noticed_when_xen_has_turned_events_off),
        core_test(a_daemon_without_events_loses_no_log),
        core_test(a_daemon_that_lost_the_log_to_another_leaves_it),
        core_test(the_next_daemon_is_known_by_the_same_cookie),
        cmocka_unit_test(the_lease_of_another_one_is_waited_for),
        cmocka_unit_test(a_holder_that_renews_its_lease_is_not_waited_for),
    };

    return run_tap_tests(tests);
}
