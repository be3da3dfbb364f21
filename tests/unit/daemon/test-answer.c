/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the daemon's answers on the control socket about its core, the orders that it accepts, and
 * its budget; see answer-world.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "answer-world.h"
#include "harness.h"

#include "daemon/sources/budget.h"

const char state_path[] = "test-answer.state";
const char journal_path[] = "test-answer.journal";

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

/* Commands that stop guests in the daemon's name need the cookie. */
static void it_tells_its_cookie(void **state)
{
    char cookie[17];
    json_object *json;

    (void)state;
    start(MODE_ADVISE);
    json = ask("{\"command\":\"lease\"}");
    snprintf(cookie, sizeof(cookie), "%016llx", (unsigned long long)core.cookie);
    assert_string_equal(get(json, "/result/cookie"), cookie);
    json_object_put(json);
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
    /* They are at different places for 1 - (0.75^2 + 0.25^2) of the time. */
    rate = matrix_rate(core.matrix, XEN_SCHEDLOG_EV_EVTCHN_SEND, 2, 3, now) +
           matrix_rate(core.matrix, XEN_SCHEDLOG_EV_EVTCHN_SEND, 3, 2, now);
    assert_in_range(1000 * number(json, "/result/domains/1/crossings_per_s") /
                    rate, 325, 425);
    /* A guest that was not moved has no target. */
    assert_null(get(json, "/result/domains/0/at_place"));
    assert_null(strstr(get(json, "/result/domains/0"), "lever"));
    json_object_put(json);

    run(20, THERE);
    json = ask("{\"command\":\"status\"}");
    assert_string_equal(get(json, "/result/domains/1/at_place"), "1.0000");
    assert_string_equal(get(json, "/result/domains/1/crossings_per_s"), "0.0");
    json_object_put(json);
}

static void status_says_where_memory_is(void **state)
{
    json_object *json;

    (void)state;
    fake_host_tells_memory(&host);
    domain(DISK)->frames[0] = 10000;
    domain(DISK)->frames[1] = 30000;
    start(MODE_OBSERVE);
    json = ask("{\"command\":\"status\"}");
    assert_string_equal(get(json, "/result/domains/1/memory"), "[ ]");
    assert_null(get(json, "/result/domains/1/memory_age_s"));
    json_object_put(json);
    run(20, SILENCE);
    json = ask("{\"command\":\"status\"}");
    assert_string_equal(get(json, "/result/domains/1/memory/0/place"),
                        "node 0");
    assert_string_equal(get(json, "/result/domains/1/memory/0/share"),
                        "0.2500");
    assert_string_equal(get(json, "/result/domains/1/memory/1/share"),
                        "0.7500");
    assert_in_range(number(json, "/result/domains/1/memory_age_s"), 15, 20);
    /* The guest has hardly any memory. */
    assert_string_equal(get(json, "/result/domains/2/memory"), "[ ]");
    json_object_put(json);
}

/* DISK has no rows of service-ns. */
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

/* The affinity is set, but the guest does not run there. */
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

static void matrix_has_both_ends_of_each_pair(void **state)
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
    assert_string_equal(get(json, "/result/moves/0/code"), "gain");
    assert_float_equal(number(json, "/result/moves/0/gain_us"),
                       number(json, "/result/moves/0/saved_us/talk") +
                       number(json, "/result/moves/0/saved_us/moving"), 0.5);
    assert_string_equal(get(json, "/result/kept/0/code"), "driver-domain");
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

/* Orders of operators. */

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

    /* A held guest is not restored. */
    is_done("{\"command\":\"hold\",\"domid\":1}");
    run(100, SILENCE);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    is_done("{\"command\":\"release\",\"domid\":1}");
    run(2, SILENCE);
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
}

static void a_guest_held_by_its_configuration_stays(void **state)
{
    json_object *json;

    (void)state;
    domain(DISK)->stays = true;
    start(MODE_ACT);
    run(15, TALK);
    assert_int_equal(core.moves, 0);
    assert_int_equal(core.plan.decisions[DISK].reason.code, REASON_CONFIGURED);
    json = ask("{\"command\":\"status\"}");
    assert_string_equal(get(json, "/result/domains/1/held"), "true");
    json_object_put(json);
    /* Only an operator can end that. */
    json = ask("{\"command\":\"release\",\"domid\":1}");
    assert_string_equal(get(json, "/ok"), "false");
    assert_non_null(strstr(get(json, "/error"), "vm_affinity"));
    json_object_put(json);
    domain(DISK)->stays = false;
    run(5, TALK);
    assert_int_equal(core.moves, 1);
}

static void is_obstacle(const char *command, const char *text)
{
    json_object *json = ask(command);

    if (!strstr(get(json, "/result/obstacles/0"), text))
        fail_msg("no '%s' in %s", text, json_object_to_json_string(json));
    json_object_put(json);
}

static void is_free(const char *command)
{
    json_object *json = ask(command), *obstacles;

    assert_int_equal(json_pointer_get(json, "/result/obstacles", &obstacles),
                     0);
    assert_int_equal(json_object_array_length(obstacles), 0);
    json_object_put(json);
}

#define STATUS "{\"command\":\"status\"}"
#define PLAN   "{\"command\":\"plan\"}"

static void obstacles_to_plans_are_reported(void **state)
{
    (void)state;
    start(MODE_ADVISE);
    run(10, TALK);
    is_obstacle(STATUS, "mode advise");
    is_obstacle(PLAN, "mode advise");
    is_done("{\"command\":\"act\"}");
    core.actuator.path = "/nowhere/state";
    run(2, TALK);
    assert_int_equal(core.moves, 0);
    is_obstacle(STATUS, "/nowhere/state");
    is_obstacle(PLAN, "/nowhere/state");
    core.actuator.path = state_path;
    run(2, TALK);
    assert_int_equal(core.moves, 1);
    is_free(STATUS);
    is_free(PLAN);
    strcpy(core.lost, "no xenstored");
    is_obstacle(STATUS, "no xenstored");
    core.lost[0] = '\0';
    host.host.xapi = true;
    is_obstacle(STATUS, "toolstack is xapi");
}

static void a_change_is_answered_with_what_is_the_case(void **state)
{
    json_object *json;

    (void)state;
    start(MODE_ADVISE);
    run(10, TALK);
    json = ask("{\"command\":\"act\"}");
    assert_string_equal(get(json, "/result/proposed"), "1");
    assert_string_equal(get(json, "/result/moved"), "0");
    json_object_put(json);
    run(2, TALK);
    json = ask("{\"command\":\"hold\",\"domid\":1}");
    assert_string_equal(get(json, "/result/domain"), "disk");
    assert_string_equal(get(json, "/result/held"), "true");
    assert_string_equal(get(json, "/result/moved"), "true");
    json_object_put(json);
    /* No policy decided this move. */
    json = ask(PLAN);
    assert_null(get(json, "/result/moves/0/policy"));
    json_object_put(json);
    json = ask("{\"command\":\"release\",\"domid\":1}");
    assert_string_equal(get(json, "/result/held"), "false");
    json_object_put(json);
}

static void a_paused_domain_is_at_no_place(void **state)
{
    json_object *json;

    (void)state;
    start(MODE_ACT);
    run(10, THERE);
    domain(DISK)->paused = true;
    run(1, SILENCE);
    json = ask(PLAN);
    assert_string_equal(get(json, "/result/moves/0/paused"), "true");
    assert_null(get(json, "/result/moves/0/at_place"));
    json_object_put(json);
    json = ask(STATUS);
    assert_null(get(json, "/result/domains/1/at_place"));
    assert_string_equal(get(json, "/result/domains/1/stopped"), "false");
    json_object_put(json);
    domain(DISK)->paused = false;
    domain(DISK)->stopped = true;
    run(1, SILENCE);
    json = ask(STATUS);
    assert_null(get(json, "/result/domains/1/at_place"));
    assert_string_equal(get(json, "/result/domains/1/paused"), "true");
    assert_string_equal(get(json, "/result/domains/1/stopped"), "true");
    json_object_put(json);
}

static void a_soft_weight_that_an_operator_changed_is_reported(void **state)
{
    json_object *json;

    (void)state;
    settings.soft_weight = 50;
    start(MODE_ACT);
    run(1, TALK);
    host.world->weight = 80;
    json = ask(STATUS);
    assert_string_equal(get(json, "/result/soft_weight/percent"), "80");
    assert_string_equal(get(json, "/result/soft_weight/ours"), "50");
    json_object_put(json);
}

static void rules_are_listed_with_the_domains_that_they_match(void **state)
{
    json_object *json;

    (void)state;
    assert_true(rules_parse(&settings.policy_settings.rules,
                            "name=d*: talk=2/name=B\xc3\xbcro: hold"));
    start(MODE_ADVISE);
    run(1, TALK);
    json = ask(STATUS);
    assert_string_equal(get(json, "/result/rules/0/domains"), "1");
    assert_string_equal(get(json, "/result/rules/1/rule"), "name=B\xc3\xbcro");
    assert_string_equal(get(json, "/result/rules/1/domains"), "0");
    json_object_put(json);
    settings.policy_settings.rules.nr = 0;
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
    changed.policy_settings.least_gain_ns = 1e9;
    core_change(&core, &changed);
    run(5, TALK);
    assert_int_equal(core.moves, 0);
    assert_int_equal(core.mode, MODE_ACT);
    changed.policy_settings.least_gain_ns = 10000;
    core_change(&core, &changed);
    run(5, TALK);
    assert_int_equal(core.moves, 1);

    /* A reload of the same configuration does not undo an operator's order. */
    is_done("{\"command\":\"advise\"}");
    core_change(&core, &changed);
    assert_int_equal(core.mode, MODE_ADVISE);
    /* A reload restores no guest that was moved. */
    run(30, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
}

/* A reload keeps the times of moves; otherwise frequent reloads would keep guests moved. */
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

/* At each wake-up, DISK waits 2 ms for a pCPU; and 50 ms when it was preempted. */
#define DELAYED "pair=wake-delay/3/3/1/2000000,pair=preempt-delay/3/3/1/50000000," \
                "pair=service-ns/3/1/1/100000"

static void assert_delay(const char *us)
{
    json_object *json = ask("{\"command\":\"status\"}");
    const char *answered = get(json, "/result/domains/1/wake_delay_us");

    if (us)
        assert_string_equal(answered, us);
    else
        assert_null(answered);
    json_object_put(json);
}

/* DISK is paused after it has waited 100 ms. */
static void pause_disk_while_it_waits(void)
{
    const struct {
        uint8_t event, reason;
        uint16_t current, correspondent, pad;
        uint32_t counter, time;
    } row = { XEN_SCHEDLOG_EV_WAKE_DELAY, XEN_SCHEDLOG_REASON_CUT, 3, 3, 0, 100000000, 0 };
    struct xensched_batch batch = { .rows = &row, .length = sizeof(row) };

    xensched_layout(XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |
                    XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER |
                    XEN_SCHEDLOG_LCR_TIME_TSC | XEN_SCHEDLOG_LCR_REASON, &batch.layout);
    core_take(&core, &batch, now);
}

/* The delay is that of wake-ups in the last ten seconds. */
static void status_has_the_delay_of_recent_wake_ups(void **state)
{
    (void)state;
    choice_add(&settings.choice, 1U << XEN_SCHEDLOG_EV_WAKE_DELAY);
    start(MODE_ADVISE);
    core.logs.nr = 0; /* synthetic rows have one file for all events */
    run(10, TALK "," DELAYED);
    assert_delay("2000.0");
    pause_disk_while_it_waits();
    run(5, TALK);
    assert_delay("2000.0");
    run(10, TALK);
    assert_delay(NULL);
}

/* Lets a second pass whose rows cost this CPU time. */
static void busy_second(struct log_sources *sources, const char *pairs,
                        uint64_t *cpu_ns, uint64_t cost_ns)
{
    run(1, pairs);
    *cpu_ns += cost_ns;
    budget_keep(sources, *cpu_ns, now);
}

static void within_its_budget_less_is_logged_and_the_same_is_known(void **state)
{
    const uint32_t *of = host.world->threshold[XEN_SCHEDLOG_EV_EVTCHN_SEND];
    struct log_sources none = { .core = &core };
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

    /* With their thresholds the events make fewer rows. */
    snprintf(thinned, sizeof(thinned), "pair=evtchn-send/3/2/1/1,"
             "pair=service-ns/4/1/%u/1", 3 * of[3] - 1);
    for (i = 0; i < 10; i++)
        busy_second(&none, thinned, &cpu_ns, SECOND / 125);
    assert_true(matrix_rate(core.matrix, XEN_SCHEDLOG_EV_EVTCHN_SEND, 3, 2,
                            now) > rate * 0.6);
    assert_true(matrix_rate(core.matrix, XEN_SCHEDLOG_EV_EVTCHN_SEND, 3, 2,
                            now) < rate * 1.5);

    /* The guest is bound again and gets a new route; the matrix uses the other number. */
    host.world->threshold[XEN_SCHEDLOG_EV_EVTCHN_SEND][3] = 0;
    accounting_find(&core.accounting, &core.domains.domain[DISK])->bound =
        false;
    run(1, TALK);
    assert_true(of[3] > 1);

    /* The next domain with this number is another one. */
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

/* status has the residency of a guest in a group, as of any guest. */
static void where_a_guest_of_a_group_runs_is_known(void **state)
{
    json_object *json;

    (void)state;
    start_with_a_group();
    json = ask("{\"command\":\"status\"}");
    assert_string_equal(get(json, "/result/domains/1/affinity"), "ours");
    assert_string_equal(get(json, "/result/domains/1/ran/0/share"), "1.0000");
    json_object_put(json);
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
    assert_non_null(strstr(text, "\"from\": \"disk\", \"from_domid\": 1, "
                                 "\"from_group\": \"web\""));
    assert_non_null(strstr(text, "\"to\": \"disk\", \"to_domid\": 1, "
                                 "\"to_group\": \"web\""));
    json_object_put(json);
    json = ask("{\"command\":\"explain\",\"domid\":1}");
    assert_string_equal(get(json, "/result/group"), "web");
    text = get(json, "/result/lines");
    assert_non_null(strstr(text, "from Domain-0 to disk"));
    json_object_put(json);
}

/* Asks a daemon that reads DISK's log, if the guest allows that. */
static json_object *ask_for_processes(bool logs)
{
    static const char line[] = "{\"command\":\"processes\","
                               "\"domain\":\"disk\"}";
    struct subject subject = { .core = &core, .sources = &sources, .now_ns = now };
    struct processes *p;
    json_object *json;

    begin_log_sources();
    core.domains.domain[1].logs = logs;
    log_sources_look(&sources, &core.domains, now);
    if (log_sources_of_guest(&sources, &core.domains.domain[1])) {
        p = log_sources_of_guest(&sources, &core.domains.domain[1])->processes;
        processes_add(p, 2, 100 | 4ULL << XEN_SCHEDLOG_SECTORS_SHIFT, now);
        processes_add(p, 4, 7 | 400ULL << XEN_SCHEDLOG_SECTORS_SHIFT, now);
        processes_add(p, XEN_SCHEDLOG_ACCT_NONE, 7 | 0x6fULL << 24, now);
        processes_add(p, XEN_SCHEDLOG_ACCT_NONE, 7 | 2U << 22, now);
    }
    json = answer(&subject, line, strlen(line));
    end_log_sources();

    return json;
}

static void says_why_not(json_object *json, const char *words)
{
    assert_string_equal(get(json, "/ok"), "false");
    if (!strstr(get(json, "/error"), words))
        fail_msg("no '%s' in '%s'", words, get(json, "/error"));
    json_object_put(json);
}

static void processes_are_told_apart(void **state)
{
    json_object *json;

    (void)state;
    start(MODE_ADVISE);
    run(1, TALK);
    says_why_not(ask_for_processes(true), "process-io is not logged");
    assert_true(choice_parse(&settings.choice, "process-io"));
    core.settings.choice = settings.choice;
    says_why_not(ask_for_processes(false), "vm_affinity_log");

    json = ask_for_processes(true);
    assert_string_equal(get(json, "/result/domain"), "disk");
    assert_int_equal(json_object_array_length(json_object_object_get(
        json_object_object_get(json, "result"), "processes")), 2);
    assert_string_equal(get(json, "/result/processes/0/pid"), "7");
    assert_string_equal(get(json, "/result/processes/0/command"), "o");
    assert_string_equal(get(json, "/result/processes/0/to"), "spin");
    assert_string_equal(get(json, "/result/processes/0/total"), "200");
    assert_true(number(json, "/result/processes/0/rate") > 0);
    assert_string_equal(get(json, "/result/processes/1/pid"), "100");
    assert_string_equal(get(json, "/result/processes/1/command"), "");
    assert_string_equal(get(json, "/result/processes/1/to_domid"), "0");
    assert_string_equal(get(json, "/result/processes/1/total"), "2");
    json_object_put(json);

    json = ask("{\"command\":\"processes\",\"domid\":0}");
    says_why_not(json, "dom0 serves others");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(status_says_what_is),
        core_test(it_tells_its_cookie),
        core_test(processes_are_told_apart),
        core_test(status_says_where_domains_ran),
        core_test(status_says_where_memory_is),
        core_test(where_a_domain_ran_can_be_unknown),
        core_test(status_says_what_soft_affinities_weigh),
        core_test(matrix_has_both_ends_of_each_pair),
        core_test(plan_says_what_and_why),
        core_test(plan_says_what_came_of_it),
        core_test(a_held_domain_stays_until_it_is_released),
        core_test(a_guest_held_by_its_configuration_stays),
        core_test(the_next_daemon_knows_what_is_held),
        core_test(a_hold_that_cannot_be_written_down_is_refused),
        core_test(obstacles_to_plans_are_reported),
        core_test(a_change_is_answered_with_what_is_the_case),
        core_test(a_paused_domain_is_at_no_place),
        core_test(a_soft_weight_that_an_operator_changed_is_reported),
        core_test(rules_are_listed_with_the_domains_that_they_match),
        core_test(only_domains_that_are_there_can_be_held),
        core_test(an_operator_has_plans_carried_out_or_not),
        core_test(a_changed_configuration_is_taken_over),
        core_test(a_changed_configuration_does_not_make_anew_what_was_moved),
        core_test(status_has_the_delay_of_recent_wake_ups),
        core_test(a_request_can_name_a_domain_by_its_name),
        core_test(where_a_guest_of_a_group_runs_is_known),
        core_test(answers_name_the_group),
        core_test(within_its_budget_less_is_logged_and_the_same_is_known),
        core_test(nonsense_gets_an_error),
        core_test(random_bytes_get_an_answer),
    };

    return run_tap_tests(tests);
}
