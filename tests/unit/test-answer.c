/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the daemon says of its core, and is told: answers on the control
 * socket, metrics, the budget; see core-world.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "core-world.h"
#include "harness.h"

#include "daemon/answer/answer.h"
#include "daemon/feeds/budget.h"
#include "daemon/answer/metrics.h"

const char state_path[] = "test-answer.state";
const char journal_path[] = "test-answer.journal";

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

static void is_done(const char *line)
{
    json_object *json = ask(line);

    assert_string_equal(get(json, "/ok"), "true");
    json_object_put(json);
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
    assert_string_equal(get(json, "/result/topology/llcs"), "2");
    assert_string_equal(get(json, "/result/topology/llcs_by"), "socket");
    assert_string_equal(get(json, "/result/moves"), "1");
    assert_string_equal(get(json, "/result/domains/0/driver_domain"), "true");
    assert_string_equal(get(json, "/result/domains/1/name"), "disk");
    assert_string_equal(get(json, "/result/domains/1/affinity"), "ours");
    assert_string_equal(get(json, "/result/domains/1/moved"), "true");
    assert_string_equal(get(json, "/result/domains/2/affinity"), "default");
    assert_string_equal(get(json, "/result/domains/2/pcpus/0"), "2");
    json_object_put(json);
}

/*
 * DISK ran on pCPUs 0, 1, 2 and 0 in turn, so three quarters of its time on
 * node 0; dom0 likewise.
 */
#define SPREAD "cpus=3,batch=25," TALK ",pair=service-ns/3/1/2/50000," \
               "pair=service-ns/2/1/2/50000"
/* All on pCPU 0. */
#define THERE TALK ",pair=service-ns/3/1/2/50000,pair=service-ns/2/1/2/50000"

static double number(json_object *json, const char *path)
{
    const char *text = get(json, path);

    assert_non_null(text);

    return strtod(text, NULL);
}

static void status_says_where_domains_ran(void **state)
{
    json_object *json;
    double rate;

    (void)state;
    settings.policy_settings.lever = LEVER_SOFT;
    start(MODE_ACT);
    run(10, SPREAD);
    json = ask("{\"command\":\"status\"}");
    assert_string_equal(get(json, "/result/domains/1/ran/0/place"), "node 0");
    assert_in_range(1000 * number(json, "/result/domains/1/ran/0/share"),
                    700, 800);
    assert_string_equal(get(json, "/result/domains/1/ran/1/place"), "node 1");
    assert_in_range(1000 * number(json, "/result/domains/1/ran/1/share"),
                    200, 300);
    assert_string_equal(get(json, "/result/domains/1/at_place"),
                        get(json, "/result/domains/1/ran/0/share"));
    assert_string_equal(get(json, "/result/domains/1/lever"), "soft");
    /* At different places 1 - (0.75^2 + 0.25^2) of the time. */
    rate = matrix_rate(core.matrix, XEN_SCHEDLOG_EV_EVTCHN_SEND, 2, 3, now) +
           matrix_rate(core.matrix, XEN_SCHEDLOG_EV_EVTCHN_SEND, 3, 2, now);
    assert_in_range(1000 * number(json, "/result/domains/1/crossings_per_s") /
                    rate, 325, 425);
    /* Who was not moved has no place to be at. */
    assert_null(get(json, "/result/domains/0/at_place"));
    assert_null(strstr(get(json, "/result/domains/0"), "lever"));
    json_object_put(json);

    run(20, THERE);
    json = ask("{\"command\":\"status\"}");
    assert_string_equal(get(json, "/result/domains/1/at_place"), "1.0000");
    assert_string_equal(get(json, "/result/domains/1/crossings_per_s"), "0.0");
    json_object_put(json);
}

/* Of DISK there are no rows of service-ns. */
static void where_a_domain_ran_can_be_unknown(void **state)
{
    json_object *json;

    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    json = ask("{\"command\":\"status\"}");
    assert_string_equal(get(json, "/result/domains/1/ran"), "[ ]");
    assert_null(get(json, "/result/domains/1/at_place"));
    assert_null(get(json, "/result/domains/1/crossings_per_s"));
    assert_string_equal(get(json, "/result/domains/1/lever"), "soft");
    json_object_put(json);
    json = ask("{\"command\":\"plan\"}");
    assert_null(get(json, "/result/moves/0/at_place"));
    json_object_put(json);
    json = ask("{\"command\":\"explain\",\"domid\":1}");
    assert_null(strstr(get(json, "/result/lines"), "it ran"));
    assert_null(strstr(get(json, "/result/lines"), "at its place"));
    assert_null(strstr(get(json, "/result/lines"), "cross places"));
    json_object_put(json);
}

static void status_says_what_soft_affinities_weigh(void **state)
{
    json_object *json;

    (void)state;
    settings.soft_weight = 50;
    host.world->weight = 7;
    start(MODE_ADVISE);
    run(1, TALK);
    json = ask("{\"command\":\"status\"}");
    assert_null(get(json, "/result/soft_weight"));
    json_object_put(json);
    is_done("{\"command\":\"act\"}");
    run(1, TALK);
    json = ask("{\"command\":\"status\"}");
    assert_string_equal(get(json, "/result/soft_weight/percent"), "50");
    assert_string_equal(get(json, "/result/soft_weight/original"), "7");
    json_object_put(json);
    is_done("{\"command\":\"restore\"}");
    json = ask("{\"command\":\"status\"}");
    assert_null(get(json, "/result/soft_weight"));
    json_object_put(json);
}

/* That an affinity is set is no proof. */
static void plan_says_what_came_of_it(void **state)
{
    json_object *json;

    (void)state;
    settings.policy_settings.lever = LEVER_SOFT;
    start(MODE_ACT);
    run(10, SPREAD);
    json = ask("{\"command\":\"plan\"}");
    assert_string_equal(get(json, "/result/moves/0/state"), "applied");
    assert_string_equal(get(json, "/result/moves/0/hard"), "false");
    assert_in_range(1000 * number(json, "/result/moves/0/at_place"), 700, 800);
    json_object_put(json);
    core_stop(&core);
    core_free(&core);

    settings.policy_settings.lever = LEVER_HARD;
    start(MODE_ADVISE);
    run(10, THERE);
    json = ask("{\"command\":\"plan\"}");
    assert_string_equal(get(json, "/result/moves/0/state"), "proposed");
    assert_string_equal(get(json, "/result/moves/0/hard"), "true");
    assert_null(get(json, "/result/moves/0/at_place"));
    json_object_put(json);
    is_done("{\"command\":\"act\"}");
    run(2, THERE);
    json = ask("{\"command\":\"plan\"}");
    assert_string_equal(get(json, "/result/moves/0/hard"), "true");
    assert_string_equal(get(json, "/result/moves/0/at_place"), "1.0000");
    json_object_put(json);
    json = ask("{\"command\":\"status\"}");
    assert_string_equal(get(json, "/result/domains/1/lever"), "hard");
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
    run(100, SILENCE);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    is_done("{\"command\":\"release\",\"domid\":1}");
    run(2, SILENCE);
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
    assert_int_equal(access(state_path, F_OK), -1);
}

static void a_hold_that_cannot_be_written_down_is_refused(void **state)
{
    (void)state;
    start(MODE_ACT);
    core.actuator.path = "/nowhere/state";
    is_refused("{\"command\":\"hold\",\"domid\":1}", "/nowhere/state");
    core.actuator.path = state_path;
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
    is_refused("{\"command\":\"explain\",\"domain\":\"dis\"}",
               "no domain 'dis'");
    is_refused("{\"command\":\"explain\",\"domain\":[1]}", "has to name");
}

static void a_request_can_name_a_domain_by_its_name(void **state)
{
    json_object *json;

    (void)state;
    start(MODE_ADVISE);
    json = ask("{\"command\":\"explain\",\"domain\":\"spin\"}");
    assert_string_equal(get(json, "/result/domid"), "2");
    json_object_put(json);
    json = ask("{\"command\":\"hold\",\"domain\":\"spin\"}");
    assert_string_equal(get(json, "/ok"), "true");
    json_object_put(json);
    json = ask("{\"command\":\"status\"}");
    assert_string_equal(get(json, "/result/domains/1/held"), "false");
    assert_string_equal(get(json, "/result/domains/2/held"), "true");
    json_object_put(json);
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
    run(100, SILENCE);
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

/* Nor since when: who reloads often would keep guests moved for ever. */
static void a_changed_configuration_does_not_make_anew_what_was_moved(
    void **state)
{
    (void)state;
    settings.policy_settings.quiet_ns = 20000000000ULL;
    start(MODE_ACT);
    run(10, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    run(15, SILENCE);
    core_change(&core, &settings);
    run(15, SILENCE);
    assert_false(fake_has_soft(domain(DISK), FAKE_NODE_0));
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

static void explain_knows_what_a_daemon_before_did(void **state)
{
    struct xensched_error err;
    json_object *json;

    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    core_stop(&core);
    core_free(&core);
    start(MODE_ADVISE);
    assert_int_equal(core_run(&core, now, &err), 0);
    json = ask("{\"command\":\"explain\",\"domid\":1}");
    assert_non_null(strstr(get(json, "/result/lines"), "Z move: "));
    json_object_put(json);
}

static void explain_says_where_it_ran(void **state)
{
    json_object *json;
    const char *lines;

    (void)state;
    settings.policy_settings.lever = LEVER_SOFT;
    start(MODE_ACT);
    run(10, SPREAD);
    json = ask("{\"command\":\"explain\",\"domid\":1}");
    lines = get(json, "/result/lines");
    assert_non_null(strstr(lines, "\"it ran 7"));
    assert_non_null(strstr(lines, " % of its time on node 0, 2"));
    assert_non_null(strstr(lines, " % on node 1\""));
    assert_non_null(strstr(lines, "\"at its place 7"));
    assert_non_null(strstr(lines, "the move has not had its effect"));
    assert_non_null(strstr(lines, "s to and from it cross places\""));
    json_object_put(json);
    run(20, THERE);
    json = ask("{\"command\":\"explain\",\"domid\":1}");
    lines = get(json, "/result/lines");
    assert_non_null(strstr(lines, "it ran 100 % of its time on node 0\""));
    assert_non_null(strstr(lines, "at its place 100 % of its time: the move "
                                  "had its effect"));
    assert_non_null(strstr(lines, "Z arrived: 100 % of its time it runs at "
                                  "its place, "));
    assert_null(strstr(lines, "cross places\""));
    json_object_put(json);
}

/* A second whose rows cost so much CPU time. */
static void busy_second(struct feeds *feeds, const char *pairs,
                        uint64_t *cpu_ns, uint64_t cost_ns)
{
    run(1, pairs);
    *cpu_ns += cost_ns;
    budget_keep(feeds, *cpu_ns, now);
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
    accounting_find(&core.accounting, &core.domains.domain[DISK])->bound =
        false;
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

#define METRICS "test-answer.prom"

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

static const char *metrics_now(void)
{
    struct metrics m = { .path = METRICS };

    begin_feeds();
    metrics_write(&m, &core, &feeds, now);
    end_feeds();

    return metrics();
}

static void start_with_a_group(void)
{
    strcpy(domain(DISK)->group, "web");
    strcpy(domain(SPIN)->group, "web");
    start(MODE_ACT);
    run(10, TALK ",pair=service-ns/3/1/1/50000");
}

static void answers_name_the_group(void **state)
{
    json_object *json;
    const char *text;

    (void)state;
    start_with_a_group();
    json = ask("{\"command\":\"status\"}");
    assert_string_equal(get(json, "/result/domains/1/group"), "web");
    assert_string_equal(get(json, "/result/domains/2/group"), "web");
    assert_null(strstr(get(json, "/result/domains/0"), "group"));
    json_object_put(json);
    json = ask("{\"command\":\"matrix\"}");
    text = get(json, "/result/events/evtchn-send");
    assert_non_null(strstr(text, "\"from\": \"(group web)\", \"from_domid\": "
                                 "null, \"from_group\": \"web\""));
    assert_non_null(strstr(text, "\"to\": \"(group web)\", \"to_domid\": null, "
                                 "\"to_group\": \"web\""));
    json_object_put(json);
    json = ask("{\"command\":\"explain\",\"domid\":2}");
    assert_string_equal(get(json, "/result/group"), "web");
    text = get(json, "/result/lines");
    assert_non_null(strstr(text, "it is in the group web, which uses 0."));
    assert_non_null(strstr(text, "its part with 2 vCPUs is 0."));
    assert_non_null(strstr(text, "from Domain-0 to (group web)"));
    assert_non_null(strstr(text, "100 % of its group web's "));
    json_object_put(json);
}

static void metrics_name_the_group(void **state)
{
    const char *text;

    (void)state;
    start_with_a_group();
    text = metrics_now();
    assert_non_null(strstr(text, "\nxensched_moved{domain=\"disk\","
                                 "domid=\"1\",group=\"web\"} 1\n"));
    assert_non_null(strstr(text, "\nxensched_service_share{domain=\"spin\","
                                 "domid=\"2\",group=\"web\"} 0."));
    assert_non_null(strstr(text, "from_domain=\"(group web)\",from_domid=\"\","
                                 "to_domain=\"Domain-0\",to_domid=\"0\"} "));
    unlink(METRICS);
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

static double metric(const char *name)
{
    const char *text = strstr(metrics(), name);

    assert_non_null(text);

    return strtod(text + strlen(name), NULL);
}

#define OF_DISK "{domain=\"d\\\\is\\\"k\",domid=\"1\""

static void check_places(void)
{
    double here = metric("\nxensched_place_ratio" OF_DISK
                         ",place=\"node 0\"} ");

    assert_in_range(1000 * here, 700, 800);
    assert_in_range(1000 * metric("\nxensched_place_ratio" OF_DISK
                                  ",place=\"node 1\"} "), 200, 300);
    assert_true(metric("\nxensched_at_place_ratio" OF_DISK "} ") == here);
    assert_true(metric("\nxensched_crossings_per_second" OF_DISK "} ") > 50);
    assert_true(metric("\nxensched_lever" OF_DISK ",lever=\"soft\"} ") == 1);
    assert_true(metric("\nxensched_lever" OF_DISK ",lever=\"hard\"} ") == 0);
    assert_true(metric("\nxensched_credit2_soft_weight ") == 50);
    /* Nobody has moved these. */
    assert_null(strstr(metrics(), "at_place_ratio{domain=\"spin\""));
    assert_null(strstr(metrics(), "lever{domain=\"Domain-0\""));
}

/* What is not known is left out, and is no 0. */
static void metrics_leave_out_where_nobody_knows(void **state)
{
    const char *text;

    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    text = metrics_now();
    assert_non_null(strstr(text, "xensched_moved{domain=\"disk\","
                                 "domid=\"1\"} 1\n"));
    assert_null(strstr(text, "at_place_ratio{"));
    assert_null(strstr(text, "place_ratio{domain=\"disk\""));
    assert_non_null(strstr(text, "place_ratio{domain=\"spin\""));
    assert_null(strstr(text, "crossings_per_second{domain=\"disk\""));
    assert_null(strstr(text, "credit2_soft_weight"));
    unlink(METRICS);
}

static void metrics_are_what_status_and_matrix_say(void **state)
{
    struct metrics m = { .path = METRICS };

    (void)state;
    snprintf(domain(DISK)->name, sizeof(domain(DISK)->name), "d\\is\"k");
    settings.budget = 0.02;
    settings.soft_weight = 50;
    settings.policy_settings.lever = LEVER_SOFT;
    start(MODE_ACT);
    run(10, SPREAD);
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
    check_places();
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(status_says_what_is),
        core_test(status_says_where_domains_ran),
        core_test(where_a_domain_ran_can_be_unknown),
        core_test(status_says_what_soft_affinities_weigh),
        core_test(matrix_says_who_talks_to_whom),
        core_test(plan_says_what_and_why),
        core_test(plan_says_what_came_of_it),
        core_test(a_held_domain_stays_until_it_is_released),
        core_test(who_is_held_by_its_configuration_stays),
        core_test(the_next_daemon_knows_what_is_held),
        core_test(a_hold_that_cannot_be_written_down_is_refused),
        core_test(only_domains_that_are_there_can_be_held),
        core_test(an_operator_has_plans_carried_out_or_not),
        core_test(a_changed_configuration_is_taken_over),
        core_test(a_changed_configuration_does_not_make_anew_what_was_moved),
        core_test(a_policy_without_its_events_is_off),
        core_test(explain_says_what_was_done_and_why),
        core_test(explain_says_where_it_ran),
        core_test(explain_knows_what_a_daemon_before_did),
        core_test(a_request_can_name_a_domain_by_its_name),
        core_test(metrics_are_what_status_and_matrix_say),
        core_test(metrics_leave_out_where_nobody_knows),
        core_test(what_cannot_be_told_apart_is_said_of_nobody),
        core_test(answers_name_the_group),
        core_test(metrics_name_the_group),
        core_test(metrics_are_written_when_it_is_time),
        core_test(metrics_that_cannot_be_written_stop_nothing),
        core_test(within_its_budget_less_is_logged_and_the_same_is_known),
        core_test(nonsense_gets_an_error),
        core_test(random_bytes_get_an_answer),
    };

    return run_tap_tests(tests);
}
