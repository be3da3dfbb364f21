/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks trials and costs on the control socket and in the metrics: an operator reads the trial's
 * results, and wrong requests start no trial.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "answer-world.h"

#include "daemon/answer/metrics.h"

const char state_path[] = "test-answer-trial.state";
const char journal_path[] = "test-answer-trial.journal";

#define METRICS "test-answer-trial.prom"

/* 1,000 rows a second: 333 notifications each way, and 33 ms of service. */
static void the_cost_of_a_notification_is_its_own_and_its_back_ends(void **state)
{
    static const char rows[] = "pair=evtchn-send/3/2/1/1,"
                               "pair=service-ns/3/1/1/100000,"
                               "pair=service-ns/2/1/1/50000";
    json_object *json;

    (void)state;
    start(MODE_ADVISE);
    /* Synthetic rows of all events are in one file. */
    choice_default(&core.settings.choice);
    json = ask("{\"command\":\"status\"}");
    assert_null(get(json, "/result/domains/1/cost_us"));
    json_object_put(json);
    run(60, rows);
    json = ask("{\"command\":\"status\"}");
    assert_string_equal(get(json, "/result/domains/1/cost_per"),
                        "notification");
    assert_true(fabs(number(json, "/result/domains/1/cost_us") - 150) < 10);
    assert_true(fabs(number(json, "/result/domains/1/back_ends_us") - 50) < 5);
    assert_true(fabs(number(json, "/result/domains/1/work_per_s") - 333) < 20);
    assert_null(get(json, "/result/domains/0/cost_us"));
    assert_null(get(json, "/result/domains/2/cost_us"));
    json_object_put(json);
    json = ask("{\"command\":\"matrix\"}");
    assert_true(fabs(number(json, "/result/events/evtchn-send/0/cost_us") - 150) < 10);
    assert_string_equal(get(json, "/result/events/evtchn-send/0/cost_per"), "notification");
    json_object_put(json);

    /* 250 of each per second: a notification, a run, a wait of 9 us, and a move. */
    run(60, "pair=evtchn-send/3/2/1/1,pair=service-ns/3/1/1/100000,"
            "pair=wake-delay/3/1/1/9000,pair=migrate/3/1/1/1");
    json = ask("{\"command\":\"status\"}");
    assert_true(fabs(number(json, "/result/domains/1/wait_us") - 9) < 1);
    assert_true(fabs(number(json, "/result/domains/1/wakes") - 1) < 0.1);
    assert_true(fabs(number(json, "/result/domains/1/migrations") - 1) < 0.1);
    json_object_put(json);
    json = ask("{\"command\":\"explain\",\"domid\":1}");
    assert_non_null(strstr(json_object_to_json_string(json),
                           "moves to another pCPU "));
    json_object_put(json);

    /* If pages are known, they are the work; a page on a ring was also mapped. */
    run(60, "pair=evtchn-send/3/2/1/1,pair=ring-pages/2/3/1/4,pair=grant-map/2/3/1/4,"
            "pair=service-ns/3/1/1/100000,pair=service-ns/2/1/1/60000");
    json = ask("{\"command\":\"status\"}");
    assert_string_equal(get(json, "/result/domains/1/cost_per"), "page");
    assert_true(fabs(number(json, "/result/domains/1/cost_us") - 40) < 4);
    json_object_put(json);
}

/* If placed, all guests run on the first node; otherwise on all pCPUs. */
static void run_by_blocks(unsigned int seconds)
{
    while (seconds--)
        run(1, core.trial.placed ? THERE : "cpus=4,batch=25," THERE);
}

static void a_trial_is_shown_as_far_as_it_is(void **state)
{
    json_object *json;

    (void)state;
    start(MODE_ACT);
    run(10, THERE);
    json = ask("{\"command\":\"trial\"}");
    assert_string_equal(get(json, "/result/state"), "none");
    json_object_put(json);
    json = ask("{\"command\":\"trial\",\"action\":\"start\",\"block_ms\":20000,"
               "\"pairs\":6,\"guests\":[\"disk\"]}");
    assert_string_equal(get(json, "/result/state"), "running");
    assert_string_equal(get(json, "/result/block_s"), "20.000");
    assert_null(get(json, "/result/cost/change"));
    assert_null(get(json, "/result/at_target/placed"));
    json_object_put(json);
    run_by_blocks(90);
    json = ask("{\"command\":\"trial\",\"action\":\"show\"}");
    assert_true(number(json, "/result/pairs_done") >= 1);
    assert_string_equal(get(json, "/result/guests/0/name"), "disk");
    assert_string_equal(get(json, "/result/guests/0/unit"), "notification");
    assert_null(get(json, "/result/cost/low"));
    assert_true(number(json, "/result/guests/0/at_target/placed") > 0.99);
    assert_true(fabs(number(json, "/result/at_target/not_placed") - 0.5) < 0.05);
    json_object_put(json);
    run_by_blocks(200);
    json = ask("{\"command\":\"status\"}");
    assert_string_equal(get(json, "/result/trial/state"), "complete");
    assert_non_null(strstr(get(json, "/result/trial/verdict"), "interval"));
    assert_non_null(strstr(get(json, "/result/trial/verdict"),
                           "guests spent 100 % of their time at their targets, and"));
    json_object_put(json);
    is_refused("{\"command\":\"trial\",\"action\":\"stop\"}", "no trial is running");
}

static void a_wrong_request_starts_nothing(void **state)
{
    json_object *json;

    (void)state;
    start(MODE_ACT);
    run(2, TALK);
    is_refused("{\"command\":\"trial\",\"action\":\"begin\"}", "started, stopped");
    is_refused("{\"command\":\"trial\",\"action\":\"start\",\"block_ms\":500}",
               "10 s to 24 h");
    is_refused("{\"command\":\"trial\",\"action\":\"start\",\"pairs\":4}",
               "5 to 10000 pairs");
    is_refused("{\"command\":\"trial\",\"action\":\"start\",\"pairs\":5.5}",
               "5 to 10000 pairs");
    is_refused("{\"command\":\"trial\",\"action\":\"start\","
               "\"guests\":[\"nobody\"]}", "no domain 'nobody'");
    is_refused("{\"command\":\"trial\",\"action\":\"start\",\"guests\":[0]}",
               "driver domain");
    is_refused("{\"command\":\"trial\",\"action\":\"start\",\"guests\":[[]]}",
               "no domain");
    json = ask("{\"command\":\"trial\"}");
    assert_string_equal(get(json, "/result/state"), "none");
    json_object_put(json);
    core_set_mode(&core, MODE_OBSERVE);
    is_refused("{\"command\":\"trial\",\"action\":\"start\",\"dry_run\":true}",
               "mode observe");
}

/* The trial's verdict was about another load. */
static void release_places_a_guest_again_that_a_trial_left_alone(void **state)
{
    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    is_done("{\"command\":\"trial\",\"action\":\"start\",\"block_ms\":10000}");
    run(40, TALK);
    core.trial.guests[0].left_alone = true;
    is_done("{\"command\":\"trial\",\"action\":\"stop\"}");
    run(10, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
    is_done("{\"command\":\"release\",\"domid\":1}");
    run(10, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
}

static void the_metrics_have_cost_and_trial(void **state)
{
    struct metrics m = { .path = METRICS };
    static char text[65536];
    FILE *file;
    size_t length;

    (void)state;
    start(MODE_ACT);
    /* Synthetic rows of all events are in one file. */
    choice_default(&core.settings.choice);
    run(10, THERE);
    is_done("{\"command\":\"trial\",\"action\":\"start\",\"block_ms\":10000,"
            "\"pairs\":8}");
    run_by_blocks(200);
    begin_log_sources();
    metrics_write(&m, &core, &sources, now);
    end_log_sources();
    file = fopen(METRICS, "r");
    assert_non_null(file);
    length = fread(text, 1, sizeof(text) - 1, file);
    text[length] = '\0';
    fclose(file);
    unlink(METRICS);
    assert_non_null(strstr(text, "xensched_work_cost_seconds{domain=\"disk\","
                                 "domid=\"1\",unit=\"notification\"} 0.0"));
    assert_non_null(strstr(text, "xensched_work_wait_seconds{domain=\"disk\","));
    assert_non_null(strstr(text, "xensched_work_wakes{domain=\"disk\","));
    assert_non_null(strstr(text, "xensched_work_migrations{domain=\"disk\","));
    assert_non_null(strstr(text, "xensched_trial_cost_change_ratio{value=\"low\"}"));
    assert_non_null(strstr(text, "xensched_trial_at_target_ratio{block=\"placed\"} 1."));
    assert_non_null(strstr(text, "xensched_trial_at_target_ratio{block=\"not_placed\"} "
                                 "0."));
}

#define PRICES "test-answer-trial.prices"

static void begin_again(void)
{
    core_stop(&core);
    core_free(&core);
    start(MODE_ADVISE);
}

/* A damaged file is reported, and replaced by what the next moves show. */
static void learned_prices_are_shown_and_outlive_the_daemon(void **state)
{
    const struct learned_move move = { 31000, 13000, 20600 };
    FILE *file = fopen(PRICES, "w");
    json_object *json;
    unsigned int i;

    (void)state;
    fputs("{\"version\": 1, \"map\"", file);
    fclose(file);
    settings.learned_path = PRICES;
    start(MODE_ADVISE);
    json = ask("{\"command\":\"status\"}");
    assert_string_equal(get(json, "/result/prices"), "[ ]");
    json_object_put(json);
    for (i = 0; i < 14; i++)
        learned_add(&core.learned, BACK_END_EVENTS, &move);
    run(10, TALK ",pair=service-ns/3/1/1/100000");
    begin_again();
    run(10, TALK ",pair=service-ns/3/1/1/100000");
    json = ask("{\"command\":\"status\"}");
    assert_string_equal(get(json, "/result/prices/0/kind"), "notify");
    assert_string_equal(get(json, "/result/prices/0/moves"), "14");
    assert_string_equal(get(json, "/result/prices/0/replaces"), "true");
    assert_true(fabs(number(json, "/result/prices/0/extra_us") - 13) < 1e-6);
    json_object_put(json);
    json = ask("{\"command\":\"explain\",\"domid\":1}");
    assert_non_null(strstr(get(json, "/result/lines"),
                           "learned from 14 moves: a notification costs 31.0 us near"));
    json_object_put(json);
    unlink(PRICES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(the_cost_of_a_notification_is_its_own_and_its_back_ends),
        core_test(a_trial_is_shown_as_far_as_it_is),
        core_test(a_wrong_request_starts_nothing),
        core_test(release_places_a_guest_again_that_a_trial_left_alone),
        core_test(the_metrics_have_cost_and_trial),
        core_test(learned_prices_are_shown_and_outlive_the_daemon),
    };

    return run_tap_tests(tests);
}
