/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks guests as sources: which guests the daemon asks, for which events, and which of their rows
 * it uses; see log-sources-world.h.  Here the driver domain is a guest, whose back ends are OTHER
 * and dom0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "fake-xenstore.h"
#include "log-sources-world.h"

#include "base/blocking-call.h"

#define GUEST_ACCT DRIVER_ACCT
#define IO EV(PROCESS_IO)
#define ALL_EVENTS "3758096384" /* guest-name, guest-request, process-io */

static int setup_guest(void **state)
{
    int rc = setup(state);

    log_sources_free(&sources);
    host.world->domains[DRIVER].clients = 0;
    host.world->domains[DRIVER].logs = true;
    host.world->domains[0].clients = 1U << DRIVER | 1U << CLIENT;
    host.world->domains[OTHER].clients = 1U << DRIVER;
    cpu_pages = 1 + 1 + 16 + 64;
    first_size = 64U << 10;
    events_built = ALL_EVENTS;
    start_log_sources("process-io");

    return rc;
}

/* The guest makes this row; the matrix must have its sum after that. */
static void ask(uint32_t pid, uint16_t current, uint16_t back_end,
                uint64_t sectors)
{
    emit(0, IO, current, back_end,
         pid | sectors << XEN_SCHEDLOG_SECTORS_SHIFT);
}

static uint64_t asked(uint32_t pid, uint16_t back_end)
{
    const struct processes *p = driver()->processes;
    unsigned int i;

    for (i = 0; i < PROCESSES_MAX; i++)
        if (p->io[i].at_ns && p->io[i].pid == pid &&
            p->io[i].back_end == back_end)
            return p->io[i].total;

    return 0;
}

static unsigned int pairs(void)
{
    const struct processes *p = driver()->processes;
    unsigned int i, nr = 0;

    for (i = 0; i < PROCESSES_MAX; i++)
        nr += p->io[i].at_ns != 0;

    return nr;
}

static const char *number_of(uint32_t domid)
{
    return fake_xs_get("/local/domain/%u/schedlog/acct/%u", DRIVER, domid);
}

static void a_guest_is_asked_for_what_it_may_tell(void **state)
{
    (void)state;
    look();
    assert_int_equal(driver()->state, LOG_SOURCE_ASKED);
    assert_string_equal(request("sizes"), "65536 262144");
    assert_string_equal(request("events"), "0");
    /* The guest needs only the numbers of domains that serve it. */
    assert_string_equal(number_of(DRIVER), "3");
    assert_string_equal(number_of(0), "2");
    assert_string_equal(number_of(OTHER), "5");
    assert_null(number_of(CLIENT));
    answer();
    wait_for(1);
    assert_int_equal(driver()->state, LOG_SOURCE_READING);
    assert_string_equal(request("events"), ALL_EVENTS);
    answer();

    ask(100, GUEST_ACCT, DOM0_ACCT, 8);
    ask(100, GUEST_ACCT, DOM0_ACCT, 8);
    ask(200, GUEST_ACCT, OTHER_ACCT, 24);
    emit(1, IO, GUEST_ACCT, XEN_SCHEDLOG_ACCT_NONE, 100 | 0x63ULL << 24);
    emit(1, IO, GUEST_ACCT, XEN_SCHEDLOG_ACCT_NONE, 100 | 2U << 22);
    wait_for(1);
    assert_int_equal(asked(100, DOM0_ACCT), 16);
    assert_int_equal(asked(200, OTHER_ACCT), 24);
    assert_int_equal(pairs(), 2);
    assert_string_equal(processes_name(driver()->processes, 100), "c");
    assert_int_equal(driver()->refused, 0);
    /* The matrix has only rows of the hypervisor. */
    assert_int_equal(matrix_size(core.matrix), 1);

    log_sources_free(&sources);
    assert_null(request("version"));
    assert_null(number_of(DRIVER));
    assert_int_equal(mapped, 0);
    start_log_sources("none");
}

static void a_guest_is_believed_about_itself_only(void **state)
{
    (void)state;
    get_it_to_log();
    ask(100, GUEST_ACCT, DOM0_ACCT, 8);
    ask(100, GUEST_ACCT, CLIENT_ACCT, 8);
    ask(100, GUEST_ACCT, 77, 8);
    ask(100, OTHER_ACCT, DOM0_ACCT, 8);
    ask(100, DOM0_ACCT, GUEST_ACCT, 8);
    ask(100, OTHER_ACCT, XEN_SCHEDLOG_ACCT_NONE, 8);
    ask(100, GUEST_ACCT, DOM0_ACCT, VALIDATION_MAX_SECTORS + 1);
    emit(0, PAGES, GUEST_ACCT, DOM0_ACCT, 8);
    emit(0, PAGES, OTHER_ACCT, GUEST_ACCT, 8);
    emit(0, EV(EVTCHN_SEND), GUEST_ACCT, OTHER_ACCT, 8);
    emit(0, EV(GUEST_REQUEST), GUEST_ACCT, DOM0_ACCT, 8);
    wait_for(1);
    assert_int_equal(asked(100, DOM0_ACCT), 8);
    assert_int_equal(pairs(), 1);
    assert_int_equal(driver()->refused, 10);
    assert_int_equal(matrix_size(core.matrix), 1);
    assert_int_equal(driver()->state, LOG_SOURCE_READING);
    assert_non_null(strstr(driver()->reason, "about other domains"));
}

static void whatever_it_says_there_is_room_for_so_much(void **state)
{
    unsigned int i, j;

    (void)state;
    get_it_to_log();
    for (i = 0; i < 20; i++) {
        for (j = 0; j < 1000; j++)
            ask(1000 * i + j, GUEST_ACCT, DOM0_ACCT, 8);
        wait_for(1);
    }
    assert_int_equal(pairs(), PROCESSES_MAX);
    assert_true(driver()->processes->replaced > 15000);
}

/* The agent reads that log buffer; the daemon ignores its errors. */
static void preliminary_rows_are_not_read(void **state)
{
    struct xen_schedlog_state *s;
    struct xensched_source_stats stats;

    (void)state;
    get_it_to_log();
    s = (void *)page(CPU_FRAME(0) + 1);
    s[1] = (struct xen_schedlog_state){
        .pos = 12345, .layout_pos = 1 << 20, .lcr = 3, .row_size = 5,
        .layout_seq = 2,
    };
    ask(100, GUEST_ACCT, DOM0_ACCT, 8);
    wait_for(20);
    assert_int_equal(driver()->state, LOG_SOURCE_READING);
    log_source_stats(driver(), &stats);
    assert_int_equal(stats.rows, 1);
    assert_int_equal(stats.nonsense, 0);
}

static uint64_t route_of(unsigned int event)
{
    return ((uint64_t *)page(GLOBAL + 1))[GUEST_ACCT * XEN_SCHEDLOG_NR_EVENTS +
                                          event];
}

/* A guest's routes have no thresholds: each name and each request counts. */
static void each_row_of_a_guest_counts(void **state)
{
    const uint64_t file_1 = 1ULL << XEN_SCHEDLOG_ROUTE_FILE_SHIFT;

    (void)state;
    log_sources_free(&sources);
    start_log_sources("guest-name:10,process-io");
    get_it_to_log();
    assert_true(route_of(IO) == (XEN_SCHEDLOG_ROUTE_VALID | 1));
    assert_true(route_of(EV(GUEST_NAME)) ==
                (XEN_SCHEDLOG_ROUTE_VALID | file_1 | 1));
    assert_true(route_of(EV(GUEST_REQUEST)) ==
                (XEN_SCHEDLOG_ROUTE_VALID | file_1 | 1));
    assert_true(route_of(PAGES) == 0);
}

static void nothing_is_on_where_no_agent_runs(void **state)
{
    (void)state;
    events_built = "1610612736"; /* guest-name, guest-request */
    get_it_to_log();
    assert_string_equal(request("events"), "0");
    assert_non_null(strstr(driver()->reason, "xensched-agent"));

    advertise("events-built", ALL_EVENTS);
    wait_for(1);
    assert_string_equal(request("events"), ALL_EVENTS);
    assert_string_equal(driver()->reason, "");
    answer();
    ask(100, GUEST_ACCT, DOM0_ACCT, 8);
    wait_for(1);
    assert_int_equal(asked(100, DOM0_ACCT), 8);
}

static void a_guest_that_may_not_be_read_is_not_asked(void **state)
{
    (void)state;
    host.world->domains[DRIVER].logs = false;
    look();
    assert_null(driver());
    assert_null(request("version"));
    host.world->domains[DRIVER].logs = true;
    get_it_to_log();
    assert_null(source_named("domain:4"));

    host.world->domains[DRIVER].logs = false;
    look();
    assert_null(driver());
    assert_null(request("version"));
    assert_int_equal(mapped, 0);
}

/* A domain that serves others is read as a driver domain. */
static void a_driver_domain_is_not_asked_for_its_processes(void **state)
{
    (void)state;
    host.world->domains[DRIVER].clients = 1U << CLIENT;
    look();
    assert_null(driver());
    log_sources_free(&sources);
    start_log_sources("ring-pages,process-io");
    look();
    assert_int_equal(driver()->producer, LINUX);
    assert_string_equal(request("sizes"), "262144");
    assert_string_equal(number_of(CLIENT), "4");
    assert_string_equal(number_of(DRIVER), "3");
    assert_null(number_of(OTHER));

    host.world->domains[DRIVER].clients = 0;
    look();
    assert_int_equal(driver()->producer, GUEST);
    assert_string_equal(request("sizes"), "65536 262144");
    assert_string_equal(number_of(DRIVER), "3");
    assert_string_equal(number_of(OTHER), "5");
    assert_null(number_of(CLIENT));
}

static void a_log_with_another_reader_is_left_alone(void **state)
{
    (void)state;
    fake_xs_put("134217728", "/local/domain/3/schedlog/area/events");
    look();
    wait_for(2);
    assert_null(driver());
    assert_null(request("version"));
    assert_null(number_of(DRIVER));
    assert_string_equal(fake_xs_get("/local/domain/3/schedlog/area/events"),
                        "134217728");

    /* The lease has ended, as that of a killed daemon. */
    fake_xs_put("0", "/local/domain/3/schedlog/area/events");
    look();
    assert_int_equal(driver()->state, LOG_SOURCE_ASKED);
    get_it_to_log();
    /* Events that this daemon turned on do not show another reader. */
    wait_for(40);
    assert_int_equal(driver()->state, LOG_SOURCE_READING);
}

static int check_xenstore(void *err)
{
    return xenstore_check(xs, err);
}

/* As long as xenstored does not answer, another program may read the log. */
static void a_log_of_which_xenstored_says_nothing_is_left_alone(void **state)
{
    struct xensched_error err;

    (void)state;
    fake_xs_put("134217728", "/local/domain/3/schedlog/area/events");
    look();
    assert_null(driver());
    fake_xs_die();
    look();
    assert_null(driver());
    assert_int_equal(blocking_call(check_xenstore, &err), XENSTORE_ANEW);
    look();
    assert_null(driver());
    assert_null(request("version"));
}

/* Counts the lines of @log with @words. */
static unsigned int log_lines_with(FILE *log, const char *words)
{
    unsigned int lines = 0;
    char line[500];

    rewind(log);
    while (fgets(line, sizeof(line), log))
        lines += !!strstr(line, words);

    return lines;
}

/* Makes guests 100, 101... that allow their logs to be read. */
static void look_at_guests(unsigned int nr)
{
    struct domains domains = {
        .nr = nr, .domain = calloc(nr, sizeof(*domains.domain)),
    };
    unsigned int i;

    for (i = 0; i < nr; i++) {
        domains.domain[i].domid = 100 + i;
        domains.domain[i].acct = XEN_SCHEDLOG_ACCT_REST;
        domains.domain[i].logs = true;
        snprintf(domains.domain[i].uuid, sizeof(domains.domain[i].uuid),
                 "%u", i);
    }
    now += SECOND;
    log_sources_look(&sources, &domains, now);
    free(domains.domain);
}

static void guests_without_room_are_named(void **state)
{
    FILE *log = tmpfile();
    int terminal = dup(STDERR_FILENO);

    (void)state;
    dup2(fileno(log), STDERR_FILENO);
    look_at_guests(64);
    assert_int_equal(log_lines_with(log, "left out"), 0);
    look_at_guests(66);
    look_at_guests(67);
    dup2(terminal, STDERR_FILENO);
    close(terminal);
    assert_int_equal(log_lines_with(log, "domain:164: left out, as 64 guests"), 1);
    assert_int_equal(log_lines_with(log, "left out"), 1);
    fclose(log);
}

static void the_rates_of_a_guest_end_with_it(void **state)
{
    (void)state;
    get_it_to_log();
    ask(100, GUEST_ACCT, DOM0_ACCT, 8);
    ask(100, GUEST_ACCT, OTHER_ACCT, 8);
    wait_for(1);
    assert_int_equal(pairs(), 2);
    host.world->domains[OTHER].clients = 0;
    look();
    assert_int_equal(pairs(), 1);
    ask(100, GUEST_ACCT, OTHER_ACCT, 8);
    wait_for(1);
    assert_int_equal(pairs(), 1);
    assert_int_equal(driver()->refused, 1);
}

#define guest_test(f) cmocka_unit_test_setup_teardown(f, setup_guest, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        guest_test(a_guest_is_asked_for_what_it_may_tell),
        guest_test(a_guest_is_believed_about_itself_only),
        guest_test(whatever_it_says_there_is_room_for_so_much),
        guest_test(preliminary_rows_are_not_read),
        guest_test(each_row_of_a_guest_counts),
        guest_test(nothing_is_on_where_no_agent_runs),
        guest_test(a_guest_that_may_not_be_read_is_not_asked),
        guest_test(a_driver_domain_is_not_asked_for_its_processes),
        guest_test(a_log_with_another_reader_is_left_alone),
        guest_test(a_log_of_which_xenstored_says_nothing_is_left_alone),
        guest_test(guests_without_room_are_named),
        guest_test(the_rates_of_a_guest_end_with_it),
    };

    return run_tap_tests(tests);
}
