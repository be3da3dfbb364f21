/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The daemon's core, from rows to affinities; see core-world.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "core-world.h"
#include "harness.h"

#include <xensched/recording.h>

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

/* It may be about to go, and may as well not: nobody knows. */
static void who_cannot_be_looked_at_is_not_forgotten(void **state)
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

/* Half of it is as it was then, and that was nobody's doing but ours. */
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
    /* And so it is not taken for an operator's: it can be moved again. */
    run(20, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
}

/* Each that is new, while others boot: vCPUs have nothing to do with it. */
static void who_is_new_is_bound_without_a_look_at_the_host(void **state)
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

/* A thousand rows a second, read @times a second for a minute. */
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

/* With a doorbell, a second goes by between two reads of a quiet log. */
static void how_often_a_log_is_read_makes_no_difference(void **state)
{
    (void)state;
    start(MODE_OBSERVE);
    assert_in_range(rate_by_reading(10), 970, 1030);
    assert_in_range(rate_by_reading(1), 970, 1030);
}

static unsigned int nr_reads;

/* What main.c does: rows that came meanwhile, and a sign of life. */
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

/* A plan with many changes and slow disks is no reason to lose the lease. */
static void between_the_steps_of_a_plan_rows_are_read(void **state)
{
    struct xensched_error err;
    unsigned int alive;

    (void)state;
    settings.between = read_meanwhile;
    start(MODE_ACT);
    run(10, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    nr_reads = 0;
    alive = host.world->nr_alive;
    assert_int_equal(core_run(&core, now, &err), 0);
    /* Each domain twice, and the plan. */
    assert_in_range(nr_reads, 2 * 3, 2 * 3 + 2);
    assert_int_equal(host.world->nr_alive, alive + nr_reads);
    assert_true(core.rows_came);
}

static void an_operator_who_moves_a_guest_keeps_it(void **state)
{
    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    domain(DISK)->vcpus[0].soft = 0x4;
    run(60, TALK);
    assert_true(fake_has_soft(domain(DISK), 0x4));
    assert_int_equal(core.moves, 1);
    /* Also one who undoes it to the very default. */
    domain(DISK)->vcpus[0].soft = FAKE_ALL;
    run(60, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
}

/* It was told as nobody's doing, and the guest never moved again. */
static void who_puts_the_original_back_is_in_the_journal(void **state)
{
    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    domain(DISK)->vcpus[0].soft = FAKE_ALL;
    run(60, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
    assert_int_equal(count_in_journal("\"what\":\"operator\""), 1);
    assert_int_equal(core.actuator.state.nr, 0);
}

static void a_pcpu_that_goes_and_comes_moves_nothing(void **state)
{
    (void)state;
    start(MODE_ACT);
    run(20, TALK);
    assert_int_equal(core.moves, 1);
    host.world->offline = 0x2;
    run(30, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    host.world->offline = 0;
    run(30, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    assert_int_equal(core.moves, 1);
}

static void an_affinity_from_before_is_the_operators(void **state)
{
    (void)state;
    domain(DISK)->names_affinity = true;
    domain(DISK)->vcpus[0].soft = FAKE_NODE_1;
    start(MODE_ACT);
    run(20, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_1));
}

static void a_hard_affinity_is_the_operators(void **state)
{
    (void)state;
    domain(DISK)->vcpus[0].hard = FAKE_NODE_1;
    start(MODE_ACT);
    run(20, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
}

/* On NUMA hosts every guest has one which xl has picked. */
static void an_affinity_that_xl_picked_is_nobodys(void **state)
{
    (void)state;
    domain(DISK)->vcpus[0].soft = FAKE_NODE_1;
    start(MODE_ACT);
    run(10, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    core_stop(&core);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_1));
}

static void half_a_node_was_not_picked_by_xl(void **state)
{
    (void)state;
    domain(DISK)->vcpus[0].soft = 0x8;
    start(MODE_ACT);
    run(10, TALK);
    assert_true(fake_has_soft(domain(DISK), 0x8));
}

/* It looks like xl's work, but xl doesn't do that to a running guest. */
static void a_node_set_while_we_look_is_the_operators(void **state)
{
    (void)state;
    start(MODE_ACT);
    run(7, SILENCE);
    domain(DISK)->vcpus[0].soft = FAKE_NODE_1;
    run(20, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_1));
}

struct pairs {
    uint16_t acct;
    unsigned int nr;
};

static void count_pair(const struct matrix_entry *entry, void *arg)
{
    struct pairs *pairs = arg;

    pairs->nr += entry->total && (entry->current == pairs->acct ||
                                  entry->correspondent == pairs->acct);
}

/* How many pairs the matrix has of it, however long ago they met. */
static unsigned int pairs_of(uint16_t acct)
{
    struct pairs pairs = { .acct = acct };

    matrix_visit(core.matrix, now, count_pair, &pairs);

    return pairs.nr;
}

static void new_domains_are_bound_and_gone_ones_forgotten(void **state)
{
    struct domains domains = { 0 };
    struct xensched_error err;
    uint16_t acct;

    (void)state;
    start(MODE_ADVISE);
    run(5, TALK);
    fake_domain_new(&host, 5, "late", 1);
    assert_int_equal(core_bind_new(&core, &domains, now, &err), 0);
    domains_free(&domains);
    acct = domain(5)->acct;
    assert_int_equal(acct, 5);
    assert_true(matrix_rate(core.matrix, XEN_SCHEDLOG_EV_EVTCHN_SEND, 3, 2,
                            now) > 0);
    assert_true(host.world->routed & 1U << 3);
    domain(DISK)->exists = false;
    assert_int_equal(core_run(&core, now, &err), 0);
    assert_false(host.world->routed & 1U << 3);
    assert_true(pairs_of(3) > 0); /* it may come back */
    assert_int_equal(core_run(&core, now + 59 * SECOND, &err), 0);
    assert_true(pairs_of(3) > 0);
    assert_int_equal(core_run(&core, now + 61 * SECOND, &err), 0);
    assert_int_equal(pairs_of(3), 0);
    assert_int_equal(domain(5)->acct, acct);
}

/* Looking at a host of which nothing is logged is all that costs anything. */
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

/* What xl makes of it: the same UUID, another domid. */
static void boot_anew(uint32_t domid, uint32_t new_domid)
{
    fake_domain_new(&host, new_domid, domain(domid)->name, 1);
    domain(new_domid)->uuid = domain(domid)->uuid;
    domain(domid)->exists = false;
    domain(domid)->acct = 0;
}

static void who_is_booted_anew_keeps_its_history(void **state)
{
    struct domains domains = { 0 };
    struct xensched_error err;
    unsigned int pairs;

    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    pairs = pairs_of(3);
    boot_anew(DISK, 9);
    assert_int_equal(core_bind_new(&core, &domains, now, &err), 0);
    domains_free(&domains);
    assert_int_equal(domain(9)->acct, 3);
    assert_int_equal(pairs_of(3), pairs);
    /* Of what was changed of the former one there is nothing to restore. */
    assert_int_equal(core_run(&core, now, &err), 0);
    assert_int_equal(core.actuator.state.nr, 0);
    run(20, TALK);
    assert_true(fake_has_soft(domain(9), FAKE_NODE_0));
    assert_int_equal(core.moves, 2);
}

/* Also if it is away for a moment. */
static void who_comes_back_later_does_too(void **state)
{
    struct xensched_error err;

    (void)state;
    start(MODE_ADVISE);
    run(5, TALK);
    boot_anew(DISK, 9);
    domain(9)->exists = false;
    run(5, SILENCE);
    fake_domain_new(&host, 10, "another", 1);
    assert_int_equal(core_run(&core, now, &err), 0);
    assert_int_not_equal(domain(10)->acct, 3);
    domain(9)->exists = true;
    assert_int_equal(core_run(&core, now, &err), 0);
    assert_int_equal(domain(9)->acct, 3);
    assert_true(pairs_of(3) > 0);
}

/* Groups. */

static void put_into(const char *group, uint32_t domid)
{
    snprintf(domain(domid)->group, sizeof(domain(domid)->group), "%s", group);
}

static void look(uint64_t at)
{
    struct xensched_error err;

    assert_int_equal(core_run(&core, at, &err), 0);
}

/* DISK and SPIN have 3 then, and OTHER 4. */
#define OTHER 5U

static void start_with_a_group(void)
{
    fake_domain_new(&host, OTHER, "other", 1);
    put_into("web", DISK);
    put_into("web", SPIN);
    start(MODE_ADVISE);
    run(5, TALK);
}

static void domains_of_a_group_share_a_number(void **state)
{
    (void)state;
    start_with_a_group();
    assert_int_equal(domain(DISK)->acct, 3);
    assert_int_equal(domain(SPIN)->acct, 3);
    assert_int_equal(domain(OTHER)->acct, 4);
    assert_int_equal(core.domains.domain[DISK].acct, 3);
    assert_int_equal(core.domains.domain[SPIN].acct, 3);
    /* One that comes later has it, too, and other groups are other ones. */
    fake_domain_new(&host, 6, "late", 1);
    fake_domain_new(&host, 7, "elsewhere", 1);
    put_into("web", 6);
    put_into("web.2", 7);
    look(now);
    assert_int_equal(domain(6)->acct, 3);
    assert_int_equal(domain(7)->acct, 5);
}

static void a_group_outlives_each_of_its_domains(void **state)
{
    (void)state;
    start_with_a_group();
    domain(DISK)->exists = false;
    look(now);
    look(now + 61 * SECOND);
    assert_int_equal(domain(SPIN)->acct, 3);
    assert_true(host.world->routed & 1U << 3);
    assert_true(pairs_of(3) > 0);
    domain(SPIN)->exists = false;
    look(now + 70 * SECOND);
    assert_false(host.world->routed & 1U << 3);
    look(now + 129 * SECOND);
    assert_true(pairs_of(3) > 0); /* they may come back */
    look(now + 131 * SECOND);
    assert_int_equal(pairs_of(3), 0);
}

static void who_comes_back_to_a_group_has_its_number(void **state)
{
    (void)state;
    start_with_a_group();
    boot_anew(DISK, 8);
    put_into("web", 8);
    look(now);
    assert_int_equal(domain(8)->acct, 3);
    /* Also if there was nobody meanwhile, and whatever its UUID is. */
    domain(8)->exists = domain(SPIN)->exists = false;
    look(now + SECOND);
    fake_domain_new(&host, 9, "another", 1);
    put_into("web", 9);
    look(now + 2 * SECOND);
    assert_int_equal(domain(9)->acct, 3);
    assert_true(host.world->routed & 1U << 3);
    assert_true(pairs_of(3) > 0);
}

static void who_changes_its_group_changes_its_number(void **state)
{
    (void)state;
    start_with_a_group();
    boot_anew(DISK, 8);
    put_into("db", 8);
    look(now);
    assert_int_equal(domain(8)->acct, 5);
    assert_int_equal(domain(SPIN)->acct, 3);
    /* Somebody writes it into xenstore; what is known of the domain stays. */
    domain(OTHER)->vcpus[0].hard = FAKE_NODE_1;
    run(10, TALK);
    put_into("db", OTHER);
    look(now);
    assert_int_equal(domain(OTHER)->acct, 5);
    assert_false(host.world->routed & 1U << 4);
    domain(OTHER)->vcpus[0].hard = FAKE_ALL;
    look(now);
    assert_int_equal(domains_find(&core.domains, OTHER)->affinity,
                     AFFINITY_OPERATOR);
    put_into("", OTHER);
    look(now);
    assert_int_equal(domain(OTHER)->acct, 4);
}

/* All numbers are used: it is none of the group's any more in any case. */
static void who_leaves_a_group_when_there_is_no_number_has_none(void **state)
{
    unsigned int i;

    (void)state;
    start_with_a_group();
    for (i = 0; i < FAKE_DOMAINS; i++)
        if (!domain(i)->exists)
            fake_domain_new(&host, i, "many", 1);
    fake_domain_new(&host, 14, "group", 1);
    put_into("web", 14);
    look(now);
    put_into("none", DISK);
    look(now);
    assert_int_equal(domain(DISK)->acct, XEN_SCHEDLOG_ACCT_REST);
    assert_int_equal(core.domains.domain[DISK].acct, XEN_SCHEDLOG_ACCT_REST);
    put_into("web", DISK);
    look(now);
    assert_int_equal(domain(DISK)->acct, 3);
}

static void a_driver_domain_is_in_no_group(void **state)
{
    (void)state;
    put_into("web", 0);
    start_with_a_group();
    assert_int_equal(domain(0)->acct, 2);
    assert_int_equal(domain(DISK)->acct, 3);
    domain(SPIN)->driver = true;
    look(now);
    assert_int_equal(domain(SPIN)->acct, 5);
    assert_int_equal(domain(DISK)->acct, 3);
    domain(SPIN)->driver = false;
    look(now);
    assert_int_equal(domain(SPIN)->acct, 3);
}

static void what_a_group_uses_is_not_counted_twice(void **state)
{
    double disk, spin, all;

    (void)state;
    start_with_a_group();
    run(5, "pair=service-ns/3/1/1/50000");
    all = matrix_service(core.matrix, 3, now);
    assert_true(all > 0.01);
    assert_true(core_service(&core, &core.domains.domain[DISK], now, &disk));
    assert_true(core_service(&core, &core.domains.domain[SPIN], now, &spin));
    assert_float_equal(disk + spin, all, 1e-9);
    assert_float_equal(spin, 2 * disk, 1e-9); /* it has 2 vCPUs */
}

static void a_number_is_used_again_as_late_as_possible(void **state)
{
    struct xensched_error err;
    uint16_t before = 0;
    unsigned int i;

    (void)state;
    start(MODE_OBSERVE);
    for (i = 0; i < 40; i++) {
        fake_domain_new(&host, 5, "short", 1);
        assert_int_equal(core_run(&core, now, &err), 0);
        assert_true(domain(5)->acct >= XEN_SCHEDLOG_ACCT_FIRST);
        assert_int_not_equal(domain(5)->acct, before);
        before = domain(5)->acct;
        assert_true(before != domain(0)->acct);
        domain(5)->exists = false;
        assert_int_equal(core_run(&core, now, &err), 0);
    }
}

static void more_domains_than_numbers_do_no_harm(void **state)
{
    struct xensched_error err;
    unsigned int i, bound = 0;

    (void)state;
    for (i = 1; i < FAKE_DOMAINS; i++)
        fake_domain_new(&host, i, "many", 1);
    start(MODE_ACT);
    run(10, TALK);
    for (i = 0; i < FAKE_DOMAINS; i++)
        bound += domain(i)->acct != 0;
    assert_int_equal(bound, FAKE_ACCTS - XEN_SCHEDLOG_ACCT_FIRST);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    /* One goes, one of those which were left out gets its number. */
    domain(4)->exists = false;
    assert_int_equal(core_run(&core, now, &err), 0);
    assert_int_equal(core_run(&core, now, &err), 0);
    for (bound = 0, i = 0; i < FAKE_DOMAINS; i++)
        bound += domain(i)->exists && domain(i)->acct != 0;
    assert_int_equal(bound, FAKE_ACCTS - XEN_SCHEDLOG_ACCT_FIRST);
}

/* The lease. */

/* Returns what reading returned. */
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

/* A recording of which the end is missing. */
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

static void who_stood_still_sets_the_log_up_again(void **state)
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

static void who_lost_the_log_to_another_one_leaves_it(void **state)
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
    /* Xen has seen the last sign of life, which came before we looked. */
    for (ms = 0; ms < 9900; ms += 200)
        assert_int_equal(lease_wait(&wait, 10000, 9900 - ms,
                                    SECOND + ms * 1000000ULL), LEASE_WAIT);
    /* It will see in a moment that it has ended. */
    assert_int_equal(lease_wait(&wait, 10000, 0, 12 * SECOND), LEASE_WAIT);
    assert_int_equal(lease_wait(&wait, 0, 0, 12 * SECOND), LEASE_FREE);
    assert_int_equal(lease_wait(&wait, 10000, 0, 15 * SECOND), LEASE_REFUSE);
}

static void who_renews_its_lease_is_not_waited_for(void **state)
{
    struct lease_wait wait = { 0 };

    (void)state;
    assert_int_equal(lease_wait(&wait, 10000, 8000, 1), LEASE_WAIT);
    assert_int_equal(lease_wait(&wait, 10000, 9999, SECOND), LEASE_WAIT);
    assert_int_equal(lease_wait(&wait, 10000, 9000, 2 * SECOND), LEASE_WAIT);
    assert_int_equal(lease_wait(&wait, 10000, 9999, 3 * SECOND), LEASE_REFUSE);
}

/* SPIN talks as well, and there are more like it. */
#define ALL_TALK TALK ",pair=evtchn-send/4/2/1/1,pair=evtchn-send/5/2/1/1," \
                 "pair=evtchn-send/6/2/1/1"

static void moves_per_minute_are_bounded(void **state)
{
    (void)state;
    fake_domain_new(&host, 3, "third", 1);
    fake_domain_new(&host, 4, "fourth", 1);
    settings.max_moves = 2;
    start(MODE_ACT);
    run(10, ALL_TALK);
    assert_int_equal(core.moves, 2);
    assert_int_equal(core.plan.decisions[3].verb, MOVE);
    assert_non_null(strstr(core.plan.decisions[3].reason, "not yet: there "
                           "were 2 moves"));
    assert_int_equal(count_in_journal("\"what\":\"put-off\""), 1);
    run(48, ALL_TALK);
    assert_int_equal(core.moves, 2);
    run(12, ALL_TALK);
    assert_int_equal(core.moves, 4);

    /* The same for giving back; putting everything back has no bound. */
    run(90, "pair=service-ns/5/1/1/1");
    assert_int_equal(core.restores, 2);
    core_stop(&core);
    assert_int_equal(core.restores, 4);
}

static void a_policy_whose_events_are_refused_is_off(void **state)
{
    const char *reason;

    (void)state;
    assert_true(policies_parse(&settings.policies, "cache,driver-affinity"));
    choice_default(&settings.choice);
    choice_add(&settings.choice, policies_events(&settings.policies));
    start(MODE_ADVISE);
    assert_int_equal(core_run(&core, now, NULL), 0);
    now += 10 * SECOND;
    assert_int_equal(core_run(&core, now, NULL), 0);
    reason = core.plan.decisions[SPIN].reason;
    assert_non_null(strstr(reason, "cache: it has 0.0 million"));
    core_stop(&core);
    core_free(&core);

    host.host.refused = 1U << XEN_SCHEDLOG_EV_PMC0;
    start(MODE_ADVISE);
    now += 10 * SECOND;
    assert_int_equal(core_run(&core, now, NULL), 0);
    reason = core.plan.decisions[SPIN].reason;
    assert_non_null(strstr(reason, "it talks little"));
    assert_null(strstr(reason, "cache"));
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
        core_test(who_cannot_be_looked_at_is_not_forgotten),
        core_test(a_give_back_that_failed_half_way_is_tried_again),
        core_test(who_is_new_is_bound_without_a_look_at_the_host),
        core_test(between_the_steps_of_a_plan_rows_are_read),
        core_test(an_operator_who_moves_a_guest_keeps_it),
        core_test(who_puts_the_original_back_is_in_the_journal),
        core_test(a_pcpu_that_goes_and_comes_moves_nothing),
        core_test(an_affinity_from_before_is_the_operators),
        core_test(a_hard_affinity_is_the_operators),
        core_test(an_affinity_that_xl_picked_is_nobodys),
        core_test(half_a_node_was_not_picked_by_xl),
        core_test(a_node_set_while_we_look_is_the_operators),
        core_test(new_domains_are_bound_and_gone_ones_forgotten),
        core_test(who_is_booted_anew_keeps_its_history),
        core_test(who_comes_back_later_does_too),
        core_test(domains_of_a_group_share_a_number),
        core_test(a_group_outlives_each_of_its_domains),
        core_test(who_comes_back_to_a_group_has_its_number),
        core_test(who_changes_its_group_changes_its_number),
        core_test(who_leaves_a_group_when_there_is_no_number_has_none),
        core_test(a_driver_domain_is_in_no_group),
        core_test(what_a_group_uses_is_not_counted_twice),
        core_test(a_number_is_used_again_as_late_as_possible),
        core_test(more_domains_than_numbers_do_no_harm),
        core_test(a_sign_of_life_is_given_when_rows_were_taken_in),
        core_test(a_source_that_fails_is_no_sign_of_life),
        core_test(who_stood_still_sets_the_log_up_again),
        core_test(it_is_noticed_when_xen_has_turned_events_off),
        core_test(who_lost_the_log_to_another_one_leaves_it),
        core_test(the_next_daemon_is_known_by_the_same_cookie),
        cmocka_unit_test(the_lease_of_another_one_is_waited_for),
        cmocka_unit_test(who_renews_its_lease_is_not_waited_for),
        core_test(a_policy_whose_events_are_refused_is_off),
        core_test(moves_per_minute_are_bounded),
    };

    return run_tap_tests(tests);
}
