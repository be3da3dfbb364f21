/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks the daemon's sentences about one domain; see answer-world.h. */
#include <stdio.h>
#include <string.h>

#include "cmocka-tap.h"
#include "answer-world.h"
#include "harness.h"

const char state_path[] = "test-explain.state";
const char journal_path[] = "test-explain.journal";

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
    assert_true(strstr(lines, "so decided by the policy placement"));
    assert_true(strstr(lines, "Z move: "));
    assert_string_equal(get(json, "/result/decision"), "keep");
    assert_string_equal(get(json, "/result/code"), "worth");
    assert_true(number(json, "/result/worth_us") > 250);
    /* The best other target. */
    assert_true(number(json, "/result/gain_us") < number(json, "/result/least_gain_us"));
    json_object_put(json);

    json = ask("{\"command\":\"explain\",\"domid\":2}");
    lines = get(json, "/result/lines");
    assert_true(strstr(lines, "its affinity has not been changed"));
    assert_true(strstr(lines, "it uses 0.") || strstr(lines, "it uses 1."));
    assert_true(strstr(lines, "now: leave: "));
    assert_string_equal(get(json, "/result/decision"), "leave");
    assert_string_equal(get(json, "/result/code"), "least-gain");
    assert_true(number(json, "/result/gain_us") < number(json, "/result/least_gain_us"));
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

static void explain_shows_long_reasons_whole(void **state)
{
    char reason[1500 + 1] = "";
    json_object *json;
    FILE *journal;

    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    memset(reason, 'x', sizeof(reason) - 1);
    json = ask("{\"command\":\"explain\",\"domid\":1}");
    journal = fopen(journal_path, "a");
    assert_non_null(journal);
    fprintf(journal, "{\"time\":\"2026-11-28T00:00:00Z\",\"what\":\"move\",\"uuid\":\"%s\","
            "\"reason\":\"%s, the end\"}\n", get(json, "/result/uuid"), reason);
    fclose(journal);
    json_object_put(json);
    json = ask("{\"command\":\"explain\",\"domid\":1}");
    assert_non_null(strstr(get(json, "/result/lines"), "x, the end\""));
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

/* xl has asked for node 1, and all rows are of node 0. */
static void explain_says_that_an_affinity_has_no_effect(void **state)
{
    json_object *json;
    const char *lines;

    (void)state;
    domain(DISK)->vcpus[0].soft = FAKE_NODE_1;
    start(MODE_ADVISE);
    run(10, THERE);
    json = ask("{\"command\":\"explain\",\"domid\":1}");
    lines = get(json, "/result/lines");
    assert_non_null(strstr(lines, "its toolstack gave it a soft affinity to "
                                  "pCPUs 2-3"));
    assert_non_null(strstr(lines, "its soft affinity has no effect: it runs "
                                  "there only 0 % of its time"));
    assert_null(strstr(lines, "its affinity has not been changed"));
    json_object_put(json);
}

/* Three of four waits of 1 ms with a known holder are for SPIN. */
static void explain_names_the_domains_that_had_the_pcpu(void **state)
{
    json_object *json;
    const char *lines;

    (void)state;
    choice_default(&settings.choice);
    start(MODE_ADVISE);
    core.logs.nr = 0; /* synthetic rows have one log buffer for all events */
    run(10, TALK ",pair=preempt-delay/3/4/3/1000000,pair=wake-delay/3/1/1/1000000");
    json = ask("{\"command\":\"explain\",\"domid\":1}");
    lines = get(json, "/result/lines");
    assert_non_null(strstr(lines, "it waited "));
    assert_non_null(strstr(lines, " of them for spin, "));
    assert_non_null(strstr(lines, " while its pCPU idled"));
    json_object_put(json);
    json = ask("{\"command\":\"explain\",\"domid\":2}");
    assert_null(strstr(get(json, "/result/lines"), "it waited"));
    json_object_put(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(explain_says_what_was_done_and_why),
        core_test(explain_names_the_domains_that_had_the_pcpu),
        core_test(explain_knows_what_a_daemon_before_did),
        core_test(explain_shows_long_reasons_whole),
        core_test(explain_says_where_it_ran),
        core_test(explain_says_that_an_affinity_has_no_effect),
    };

    return run_tap_tests(tests);
}
