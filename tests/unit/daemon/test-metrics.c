/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks that the metrics file agrees with the answers; see answer-world.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "answer-world.h"
#include "harness.h"

#include "daemon/answer/metrics.h"

const char state_path[] = "test-metrics.state";
const char journal_path[] = "test-metrics.journal";

#define METRICS "test-metrics.prom"

/* Returns the whole file; "" if there is none. */
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

    begin_log_sources();
    metrics_write(&m, &core, &sources, now);
    end_log_sources();

    return metrics();
}

static void metrics_name_the_group(void **state)
{
    const char *text;

    (void)state;
    start_with_a_group();
    text = metrics_now();
    assert_non_null(strstr(text, "\nxensched_moved{domain=\"disk\","
                                 "domid=\"1\",group=\"web\"} 1\n"));
    assert_non_null(strstr(text, "\nxensched_service_share{domain=\"disk\","
                                 "domid=\"1\",group=\"web\"} 0."));
    assert_non_null(strstr(text, "from_domain=\"disk\",from_domid=\"1\","
                                 "to_domain=\"Domain-0\",to_domid=\"0\"} "));
    unlink(METRICS);
}

#define ROOT "test-metrics.root"

/* The hypervisor stays the same; Debian's package has @version. */
static void put_versions(const char *version)
{
    char command[1024];

    snprintf(command, sizeof(command),
             "cd " ROOT " 2>/dev/null || {"
             " mkdir -p " ROOT "/sys/hypervisor/version " ROOT "/boot"
             " " ROOT "/sys/hypervisor/properties"
             " " ROOT "/var/lib/xensched-hypervisor; cd " ROOT ";"
             " echo 4 >sys/hypervisor/version/major;"
             " echo 17 >sys/hypervisor/version/minor;"
             " echo xensched 4.17.5-1 >sys/hypervisor/properties/changeset;"
             " echo 4.17.7-1 >boot/schedlog-xen-4.17-amd64.version; };"
             " echo %s >var/lib/xensched-hypervisor/debian-4.17",
             version);
    assert_int_equal(system(command), 0);
}

static bool is_behind(const char *hypervisor, const char *built_from,
                      const char *debian, int behind)
{
    char line[256];

    snprintf(line, sizeof(line),
             "\nxensched_hypervisor_behind{hypervisor=\"%s\",built_from=\"%s\","
             "debian=\"%s\"} %d\n", hypervisor, built_from, debian, behind);

    return strstr(metrics(), line);
}

/* An upgrade of Debian's package while the daemon runs is in the next file. */
static void metrics_say_which_hypervisor_is_behind(void **state)
{
    struct metrics m = { .path = METRICS, .root = ROOT };

    (void)state;
    /* A failed run may have left the folder. */
    assert_int_equal(system("rm -rf " ROOT), 0);
    start(MODE_ADVISE);
    begin_log_sources();
    metrics_write(&m, &core, &sources, now);
    assert_null(strstr(metrics(), "hypervisor_behind"));
    put_versions("4.17.5-1");
    metrics_write(&m, &core, &sources, now + METRICS_EVERY_NS);
    assert_true(is_behind("running", "4.17.5-1", "4.17.5-1", 0));
    assert_true(is_behind("installed", "4.17.7-1", "4.17.5-1", 0));
    put_versions("4.17.7-1");
    metrics_write(&m, &core, &sources, now + 2 * METRICS_EVERY_NS);
    assert_true(is_behind("running", "4.17.5-1", "4.17.7-1", 1));
    assert_true(is_behind("installed", "4.17.7-1", "4.17.7-1", 0));
    end_log_sources();
    unlink(METRICS);
    assert_int_equal(system("rm -r " ROOT), 0);
}

/* Keeps the file for metrics.t, in which Prometheus reads it. */
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
    assert_true(metric("\nxensched_memory_ratio" OF_DISK ",node=\"1\"} ") == 1);
    assert_null(strstr(metrics(), "memory_ratio{domain=\"spin\""));
    /* These domains were not moved. */
    assert_null(strstr(metrics(), "at_place_ratio{domain=\"spin\""));
    assert_null(strstr(metrics(), "lever{domain=\"Domain-0\""));
}

/* DISK waits three times in four for SPIN, and once while its pCPU is idle. */
#define WAITING ",pair=preempt-delay/3/4/3/1000000,pair=wake-delay/3/1/1/1000000"

/* Time in the last minute for which Xen did not let DISK run. */
#define OFFLINE_NS 3000000000ULL

static void check_waits(void)
{
    double ready = metric("\nxensched_ready_ratio" OF_DISK "} ");
    double of_spin = metric("\nxensched_waits_for_ratio" OF_DISK
                            ",for_domain=\"spin\",for_domid=\"2\"} ");
    double of_xen = metric("\nxensched_waits_for_ratio" OF_DISK
                           ",for_domain=\"(xen)\",for_domid=\"\"} ");

    assert_in_range(1000 * (of_spin + of_xen), 995 * ready, 1005 * ready);
    assert_in_range(100 * of_spin / of_xen, 200, 400);
    assert_in_range(1e5 * metric("\nxensched_ready_cause_ratio" OF_DISK ",cause=\"preempted\"} "),
                    1e5 * of_spin - 2, 1e5 * of_spin + 2);
    /* The metrics cover ten of the 60 s. */
    assert_in_range(1e3 * (metric("\nxensched_blocked_ratio" OF_DISK "} ") + ready +
                           metric("\nxensched_service_share" OF_DISK "} ")),
                    1e3 * core.domains.domain[DISK].nr_vcpus - 1e-6 * OFFLINE_NS / 9,
                    1e3 * core.domains.domain[DISK].nr_vcpus - 1e-6 * OFFLINE_NS / 60);
    assert_in_range(1e5 * metric("\nxensched_ready_cause_ratio" OF_DISK ",cause=\"woken\"} "),
                    1e5 * of_xen - 2, 1e5 * of_xen + 2);
    assert_in_range(1e6 * metric("\nxensched_wake_delay_seconds" OF_DISK
                                 ",part=\"0.99\"} "), 500, 2000);
}

/* An unknown value is left out, not 0. */
static void metrics_leave_out_unknown_places(void **state)
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
    struct metrics m = { .path = METRICS, .root = ROOT };

    (void)state;
    put_versions("4.17.7-1");
    snprintf(domain(DISK)->name, sizeof(domain(DISK)->name), "d\\is\"k");
    settings.budget = 0.02;
    settings.soft_weight = 50;
    settings.policy_settings.lever = LEVER_SOFT;
    settings.policy_settings.misses = 0;
    fake_host_tells_memory(&host);
    domain(DISK)->frames[1] = 30000;
    choice_default(&settings.choice);
    start(MODE_ACT);
    core.logs.nr = 0; /* synthetic rows have one log buffer for all events */
    domain(DISK)->waited_ns = 1;
    run(5, SPREAD WAITING);
    domain(DISK)->offline_ns += OFFLINE_NS;
    run(5, SPREAD WAITING);
    begin_log_sources();
    metrics_write(&m, &core, &sources, now);
    end_log_sources();
    assert_true(strstr(metrics(), "\nxensched_mode{mode=\"act\"} 1\n"));
    assert_true(strstr(metrics(), "\nxensched_mode{mode=\"advise\"} 0\n"));
    assert_true(strstr(metrics(), "\nxensched_moves_total 1\n"));
    assert_true(strstr(metrics(), "\nxensched_moves_regretted_total 0\n"));
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
    check_waits();
    keep_metrics();
    metrics_remove(&m);
    assert_int_equal(access(METRICS, F_OK), -1);
    assert_int_equal(system("rm -r " ROOT), 0);
}

/* 16 domains share 14 numbers. */
static void sums_that_cannot_be_separated_name_no_domain(void **state)
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
                        "it has 1 vCPUs; there are too many domains to distinguish "
                        "it from others");
    assert_true(strstr(get(json, "/result/lines/2"), "mode advise"));
    json_object_put(json);

    begin_log_sources();
    metrics_write(&m, &core, &sources, now);
    end_log_sources();
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
    begin_log_sources();
    metrics_write(&m, &core, &sources, now);
    unlink(METRICS);
    metrics_write(&m, &core, &sources, now + METRICS_EVERY_NS - 1);
    assert_string_equal(metrics(), "");
    metrics_write(&m, &core, &sources, now + METRICS_EVERY_NS);
    assert_true(metrics()[0]);
    end_log_sources();
    unlink(METRICS);
}

static void metrics_that_cannot_be_written_stop_nothing(void **state)
{
    struct metrics m = { .path = "/nowhere/xensched.prom" };
    struct metrics none = { 0 };

    (void)state;
    start(MODE_ADVISE);
    begin_log_sources();
    metrics_write(&m, &core, &sources, now);
    assert_true(m.failed);
    metrics_write(&none, &core, &sources, now);
    metrics_remove(&none);

    /* The disk becomes full half way: the former file stays. */
    m.path = METRICS;
    metrics_write(&m, &core, &sources, now + METRICS_EVERY_NS);
    assert_false(m.failed);
    assert_int_equal(symlink("/dev/full", METRICS ".new"), 0);
    metrics_write(&m, &core, &sources, now + 2 * METRICS_EVERY_NS);
    assert_true(m.failed);
    assert_true(strstr(metrics(), "\n# EOF\n"));
    assert_int_equal(access(METRICS ".new", F_OK), -1);
    end_log_sources();
    unlink(METRICS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(metrics_name_the_group),
        core_test(metrics_leave_out_unknown_places),
        core_test(metrics_say_which_hypervisor_is_behind),
        core_test(metrics_are_what_status_and_matrix_say),
        core_test(sums_that_cannot_be_separated_name_no_domain),
        core_test(metrics_are_written_when_it_is_time),
        core_test(metrics_that_cannot_be_written_stop_nothing),
    };

    return run_tap_tests(tests);
}
