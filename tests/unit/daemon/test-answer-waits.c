/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the answers to 'xensched waits': which domains had the pCPU for which a domain
 * waited, at any time, and what the answer does not count as a wait.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cmocka-tap.h"
#include "answer-world.h"

#include "base/json.h"

const char state_path[] = "test-answer-waits.state";
const char journal_path[] = "test-answer-waits.journal";

/* DISK waits for SPIN and for dom0, and now and then for an idle pCPU. */
#define WAITING "pair=preempt-delay/3/4/3/1000000,pair=preempt-delay/3/2/1/1000000," \
                "pair=wake-delay/3/1/1/10000"

/* Logs the default events and @more.  All synthetic rows are in one log buffer. */
static void start_with_events(uint32_t more)
{
    choice_default(&settings.choice);
    if (more)
        choice_add(&settings.choice, more);
    start(MODE_ADVISE);
    core.logs.nr = 0;
}

static void waits_name_the_domains_that_had_the_pcpu(void **state)
{
    double ready, of_spin, of_dom0, of_xen;
    json_object *json;

    (void)state;
    start_with_events(0);
    run(10, TALK "," WAITING);
    json = ask("{\"command\":\"waits\",\"seconds\":5}");
    assert_string_equal(get(json, "/result/seconds"), "5");
    assert_string_equal(get(json, "/result/domains/0/name"), "disk");
    assert_string_equal(get(json, "/result/domains/0/domid"), "1");
    assert_string_equal(get(json, "/result/domains/0/for/0/name"), "spin");
    assert_string_equal(get(json, "/result/domains/0/for/1/name"), "Domain-0");
    assert_string_equal(get(json, "/result/domains/0/for/2/name"), "(xen)");
    assert_null(get(json, "/result/domains/0/for/2/domid"));
    ready = number(json, "/result/domains/0/ready_percent");
    of_spin = number(json, "/result/domains/0/for/0/percent");
    of_dom0 = number(json, "/result/domains/0/for/1/percent");
    of_xen = number(json, "/result/domains/0/for/2/percent");
    assert_in_range(1000 * (of_spin + of_dom0 + of_xen), 999 * ready, 1001 * ready);
    assert_in_range(100 * of_spin / of_dom0, 200, 400);
    assert_in_range(number(json, "/result/domains/0/wake_p50_us"), 8, 16);
    assert_in_range(1000 * number(json, "/result/domains/0/preempted_percent"),
                    990 * ready, 999 * ready);
    assert_string_equal(get(json, "/result/domains/0/moves_per_s"), "0.0");
    json_object_put(json);
}

/* A pCPU that idles wakes up for a vCPU: that part of the waits is no queueing. */
static void waits_while_the_pcpu_idled_are_a_part(void **state)
{
    unsigned int i, found = 0;

    (void)state;
    start_with_events(0);
    run(10, TALK ",pair=preempt-delay/3/4/1/1000000,pair=wake-delay/3/1/1/3000000");
    for (i = 0; i < core.domains.nr; i++) {
        const struct domain *d = &core.domains.domain[i];

        if (d->domid == 1) {
            assert_in_range(1000 * d->wakes.idled, 740, 760);
            found++;
        } else {
            assert_float_equal(d->wakes.idled, 0, 1e-9);
        }
    }
    assert_int_equal(found, 1);
}

/* Returns the sum of one cause, at a part of the answer that has causes. */
static double caused(json_object *json, const char *path, const char *cause)
{
    json_object *array = NULL;
    double sum = 0;
    size_t i;

    assert_int_equal(json_pointer_get(json, path, &array), 0);
    for (i = 0; i < json_object_array_length(array); i++) {
        json_object *entry = json_object_array_get_idx(array, i);

        if (!cause || !strcmp(json_text(entry, "cause"), cause))
            sum += json_number(entry, "percent", 0);
    }

    return sum;
}

static void waits_have_causes(void **state)
{
    double ready, of_spin;
    json_object *json;

    (void)state;
    start_with_events(0);
    run(10, TALK "," WAITING ",pair=wake-delay/3/4/1/2000000");
    json = ask("{\"command\":\"waits\",\"seconds\":5}");
    ready = number(json, "/result/domains/0/ready_percent");
    of_spin = number(json, "/result/domains/0/for/0/percent");
    assert_string_equal(get(json, "/result/domains/0/for/0/name"), "spin");
    assert_in_range(1000 * caused(json, "/result/domains/0/causes", NULL), 999 * ready,
                    1001 * ready);
    assert_true(caused(json, "/result/domains/0/causes", "preempted") ==
                number(json, "/result/domains/0/preempted_percent"));
    assert_in_range(1000 * caused(json, "/result/domains/0/for/0/causes", NULL),
                    999 * of_spin, 1001 * of_spin);
    /* 3 ms preempted and 2 ms woken */
    assert_in_range(100 * caused(json, "/result/domains/0/for/0/causes", "woken") / of_spin,
                    30, 50);
    assert_true(caused(json, "/result/domains/0/for/1/causes", "woken") == 0);
    assert_true(number(json, "/result/domains/0/for/0/causes/0/waits_per_s") > 1);
    json_object_put(json);
    json = ask("{\"command\":\"explain\",\"domain\":\"disk\"}");
    assert_non_null(strstr(get(json, "/result/lines"), " preempted"));
    assert_non_null(strstr(get(json, "/result/lines"), "its vCPUs are on pCPUs "));
    assert_non_null(strstr(get(json, "/result/lines"), "while node 0 idles "));
    json_object_put(json);
}

static void waits_since_a_mark_can_be_asked_for(void **state)
{
    json_object *json;

    (void)state;
    start_with_events(1U << XEN_SCHEDLOG_EV_MARK);
    run(5, TALK "," WAITING);
    run(1, TALK ",pair=mark/3/65535/1/7");
    run(4, TALK);
    json = ask("{\"command\":\"waits\",\"domain\":\"disk\",\"since_mark\":7}");
    assert_in_range(number(json, "/result/seconds"), 4, 5);
    json_object_put(json);
    json = ask("{\"command\":\"waits\",\"domain\":\"disk\",\"since_mark\":8}");
    assert_non_null(strstr(get(json, "/error"), "no mark 8 of disk"));
    json_object_put(json);
    json = ask("{\"command\":\"waits\",\"since_mark\":7}");
    assert_non_null(strstr(get(json, "/error"), "name the domain"));
    json_object_put(json);
}

static void a_mark_that_is_not_logged_is_refused(void **state)
{
    (void)state;
    choice_default(&settings.choice);
    start(MODE_ADVISE);
    is_refused("{\"command\":\"waits\",\"domain\":\"disk\",\"since_mark\":7}",
               "mark is not logged");
}

static size_t length_of(json_object *json, const char *path)
{
    json_object *array = NULL;

    assert_int_equal(json_pointer_get(json, path, &array), 0);

    return json_object_array_length(array);
}

/* DISK has waited for 5 s, and then no more. */
static void waits_of_one_domain_are_known_by_the_second(void **state)
{
    json_object *json;

    (void)state;
    start_with_events(0);
    run(5, TALK "," WAITING);
    run(5, TALK ",pair=migrate/3/65535/1/1");
    json = ask("{\"command\":\"waits\",\"seconds\":20,\"domain\":\"disk\"}");
    assert_string_equal(get(json, "/result/domains/0/name"), "disk");
    assert_int_equal(length_of(json, "/result/domains"), 1);
    assert_non_null(strstr(get(json, "/result/by_second"), "[ null, "));
    assert_true(number(json, "/result/by_second/12") > 1);
    assert_string_equal(get(json, "/result/by_second/18"), "0.0");
    assert_int_equal(length_of(json, "/result/by_second"), 20);
    assert_true(number(json, "/result/domains/0/moves_per_s") > 100);
    assert_string_equal(get(json, "/result/vcpus/0/vcpu"), "0");
    assert_non_null(get(json, "/result/vcpus/0/pcpu"));
    json_object_put(json);
    json = ask("{\"command\":\"waits\",\"domain\":\"spin\"}");
    assert_int_equal(length_of(json, "/result/domains"), 1);
    assert_string_equal(get(json, "/result/domains/0/name"), "spin");
    assert_string_equal(get(json, "/result/domains/0/ready_percent"), "0.000");
    assert_int_equal(length_of(json, "/result/domains/0/for"), 0);
    assert_int_equal(length_of(json, "/result/by_second"), 60);
    json_object_put(json);
    json = ask("{\"command\":\"waits\",\"domain\":\"nobody\"}");
    assert_string_equal(get(json, "/ok"), "false");
    json_object_put(json);
}

static void waits_of_another_time_can_be_asked_for(void **state)
{
    char line[100];
    json_object *json;

    (void)state;
    start_with_events(0);
    run(10, TALK "," WAITING);
    run(60, TALK);
    json = ask("{\"command\":\"waits\"}");
    assert_string_equal(get(json, "/result/seconds"), "60");
    assert_int_equal(length_of(json, "/result/domains"), 3);
    assert_string_equal(get(json, "/result/domains/1/name"), "disk");
    assert_string_equal(get(json, "/result/domains/1/ready_percent"), "0.000");
    json_object_put(json);
    snprintf(line, sizeof(line), "{\"command\":\"waits\",\"at\":%lld,\"seconds\":4}",
             (long long)time(NULL) - 65);
    json = ask(line);
    assert_string_equal(get(json, "/result/seconds"), "4");
    assert_string_equal(get(json, "/result/domains/0/name"), "disk");
    json_object_put(json);
    json = ask("{\"command\":\"waits\",\"at\":5,\"seconds\":4}");
    assert_string_equal(get(json, "/result/seconds"), "0");
    json_object_put(json);
}

/* SPIN gets no pCPU at all, so no row reports its wait. */
static void waits_that_go_on_are_seen_as_xen_counts_them(void **state)
{
    json_object *json;
    unsigned int i;

    (void)state;
    domain(SPIN)->waited_ns = 1;
    start_with_events(0);
    for (i = 0; i < 10; i++) {
        domain(SPIN)->waited_ns += SECOND;
        run(1, TALK "," WAITING);
    }
    json = ask("{\"command\":\"waits\",\"seconds\":5}");
    assert_string_equal(get(json, "/result/domains/0/name"), "spin");
    assert_string_equal(get(json, "/result/domains/0/ready_percent"), "0.000");
    assert_in_range(number(json, "/result/domains/0/counted_percent"), 199, 200);
    assert_string_equal(get(json, "/result/domains/0/for"), "[ ]");
    assert_string_equal(get(json, "/result/domains/1/name"), "disk");
    json_object_put(json);
}

/* SPIN has used up its cap for two thirds of the time; then it is paused. */
static void time_that_a_cap_takes_is_no_wait(void **state)
{
    json_object *json;
    unsigned int i;

    (void)state;
    domain(SPIN)->waited_ns = 1;
    start_with_events(0);
    for (i = 0; i < 20; i++) {
        domain(SPIN)->paused = i >= 10;
        domain(SPIN)->offline_ns += SECOND / 3 * 2;
        run(1, TALK);
        if (i != 9 && i != 19)
            continue;
        json = ask("{\"command\":\"waits\",\"seconds\":5,\"domain\":\"spin\"}");
        if (i == 9) {
            assert_string_equal(get(json, "/result/domains/0/ready_percent"), "0.000");
            assert_in_range(number(json, "/result/domains/0/offline_percent"), 132, 134);
            json_object_put(json);
            json = ask("{\"command\":\"explain\",\"domain\":\"spin\"}");
            assert_non_null(strstr(get(json, "/result/lines"), "Xen did not let it run for 1"));
        } else {
            assert_string_equal(get(json, "/result/domains/0/offline_percent"), "0.000");
        }
        json_object_put(json);
    }
    /* SPIN was paused until this poll, so Xen's sum says nothing of a cap. */
    domain(SPIN)->paused = false;
    domain(SPIN)->offline_ns += SECOND;
    run(2, TALK);
    json = ask("{\"command\":\"waits\",\"seconds\":5,\"domain\":\"spin\"}");
    assert_string_equal(get(json, "/result/domains/0/offline_percent"), "0.000");
    json_object_put(json);
}

static void waits_that_are_not_logged_are_refused(void **state)
{
    json_object *json;

    (void)state;
    start(MODE_ADVISE);
    json = ask("{\"command\":\"waits\"}");
    assert_string_equal(get(json, "/ok"), "false");
    assert_non_null(strstr(get(json, "/error"), "not logged"));
    json_object_put(json);
}

static void each_guest_of_a_group_is_a_waiter(void **state)
{
    json_object *json;

    (void)state;
    strcpy(domain(DISK)->group, "web");
    strcpy(domain(SPIN)->group, "web");
    start_with_events(0);
    run(10, TALK);
    json = ask("{\"command\":\"waits\",\"seconds\":5}");
    assert_int_equal(length_of(json, "/result/domains"), 3);
    assert_string_equal(get(json, "/result/domains/1/name"), "disk");
    assert_string_equal(get(json, "/result/domains/1/group"), "web");
    assert_string_equal(get(json, "/result/domains/2/name"), "spin");
    assert_string_equal(get(json, "/result/domains/2/group"), "web");
    json_object_put(json);
}

/* Times far outside the stored ones, and times that no integer holds. */
static void waits_of_any_time_get_an_answer(void **state)
{
    static const char *const numbers[] = {
        "1e300", "-1e300", "0", "-1", "0.5", "18446744073709551616", "1e18", "\"5\"",
    };
    char line[100];
    unsigned int i, k;

    (void)state;
    start_with_events(0);
    run(10, TALK "," WAITING);
    for (i = 0; i < 8; i++)
        for (k = 0; k < 8; k++) {
            json_object *json;

            snprintf(line, sizeof(line), "{\"command\":\"waits\",\"seconds\":%s,"
                     "\"at\":%s}", numbers[i], numbers[k]);
            json = ask(line);
            assert_in_range(number(json, "/result/seconds"), 0, WAITS_SECONDS);
            assert_in_range(json_object_array_length(json_object_object_get(
                json_object_object_get(json, "result"), "domains")), 0, 3);
            json_object_put(json);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(waits_name_the_domains_that_had_the_pcpu),
        core_test(waits_while_the_pcpu_idled_are_a_part),
        core_test(waits_have_causes),
        core_test(waits_since_a_mark_can_be_asked_for),
        core_test(a_mark_that_is_not_logged_is_refused),
        core_test(waits_of_one_domain_are_known_by_the_second),
        core_test(waits_of_another_time_can_be_asked_for),
        core_test(waits_that_go_on_are_seen_as_xen_counts_them),
        core_test(time_that_a_cap_takes_is_no_wait),
        core_test(waits_that_are_not_logged_are_refused),
        core_test(each_guest_of_a_group_is_a_waiter),
        core_test(waits_of_any_time_get_an_answer),
    };

    return run_tap_tests(tests);
}
