/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The daemon's core, from rows to affinities and answers, on a host that
 * follows a script, with made-up rows and a clock that the test turns.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "fake-host.h"
#include "harness.h"

#include <xensched/recording.h>

#include "daemon/answer.h"
#include "daemon/core.h"
#include "daemon/govern.h"
#include "daemon/metrics.h"

#define SECOND 1000000000ULL
#define LEASE  (10 * SECOND)

#define STATE   "test-core.state"
#define JOURNAL "test-core.journal"

#define DISK  1U
#define SPIN  2U

/*
 * Accounting domains are given in the order of domids: dom0 has 2, DISK 3 and
 * SPIN 4.  100 rows per batch.
 */
#define TALK "pair=evtchn-send/3/2/1/1,pair=evtchn-send/2/3/1/1," \
             "pair=service-ns/4/1/1/100000"

static struct fake_host host;
static struct core core;
static struct core_settings settings;
static uint64_t now;

static void start(enum mode mode)
{
    struct xensched_error err;

    settings.mode = mode;
    assert_int_equal(core_start(&core, &settings, &host.host, now, &err), 0);
    assert_int_equal(core_run(&core, now, &err), 0);
    assert_int_equal(core_log(&core, now, &err), 0);
}

static int setup(void **state)
{
    (void)state;
    unlink(STATE);
    unlink(JOURNAL);
    fake_host_init(&host);
    fake_domain_new(&host, DISK, "disk", 1);
    fake_domain_new(&host, SPIN, "spin", 2);
    settings = (struct core_settings){
        .half_life_ns = SECOND,
        .policy_settings = policy_defaults,
        .lease_ms = LEASE / 1000000,
        .state_path = STATE,
        .journal_path = JOURNAL,
    };
    policies_parse(&settings.policies, "driver-affinity");
    now = 1000 * SECOND;

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    core_stop(&core);
    core_free(&core);
    fake_host_free(&host);
    unlink(STATE);
    unlink(JOURNAL);

    return 0;
}

/* Ten batches a second, so 1,000 rows a second. */
static void run(unsigned int seconds, const char *pairs)
{
    struct xensched_source *source;
    struct xensched_error err;
    char spec[500];
    unsigned int tenth;

    for (; seconds; seconds--) {
        for (tenth = 0; tenth < 10; tenth++) {
            snprintf(spec, sizeof(spec), "synthetic:seed=%llu,rows=100,%s",
                     (unsigned long long)now, pairs);
            assert_int_equal(xensched_source_open(spec, NULL, &source, &err),
                             0);
            now += SECOND / 10;
            assert_int_equal(core_read(&core, source, now, &err), 0);
            xensched_source_close(source);
        }
        assert_int_equal(core_run(&core, now, &err), 0);
    }
}

static struct fake_domain *domain(uint32_t domid)
{
    return &host.world->domains[domid];
}

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
    assert_int_equal(access(STATE, F_OK), -1);
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

static unsigned int count_in_journal(const char *words)
{
    char line[4096];
    unsigned int nr = 0;
    FILE *f = fopen(JOURNAL, "r");

    while (fgets(line, sizeof(line), f))
        nr += !!strstr(line, words);
    fclose(f);

    return nr;
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
    struct actuator_result result;
    struct xensched_error err;

    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    assert_int_equal(core_restore(&core, "asked", &result, &err), 0);
    assert_int_equal(result.restored, 1);
    run(10, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
    assert_int_equal(core.mode, MODE_ADVISE);
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
    run(7, "pair=service-ns/4/1/1/100000");
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
    domain(DISK)->exists = false;
    assert_int_equal(core_run(&core, now, &err), 0);
    assert_true(pairs_of(3) > 0); /* it may come back */
    assert_int_equal(core_run(&core, now + 59 * SECOND, &err), 0);
    assert_true(pairs_of(3) > 0);
    assert_int_equal(core_run(&core, now + 61 * SECOND, &err), 0);
    assert_int_equal(pairs_of(3), 0);
    assert_int_equal(domain(5)->acct, acct);
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
    run(5, "pair=service-ns/4/1/1/100000");
    fake_domain_new(&host, 10, "another", 1);
    assert_int_equal(core_run(&core, now, &err), 0);
    assert_int_not_equal(domain(10)->acct, 3);
    domain(9)->exists = true;
    assert_int_equal(core_run(&core, now, &err), 0);
    assert_int_equal(domain(9)->acct, 3);
    assert_true(pairs_of(3) > 0);
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
    assert_int_equal(xensched_recorder_open(path, 0, &recorder, NULL), 0);
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
    assert_int_equal(access(STATE, F_OK), -1);
    start(MODE_OBSERVE);
    assert_true(core.cookie != cookie);
}

static void the_lease_of_another_one_is_waited_for(void **state)
{
    struct hold_wait wait = { 0 };
    unsigned int ms;

    (void)state;
    assert_int_equal(hold_wait(&wait, 10000, 9000, 1), HOLD_WAIT);
    /* Xen has seen the last sign of life, which came before we looked. */
    for (ms = 0; ms < 9900; ms += 200)
        assert_int_equal(hold_wait(&wait, 10000, 9900 - ms,
                                   SECOND + ms * 1000000ULL), HOLD_WAIT);
    /* It will see in a moment that it has ended. */
    assert_int_equal(hold_wait(&wait, 10000, 0, 12 * SECOND), HOLD_WAIT);
    assert_int_equal(hold_wait(&wait, 0, 0, 12 * SECOND), HOLD_FREE);
    assert_int_equal(hold_wait(&wait, 10000, 0, 15 * SECOND), HOLD_REFUSE);
}

static void who_renews_its_lease_is_not_waited_for(void **state)
{
    struct hold_wait wait = { 0 };

    (void)state;
    assert_int_equal(hold_wait(&wait, 10000, 8000, 1), HOLD_WAIT);
    assert_int_equal(hold_wait(&wait, 10000, 9999, SECOND), HOLD_WAIT);
    assert_int_equal(hold_wait(&wait, 10000, 9000, 2 * SECOND), HOLD_WAIT);
    assert_int_equal(hold_wait(&wait, 10000, 9999, 3 * SECOND), HOLD_REFUSE);
}

/* Answers. */

static struct xensched_source *source;
static struct xenstore *xs;
static struct feeds feeds;

static void begin_feeds(void)
{
    static const struct feeds_settings feeds_settings = {
        .choice = &settings.choice,
        .nr_acct = FAKE_ACCTS,
    };

    assert_int_equal(xensched_source_open("synthetic:rows=1," TALK, NULL,
                                          &source, NULL), 0);
    assert_int_equal(xenstore_open(&xs, NULL), 0);
    feeds_init(&feeds, &feeds_settings, &core, xs);
    feeds_set_hypervisor(&feeds, source);
}

static void end_feeds(void)
{
    feeds_free(&feeds);
    xenstore_close(xs);
    xensched_source_close(source);
}

static json_object *ask(const char *line)
{
    struct subject subject = {
        .core = &core,
        .feeds = &feeds,
        .now_ns = now,
    };
    json_object *json;

    begin_feeds();
    json = answer(&subject, line, strlen(line));
    end_feeds();
    assert_non_null(json);

    return json;
}

static const char *get(json_object *json, const char *path)
{
    json_object *value = NULL;

    if (json_pointer_get(json, path, &value))
        fail_msg("no %s in %s", path, json_object_to_json_string(json));

    return json_object_get_string(value);
}

static void status_says_what_is(void **state)
{
    json_object *json;

    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    json = ask("{\"command\":\"status\"}");
    assert_string_equal(get(json, "/ok"), "true");
    assert_string_equal(get(json, "/result/mode"), "act");
    assert_string_equal(get(json, "/result/uptime_s"), "10.0");
    assert_string_equal(get(json, "/result/xen/events_enabled/0"),
                        "service-ns");
    assert_string_equal(get(json, "/result/xen/lease_ms"), "10000");
    assert_string_equal(get(json, "/result/xen/pmcs"), "4");
    assert_string_equal(get(json, "/result/topology/cores"), "4");
    assert_string_equal(get(json, "/result/moves"), "1");
    assert_string_equal(get(json, "/result/domains/0/driver_domain"), "true");
    assert_string_equal(get(json, "/result/domains/1/name"), "disk");
    assert_string_equal(get(json, "/result/domains/1/affinity"), "ours");
    assert_string_equal(get(json, "/result/domains/1/moved"), "true");
    assert_string_equal(get(json, "/result/domains/2/affinity"), "default");
    assert_string_equal(get(json, "/result/domains/2/pcpus/0"), "2");
    json_object_put(json);
}

static void matrix_says_who_talks_to_whom(void **state)
{
    json_object *json;

    (void)state;
    start(MODE_OBSERVE);
    run(10, TALK);
    json = ask("{\"command\":\"matrix\"}");
    assert_string_equal(get(json, "/result/half_life_ms"), "1000");
    assert_non_null(get(json, "/result/events/evtchn-send/1/total"));
    assert_true(atof(get(json, "/result/events/evtchn-send/0/rate")) > 250);
    assert_true(strstr(get(json, "/result/events/evtchn-send"), "disk"));
    json_object_put(json);
}

static void plan_says_what_and_why(void **state)
{
    json_object *json;

    (void)state;
    start(MODE_ADVISE);
    run(10, TALK);
    json = ask("{\"command\":\"plan\"}");
    assert_string_equal(get(json, "/result/mode"), "advise");
    assert_string_equal(get(json, "/result/moves/0/domain"), "disk");
    assert_string_equal(get(json, "/result/moves/0/state"), "proposed");
    assert_string_equal(get(json, "/result/moves/0/pcpus"), "[ 0, 1 ]");
    assert_string_equal(get(json, "/result/moves/0/evidence/driver_domain"),
                        "Domain-0");
    assert_string_equal(get(json, "/result/kept/1/domain"), "spin");
    json_object_put(json);
    core_stop(&core);
    core_free(&core);

    start(MODE_ACT);
    run(10, TALK);
    json = ask("{\"command\":\"plan\"}");
    assert_string_equal(get(json, "/result/moves/0/state"), "applied");
    json_object_put(json);
    json = ask("{\"command\":\"restore\"}");
    assert_string_equal(get(json, "/result/restored"), "1");
    assert_string_equal(get(json, "/result/mode"), "advise");
    json_object_put(json);
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
}

/* What operators ask for. */

static void is_refused(const char *line, const char *word)
{
    json_object *json = ask(line);

    assert_string_equal(get(json, "/ok"), "false");
    assert_true(strstr(get(json, "/error"), word));
    json_object_put(json);
}

static void is_done(const char *line)
{
    json_object *json = ask(line);

    assert_string_equal(get(json, "/ok"), "true");
    json_object_put(json);
}

static void a_held_domain_stays_until_it_is_released(void **state)
{
    json_object *json;

    (void)state;
    start(MODE_ACT);
    run(1, TALK);
    is_done("{\"command\":\"hold\",\"domid\":1}");
    run(15, TALK);
    assert_int_equal(core.moves, 0);
    json = ask("{\"command\":\"status\"}");
    assert_string_equal(get(json, "/result/domains/1/held"), "true");
    assert_string_equal(get(json, "/result/domains/2/held"), "false");
    json_object_put(json);

    is_done("{\"command\":\"release\",\"domid\":1}");
    run(5, TALK);
    assert_int_equal(core.moves, 1);

    /* Nor is it given back while it is held. */
    is_done("{\"command\":\"hold\",\"domid\":1}");
    run(100, "pair=service-ns/4/1/1/100000");
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    is_done("{\"command\":\"release\",\"domid\":1}");
    run(2, "pair=service-ns/4/1/1/100000");
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
}

static void who_is_held_by_its_configuration_stays(void **state)
{
    json_object *json;

    (void)state;
    domain(DISK)->stays = true;
    start(MODE_ACT);
    run(15, TALK);
    assert_int_equal(core.moves, 0);
    assert_string_equal(core.plan.decisions[DISK].reason,
                        "it is held by its configuration");
    json = ask("{\"command\":\"status\"}");
    assert_string_equal(get(json, "/result/domains/1/held"), "true");
    json_object_put(json);
    /* An operator has to say it there. */
    json = ask("{\"command\":\"release\",\"domid\":1}");
    assert_string_equal(get(json, "/ok"), "false");
    assert_non_null(strstr(get(json, "/error"), "vm_affinity"));
    json_object_put(json);
    domain(DISK)->stays = false;
    run(5, TALK);
    assert_int_equal(core.moves, 1);
}

static void the_next_daemon_knows_what_is_held(void **state)
{
    (void)state;
    start(MODE_ACT);
    is_done("{\"command\":\"hold\",\"domid\":1}");
    core_stop(&core);
    core_free(&core);
    start(MODE_ACT);
    run(15, TALK);
    assert_int_equal(core.moves, 0);
    is_done("{\"command\":\"release\",\"domid\":1}");
    core_stop(&core);
    assert_int_equal(access(STATE, F_OK), -1);
}

static void a_hold_that_cannot_be_written_down_is_refused(void **state)
{
    (void)state;
    start(MODE_ACT);
    core.actuator.path = "/nowhere/state";
    is_refused("{\"command\":\"hold\",\"domid\":1}", "/nowhere/state");
    core.actuator.path = STATE;
    run(15, TALK);
    assert_int_equal(core.moves, 1);
}

static void only_domains_that_are_there_can_be_held(void **state)
{
    (void)state;
    start(MODE_ADVISE);
    is_refused("{\"command\":\"hold\",\"domid\":77}", "no domain 77");
    is_refused("{\"command\":\"hold\",\"domid\":4294967297}",
               "no domain 4294967297");
    is_refused("{\"command\":\"hold\"}", "has to name a domain");
    is_refused("{\"command\":\"hold\",\"domid\":-1}", "has to name");
    is_refused("{\"command\":\"hold\",\"domid\":\"1\"}", "has to name");
    is_refused("{\"command\":\"explain\"}", "has to name a domain");
}

static void an_operator_has_plans_carried_out_or_not(void **state)
{
    json_object *json;

    (void)state;
    start(MODE_ADVISE);
    run(10, TALK);
    assert_int_equal(core.moves, 0);
    json = ask("{\"command\":\"act\"}");
    assert_string_equal(get(json, "/result/mode"), "act");
    json_object_put(json);
    run(1, TALK);
    assert_int_equal(core.moves, 1);
    is_done("{\"command\":\"advise\"}");
    run(100, "pair=service-ns/4/1/1/100000");
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
}

static void a_changed_configuration_is_taken_over(void **state)
{
    struct core_settings changed;

    (void)state;
    start(MODE_ADVISE);
    run(10, TALK);
    changed = settings;
    changed.mode = MODE_ACT;
    changed.policy_settings.min_rate = 100000;
    core_change(&core, &changed);
    run(5, TALK);
    assert_int_equal(core.moves, 0);
    assert_int_equal(core.mode, MODE_ACT);
    changed.policy_settings.min_rate = 10;
    core_change(&core, &changed);
    run(5, TALK);
    assert_int_equal(core.moves, 1);

    /* What an operator asked for is not undone by the same configuration. */
    is_done("{\"command\":\"advise\"}");
    core_change(&core, &changed);
    assert_int_equal(core.mode, MODE_ADVISE);
    /* Nor is a guest that was moved. */
    run(30, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
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
    assert_int_equal(count_in_journal("\"what\":\"held-back\""), 1);
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

/* A run queue of 8 on pCPU 0; DISK waits 2 ms. */
#define CROWD "pair=runq/1/1/1/8,pair=wake-delay/3/3/1/2000000"

static void a_policy_without_its_events_is_off(void **state)
{
    json_object *json;

    (void)state;
    assert_true(policies_parse(&settings.policies, "balance"));
    start(MODE_ADVISE);
    run(10, TALK);
    assert_string_equal(core.plan.decisions[DISK].reason, "no policy is on");
    core_stop(&core);
    core_free(&core);
    choice_add(&settings.choice, policies_events(&settings.policies));
    domain(DISK)->vcpus[0].cpu = 0;
    start(MODE_ADVISE);
    core.logs.nr = 0; /* what is made up has one file for all events */
    run(10, TALK "," CROWD);
    assert_non_null(strstr(core.plan.decisions[DISK].reason, "runnable"));
    json = ask("{\"command\":\"status\"}");
    assert_string_equal(get(json, "/result/domains/1/wake_delay_us"),
                        "2000.0");
    json_object_put(json);
}

/* There is no PMU, which is known when it was tried. */
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

static void explain_says_what_was_done_and_why(void **state)
{
    json_object *json;
    const char *lines;

    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    json = ask("{\"command\":\"explain\",\"domid\":1}");
    assert_string_equal(get(json, "/result/domain"), "disk");
    lines = get(json, "/result/lines");
    assert_true(strstr(lines, "it was moved: soft affinity to pCPUs 0-1"));
    assert_true(strstr(lines, "evtchn-send: "));
    assert_true(strstr(lines, "from Domain-0 to disk"));
    assert_true(strstr(lines, "mode act, now: keep: "));
    assert_true(strstr(lines, "so decided by the policy driver-affinity"));
    assert_true(strstr(lines, "Z move: "));
    json_object_put(json);

    json = ask("{\"command\":\"explain\",\"domid\":2}");
    lines = get(json, "/result/lines");
    assert_true(strstr(lines, "nobody has changed its affinity"));
    assert_true(strstr(lines, "it uses 0.") || strstr(lines, "it uses 1."));
    assert_true(strstr(lines, "now: leave: "));
    assert_null(strstr(lines, "Z move: "));
    json_object_put(json);
}

/* A second whose rows cost so much CPU time. */
static void busy_second(struct feeds *feeds, const char *pairs,
                        uint64_t *cpu_ns, uint64_t cost_ns)
{
    run(1, pairs);
    *cpu_ns += cost_ns;
    govern(feeds, *cpu_ns, now);
}

static void within_its_budget_less_is_logged_and_the_same_is_known(void **state)
{
    const uint32_t *of = host.world->threshold[XEN_SCHEDLOG_EV_EVTCHN_SEND];
    struct feeds none = { .core = &core };
    char thinned[200];
    uint64_t cpu_ns = 0;
    double rate;
    unsigned int i;

    (void)state;
    choice_default(&settings.choice);
    settings.budget = 0.01;
    start(MODE_ADVISE);
    for (i = 0; i < 10; i++)
        busy_second(&none, TALK, &cpu_ns, SECOND / 200);
    assert_int_equal(of[3], 0);
    rate = matrix_rate(core.matrix, XEN_SCHEDLOG_EV_EVTCHN_SEND, 3, 2, now);
    busy_second(&none, TALK, &cpu_ns, SECOND / 20);
    assert_true(of[2] > 1 && of[3] > 1);
    assert_int_equal(governor_threshold(&core.governor,
                                        XEN_SCHEDLOG_EV_EVTCHN_SEND, 3),
                     of[3]);
    assert_int_equal(count_in_journal("\"what\":\"budget\""), 1);
    assert_true(count_in_journal("\"domain\":\"disk\""));

    /* Now so many events are as many rows less. */
    snprintf(thinned, sizeof(thinned), "pair=evtchn-send/3/2/1/1,"
             "pair=service-ns/4/1/%u/1", 3 * of[3] - 1);
    for (i = 0; i < 10; i++)
        busy_second(&none, thinned, &cpu_ns, SECOND / 125);
    assert_true(matrix_rate(core.matrix, XEN_SCHEDLOG_EV_EVTCHN_SEND, 3, 2,
                            now) > rate * 0.6);
    assert_true(matrix_rate(core.matrix, XEN_SCHEDLOG_EV_EVTCHN_SEND, 3, 2,
                            now) < rate * 1.5);

    /* Bound again, its route is made anew; the matrix goes by the other. */
    host.world->threshold[XEN_SCHEDLOG_EV_EVTCHN_SEND][3] = 0;
    core.accounting.accounts[3].bound = false;
    run(1, TALK);
    assert_true(of[3] > 1);

    /* Who gets the number next has nothing to do with it. */
    domain(DISK)->exists = false;
    run(1, TALK);
    assert_true(governor_threshold(&core.governor,
                                   XEN_SCHEDLOG_EV_EVTCHN_SEND, 3) > 1);
    run(61, TALK);
    assert_int_equal(governor_threshold(&core.governor,
                                        XEN_SCHEDLOG_EV_EVTCHN_SEND, 3), 1);
}

static void nonsense_gets_an_error(void **state)
{
    static const char *const nonsense[] = {
        "", "{", "}", "null", "1", "[]", "\"status\"", "{}", "{} {}",
        "{\"command\":1}", "{\"command\":\"\"}", "{\"command\":\"Status\"}",
        "{\"command\":null}", "{\"command\":[\"status\"]}", "status",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "\xff\xfe",
        "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":1}}}}}}",
    };
    size_t i;

    (void)state;
    start(MODE_OBSERVE);
    for (i = 0; i < sizeof(nonsense) / sizeof(nonsense[0]); i++) {
        json_object *json = ask(nonsense[i]);

        assert_string_equal(get(json, "/ok"), "false");
        assert_true(get(json, "/error")[0]);
        json_object_put(json);
    }
}

static void random_bytes_get_an_answer(void **state)
{
    uint64_t seed = 11;
    unsigned int i, k;

    (void)state;
    start(MODE_OBSERVE);
    for (i = 0; i < 3000; i++) {
        static const char letters[] = "{}[]\",:comandstu \\0u1e-x\xc3";
        char line[64];

        for (k = 0; k < sizeof(line) - 1; k++) {
            line[k] = 1 + harness_random_below(&seed, 255);
            if (i & 1)
                line[k] = letters[harness_random_below(&seed,
                                                       sizeof(letters) - 1)];
        }
        line[harness_random_below(&seed, sizeof(line))] = '\0';
        line[sizeof(line) - 1] = '\0';
        json_object_put(ask(line));
    }
}

/* Metrics. */

#define METRICS "test-core.prom"

/* The whole file; "" if there is none. */
static const char *metrics(void)
{
    static char text[65536];
    FILE *file = fopen(METRICS, "r");
    size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

    text[length] = '\0';
    if (file)
        fclose(file);

    return text;
}

/* For metrics.t, which has Prometheus read what we write. */
static void keep_metrics(void)
{
    const char *copy = getenv("METRICS_COPY");
    FILE *file = copy ? fopen(copy, "w") : NULL;

    if (!file)
        return;
    fputs(metrics(), file);
    fclose(file);
}

static void metrics_are_what_status_and_matrix_say(void **state)
{
    struct metrics m = { .path = METRICS };

    (void)state;
    snprintf(domain(DISK)->name, sizeof(domain(DISK)->name), "d\\is\"k");
    settings.budget = 0.02;
    start(MODE_ACT);
    run(10, TALK);
    begin_feeds();
    metrics_write(&m, &core, &feeds, now);
    end_feeds();
    assert_true(strstr(metrics(), "\nxensched_mode{mode=\"act\"} 1\n"));
    assert_true(strstr(metrics(), "\nxensched_mode{mode=\"advise\"} 0\n"));
    assert_true(strstr(metrics(), "\nxensched_moves_total 1\n"));
    assert_true(strstr(metrics(),
                       "\nxensched_rows_total{source=\"hypervisor\"} 0\n"));
    assert_true(strstr(metrics(), "\nxensched_moved{domain=\"d\\\\is\\\"k\","
                                  "domid=\"1\"} 1\n"));
    assert_true(strstr(metrics(), "\nxensched_rate{event=\"evtchn-send\","
                                  "from_domain=\"Domain-0\","
                                  "from_domid=\"0\","
                                  "to_domain=\"d\\\\is\\\"k\","
                                  "to_domid=\"1\"} "));
    assert_true(strstr(metrics(), "\nxensched_budget_ratio 0.02000\n"));
    assert_true(strstr(metrics(), "\nxensched_overhead_ratio "));
    assert_true(strstr(metrics(), "\n# EOF\n"));
    keep_metrics();
    metrics_remove(&m);
    assert_int_equal(access(METRICS, F_OK), -1);
}

/* 16 domains, and numbers for 14. */
static void what_cannot_be_told_apart_is_said_of_nobody(void **state)
{
    struct metrics m = { .path = METRICS };
    json_object *json;
    unsigned int i;

    (void)state;
    for (i = SPIN + 1; i < FAKE_DOMAINS; i++)
        fake_domain_new(&host, i, "more", 1);
    start(MODE_ADVISE);
    run(5, "pair=service-ns/0/1/1/100000000,pair=service-ns/15/1/1/100000");
    json = ask("{\"command\":\"status\"}");
    assert_true(strtod(get(json, "/result/domains/13/service_share"), NULL) >
                0);
    assert_string_equal(get(json, "/result/domains/14/acct"), "0");
    assert_null(get(json, "/result/domains/14/service_share"));
    json_object_put(json);

    json = ask("{\"command\":\"explain\",\"domid\":14}");
    assert_string_equal(get(json, "/result/lines/1"),
                        "it has 1 vCPUs; there are too many domains to tell "
                        "it from others");
    assert_true(strstr(get(json, "/result/lines/2"), "mode advise"));
    json_object_put(json);

    begin_feeds();
    metrics_write(&m, &core, &feeds, now);
    end_feeds();
    assert_true(strstr(metrics(), "\nxensched_service_share{domain=\"more\","
                                  "domid=\"13\"} "));
    assert_null(strstr(metrics(), "\nxensched_service_share{domain=\"more\","
                                  "domid=\"14\"} "));
    metrics_remove(&m);
}

static void metrics_are_written_when_it_is_time(void **state)
{
    struct metrics m = { .path = METRICS };

    (void)state;
    start(MODE_ADVISE);
    begin_feeds();
    metrics_write(&m, &core, &feeds, now);
    unlink(METRICS);
    metrics_write(&m, &core, &feeds, now + METRICS_EVERY_NS - 1);
    assert_string_equal(metrics(), "");
    metrics_write(&m, &core, &feeds, now + METRICS_EVERY_NS);
    assert_true(metrics()[0]);
    end_feeds();
    unlink(METRICS);
}

static void metrics_that_cannot_be_written_stop_nothing(void **state)
{
    struct metrics m = { .path = "/nowhere/xensched.prom" };
    struct metrics none = { 0 };

    (void)state;
    start(MODE_ADVISE);
    begin_feeds();
    metrics_write(&m, &core, &feeds, now);
    assert_true(m.failed);
    metrics_write(&none, &core, &feeds, now);
    metrics_remove(&none);

    /* A disk that is full half way: the former file stays. */
    m.path = METRICS;
    metrics_write(&m, &core, &feeds, now + METRICS_EVERY_NS);
    assert_false(m.failed);
    assert_int_equal(symlink("/dev/full", METRICS ".new"), 0);
    metrics_write(&m, &core, &feeds, now + 2 * METRICS_EVERY_NS);
    assert_true(m.failed);
    assert_true(strstr(metrics(), "\n# EOF\n"));
    assert_int_equal(access(METRICS ".new", F_OK), -1);
    end_feeds();
    unlink(METRICS);
}

#define core_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(in_act_the_guest_that_talks_and_only_it_is_moved),
        core_test(when_it_stops_all_is_as_before),
        core_test(advise_and_observe_change_nothing),
        core_test(a_proposal_is_journaled_once),
        core_test(the_next_start_restores_what_a_crash_left),
        core_test(after_restore_it_only_advises),
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
        core_test(status_says_what_is),
        core_test(matrix_says_who_talks_to_whom),
        core_test(plan_says_what_and_why),
        core_test(a_held_domain_stays_until_it_is_released),
        core_test(who_is_held_by_its_configuration_stays),
        core_test(the_next_daemon_knows_what_is_held),
        core_test(a_hold_that_cannot_be_written_down_is_refused),
        core_test(only_domains_that_are_there_can_be_held),
        core_test(an_operator_has_plans_carried_out_or_not),
        core_test(a_changed_configuration_is_taken_over),
        core_test(a_policy_without_its_events_is_off),
        core_test(a_policy_whose_events_are_refused_is_off),
        core_test(moves_per_minute_are_bounded),
        core_test(explain_says_what_was_done_and_why),
        core_test(metrics_are_what_status_and_matrix_say),
        core_test(what_cannot_be_told_apart_is_said_of_nobody),
        core_test(metrics_are_written_when_it_is_time),
        core_test(metrics_that_cannot_be_written_stop_nothing),
        core_test(within_its_budget_less_is_logged_and_the_same_is_known),
        core_test(nonsense_gets_an_error),
        core_test(random_bytes_get_an_answer),
    };

    return run_tap_tests(tests);
}
