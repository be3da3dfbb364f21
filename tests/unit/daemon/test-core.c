/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the daemon's core, from rows to affinities; see core-world.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xensched/abi.h>

#include "cmocka-tap.h"
#include "core-world.h"
#include "placement/search.h"

const char state_path[] = "test-core.state";
const char journal_path[] = "test-core.journal";

static void in_act_the_guest_that_talks_and_only_it_is_moved(void **state)
{
    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    assert_true(fake_has_soft(domain(SPIN), FAKE_ALL));
    assert_true(fake_has_soft(domain(0), FAKE_ALL));
    assert_int_equal(core.moves, 1);
    run(20, TALK);
    assert_int_equal(core.moves, 1);
}

static void when_it_stops_all_is_as_before(void **state)
{
    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    core_stop(&core);
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
    assert_int_equal(access(state_path, F_OK), -1);
}

static void advise_and_observe_change_nothing(void **state)
{
    (void)state;
    start(MODE_ADVISE);
    run(10, TALK);
    assert_int_equal(core.plan.decisions[DISK].verb, MOVE);
    core_stop(&core);
    core_free(&core);
    start(MODE_OBSERVE);
    run(10, TALK);
    assert_int_equal(core.plan.decisions[DISK].verb, LEAVE);
    assert_int_equal(host.world->nr_sets, 0);
    assert_int_equal(core.actuator.state.nr, 0);
}

static void a_proposal_is_journaled_once(void **state)
{
    (void)state;
    start(MODE_ADVISE);
    run(30, TALK);
    assert_int_equal(count_in_journal("\"what\":\"propose\""), 1);
    assert_int_equal(count_in_journal("\"code\":\"gain\""), 1);
    assert_int_equal(count_in_journal("\"soft affinity 0-1"), 1);
}

static void the_next_start_restores_what_a_crash_left(void **state)
{
    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    core_free(&core); /* no core_stop() */
    start(MODE_ADVISE);
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
    run(10, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
}

static void after_restore_it_only_advises(void **state)
{
    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    assert_int_equal(core_restore(&core, "asked").restored, 1);
    assert_int_equal(count_in_journal("is restored: asked"), 1);
    run(10, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
    assert_int_equal(core.mode, MODE_ADVISE);
}

/* The domain may have ended, or not. */
static void a_domain_that_cannot_be_read_is_not_forgotten(void **state)
{
    uint16_t acct;

    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    acct = domain(DISK)->acct;
    domain(DISK)->unlisted = true;
    run(3, TALK);
    assert_int_equal(core.actuator.state.nr, 1);
    assert_int_equal(domain(DISK)->acct, acct);
    domain(DISK)->unlisted = false;
    run(3, TALK);
    assert_int_equal(core.actuator.state.nr, 1);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    domain(DISK)->unlisted = true;
    assert_int_equal(core_restore(&core, "asked").restored, 1);
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
    domain(DISK)->exists = false;
    run(3, TALK);
    assert_int_equal(domain(DISK)->acct, 0);
}

/* Half of the affinity is the daemon's, so the daemon set all of it. */
static void a_give_back_that_failed_half_way_is_tried_again(void **state)
{
    struct xensched_error err;

    (void)state;
    fake_domain_new(&host, DISK, "disk", 2);
    settings.max_moves = 100;
    start(MODE_ACT);
    run(10, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    run(59, SILENCE);
    host.world->fail_set = 2;
    host.world->fail_code = EIO;
    while (host.world->fail_set)
        run(1, SILENCE);
    assert_int_equal(core_run(&core, now, &err), 0);
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
    assert_int_equal(count_in_journal("\"what\":\"operator\""), 0);
    assert_int_equal(count_in_journal("tried again, after it had failed"), 1);
    /* The affinity is not taken for an operator's: the guest can be moved again. */
    run(20, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
}

/* Each new domain is bound while others boot, whose vCPUs do not matter. */
static void a_new_domain_is_bound_without_reading_the_host(void **state)
{
    struct xensched_error err;
    struct domains domains = { 0 };
    unsigned int looks;

    (void)state;
    start(MODE_OBSERVE);
    looks = host.world->nr_looks;
    fake_domain_new(&host, 5, "new", 2);
    assert_int_equal(core_bind_new(&core, &domains, now, &err), 0);
    assert_int_not_equal(domain(5)->acct, 0);
    assert_int_equal(host.world->nr_looks, looks);
    domains_free(&domains);
}

/* Reads a thousand rows a second, @times a second, for a minute. */
static double rate_by_reading(unsigned int times)
{
    struct xensched_source *source;
    struct xensched_error err;
    unsigned int i;
    char spec[80];

    snprintf(spec, sizeof(spec), "synthetic:rows=%u,pair=evtchn-send/3/2/1/1",
             1000 / times);
    for (i = 0; i < 60 * times; i++) {
        now += SECOND / times;
        assert_int_equal(xensched_source_open(spec, NULL, &source, &err), 0);
        assert_int_equal(core_read(&core, source, now, &err), 0);
        xensched_source_close(source);
    }

    return matrix_rate(core.matrix, XEN_SCHEDLOG_EV_EVTCHN_SEND, 3, 2, now);
}

/* With a doorbell, the daemon reads a quiet log once a second. */
static void how_often_a_log_is_read_makes_no_difference(void **state)
{
    (void)state;
    start(MODE_OBSERVE);
    assert_in_range(rate_by_reading(10), 970, 1030);
    assert_in_range(rate_by_reading(1), 970, 1030);
}

static unsigned int nr_reads;

/* Reads new rows and renews the lease, as xenschedd.c does between the steps of a plan. */
static void read_meanwhile(void *arg)
{
    struct xensched_source *source;
    struct xensched_error err;

    (void)arg;
    assert_int_equal(xensched_source_open("synthetic:rows=10," TALK, NULL,
                                          &source, &err), 0);
    assert_int_equal(core_read(&core, source, now, &err), 0);
    xensched_source_close(source);
    nr_reads++;
}

/* The lease survives a plan with many changes and slow disks. */
static void between_the_steps_of_a_plan_rows_are_read(void **state)
{
    struct xensched_error err;
    unsigned int alive;

    (void)state;
    settings.do_urgent = read_meanwhile;
    start(MODE_ACT);
    run(10, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    nr_reads = 0;
    alive = host.world->nr_alive;
    assert_int_equal(core_run(&core, now, &err), 0);
    /* Once before and after each domain, and for the plan. */
    assert_in_range(nr_reads, 2 * 3, 2 * 3 + 2);
    assert_int_equal(host.world->nr_alive, alive + nr_reads);
    assert_true(core.rows_came);
}

static double searched_after; /* s */

unsigned long __real_search_effort(const struct placement *p, double seconds);
unsigned long __wrap_search_effort(const struct placement *p, double seconds);

unsigned long __wrap_search_effort(const struct placement *p, double seconds)
{
    searched_after = seconds;

    return __real_search_effort(p, seconds);
}

/* A plan that a request causes takes no time from the next one. */
static void a_plan_soon_after_the_periodic_one_searches_less(void **state)
{
    struct xensched_error err;
    uint64_t ms = SECOND / 1000;

    (void)state;
    start(MODE_ADVISE);
    run(10, TALK);
    assert_float_equal(searched_after, 1, 1e-9);
    assert_int_equal(core_run(&core, now + 300 * ms, &err), 0);
    assert_float_equal(searched_after, 0.3, 1e-9);
    assert_int_equal(core_run_requested(&core, now + 400 * ms, &err), 0);
    assert_float_equal(searched_after, 0.1, 1e-9);
    assert_int_equal(core_run(&core, now + 700 * ms, &err), 0);
    assert_float_equal(searched_after, 0.4, 1e-9);
}

/* Without rows, only reading the host costs anything. */
static void where_nothing_is_logged_the_next_look_can_wait(void **state)
{
    struct xensched_batch empty = { .length = 0 };

    (void)state;
    start(MODE_ADVISE);
    run(1, TALK);
    assert_true(core_is_idle(&core, now + SECOND));
    core_take(&core, &empty, now);
    assert_true(core_is_idle(&core, now + 9 * SECOND));
    assert_false(core_is_idle(&core, now + 11 * SECOND));
    run(1, TALK);
    assert_true(core_is_idle(&core, now));
    hear(TALK);
    assert_false(core_is_idle(&core, now));
}

/* The lease. */

/* SPIN and two guests like it communicate as well. */
#define ALL_TALK TALK ",pair=evtchn-send/4/2/1/1,pair=evtchn-send/5/2/1/1," \
                 "pair=evtchn-send/6/2/1/1"

static void moves_per_minute_are_bounded(void **state)
{
    unsigned int i;

    (void)state;
    fake_domain_new(&host, 3, "third", 1);
    fake_domain_new(&host, 4, "fourth", 1);
    settings.max_moves = 2;
    start(MODE_ACT);
    run(10, ALL_TALK);
    assert_int_equal(core.moves, 2);
    for (i = 1; core.plan.decisions[i].verb != MOVE; i++)
        assert_true(i + 1 < core.plan.nr);
    assert_int_equal(core.plan.decisions[i].put_off, 2);
    assert_int_equal(count_in_journal("\"what\":\"put-off\""), 1);
    /* Two entries report the moves, and one says that others are put off. */
    assert_int_equal(count_in_journal("\"code\":\"gain\""), 2 + 1);
    run(48, ALL_TALK);
    assert_int_equal(core.moves, 2);
    run(12, ALL_TALK);
    assert_int_equal(core.moves, 4);

    /* The same limit holds for restoring a guest; restoring all guests has no limit. */
    run(90, "pair=service-ns/5/1/1/1");
    assert_int_equal(core.restores, 2);
    core_stop(&core);
    assert_int_equal(core.restores, 4);
}

/* Reads rows at another time. */
static void hear_at(uint64_t at_ns, const char *pairs)
{
    struct xensched_source *source;
    struct xensched_error err;
    char spec[500];

    snprintf(spec, sizeof(spec), "synthetic:seed=%llu,rows=100,%s",
             (unsigned long long)at_ns, pairs);
    assert_int_equal(xensched_source_open(spec, NULL, &source, &err), 0);
    assert_int_equal(core_read(&core, source, at_ns, &err), 0);
    xensched_source_close(source);
}

/* A callback between two steps reads, and then the step reads with its older time. */
static void a_reader_with_an_older_time_leaves_rates_as_they_are(void **state)
{
    double before, after;

    (void)state;
    start(MODE_ADVISE);
    run(5, TALK);
    before = matrix_rate(core.matrix, XEN_SCHEDLOG_EV_EVTCHN_SEND, 3, 2, now);
    hear_at(now + 150000000, TALK);
    hear_at(now, TALK);
    run(60, TALK);
    after = matrix_rate(core.matrix, XEN_SCHEDLOG_EV_EVTCHN_SEND, 3, 2, now);
    assert_true(after < 1.2 * before && after > 0.8 * before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(how_often_a_log_is_read_makes_no_difference),
        core_test(in_act_the_guest_that_talks_and_only_it_is_moved),
        core_test(when_it_stops_all_is_as_before),
        core_test(where_nothing_is_logged_the_next_look_can_wait),
        core_test(advise_and_observe_change_nothing),
        core_test(a_proposal_is_journaled_once),
        core_test(the_next_start_restores_what_a_crash_left),
        core_test(after_restore_it_only_advises),
        core_test(a_domain_that_cannot_be_read_is_not_forgotten),
        core_test(a_give_back_that_failed_half_way_is_tried_again),
        core_test(a_new_domain_is_bound_without_reading_the_host),
        core_test(between_the_steps_of_a_plan_rows_are_read),
        core_test(a_plan_soon_after_the_periodic_one_searches_less),
        core_test(moves_per_minute_are_bounded),
        core_test(a_reader_with_an_older_time_leaves_rates_as_they_are),
    };

    return run_tap_tests(tests);
}
