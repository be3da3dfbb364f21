/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks programs that come later to a source that is logging: the next daemon, after the former
 * one was killed, and readers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "fake-domctl.h"
#include "fake-xenstore.h"
#include "base/blocking-call.h"
#include "log-sources-world.h"

/* The daemon is killed, and started again. */

static void kill_daemon(void)
{
    log_sources_begin_anew(&sources, now); /* unmaps, and does nothing else */
    while (sources.nr) {
        struct log_source *f = sources.source[--sources.nr];

        validation_clear(&f->validation);
        free(f->numbers);
        free(f);
    }
    free(sources.source);
}

static void the_same_area_is_taken_over(void **state)
{
    (void)state;
    get_it_to_log();
    kill_daemon();
    assert_int_equal(mapped, 0);
    start_log_sources("ring-pages");
    wait_for(1);
    wait_for(1);
    assert_int_equal(driver()->state, LOG_SOURCE_READING);
    /* The routes of the dead daemon are gone. */
    emit(0, PAGES, DRIVER_ACCT, CLIENT_ACCT, 8);
    wait_for(1);
    assert_int_equal(total_of(PAGES, DRIVER_ACCT, CLIENT_ACCT), 8);
}

static void another_area_has_to_go_first(void **state)
{
    (void)state;
    get_it_to_log();
    kill_daemon();
    start_log_sources("ring-pages,ring-sectors");
    look();
    assert_null(request("version"));
    wait_for(3);
    assert_int_equal(driver()->state, LOG_SOURCE_ASKED);
    assert_null(request("version"));
    take_back();
    wait_for(2);
    assert_string_equal(request("sizes"), "262144 262144");
}

static void numbers_of_a_killed_daemon_are_removed(void **state)
{
    (void)state;
    fake_xs_put("9", "/local/domain/0/schedlog/acct/77");
    fake_xs_put("9", "/local/domain/3/schedlog/acct/77");
    log_sources_free(&sources);
    start_log_sources("ring-pages");
    look();
    assert_null(fake_xs_get("/local/domain/0/schedlog/acct/77"));
    assert_null(fake_xs_get("/local/domain/3/schedlog/acct/77"));
    assert_string_equal(fake_xs_get("/local/domain/0/schedlog/acct/3"), "3");
}

/* Other programs can read the log while it exists. */

static size_t rows_of(struct xensched_source *source)
{
    struct xensched_batch batch;
    size_t rows = 0;

    while (xensched_source_next(source, &batch, NULL) == XENSCHED_BATCH)
        rows += xensched_batch_rows(&batch);

    return rows;
}

static void others_can_look_on(void **state)
{
    struct xensched_source *domains, *linuxes;
    uint32_t size;

    (void)state;
    device.there = true;
    device.built = 1U << PAGES;
    get_it_to_log();
    /* The reader is another program, which may wait. */
    blocking_call_init(NULL, NULL);
    assert_int_equal(xensched_source_open("domain:3", NULL, &domains, NULL),
                     0);
    assert_int_equal(xensched_source_open("linux", NULL, &linuxes, NULL), 0);
    emit(1, PAGES, DRIVER_ACCT, CLIENT_ACCT, 8);
    emit(0, PAGES, OTHER_ACCT, DOM0_ACCT, 8);
    emit_dom0(CLIENT_ACCT, 8);
    assert_int_equal(rows_of(domains), 2);
    assert_int_equal(rows_of(linuxes), 1);
    wait_for(1);
    assert_int_equal(total_of(PAGES, DRIVER_ACCT, CLIENT_ACCT), 8);
    assert_int_equal(total_of(PAGES, DOM0_ACCT, CLIENT_ACCT), 8);
    assert_null(xensched_area_data(driver()->area, 2, 0, &size));
    xensched_source_close(domains);
    xensched_source_close(linuxes);
}

static void there_is_nothing_to_look_at_before_it_was_asked_for(void **state)
{
    struct xensched_source *source;
    struct xensched_error err;

    (void)state;
    blocking_call_init(NULL, NULL);
    assert_int_equal(xensched_source_open("domain:3", NULL, &source, &err),
                     -ENODATA);
    assert_non_null(strstr(err.text, "xenschedd"));
    assert_int_equal(xensched_source_open("linux", NULL, &source, &err),
                     -ENOENT);
    assert_non_null(strstr(err.text, "load the module xensched_log"));
    device.there = true;
    assert_int_equal(xensched_source_open("linux", NULL, &source, &err),
                     -ENODATA);
    look();
    assert_int_equal(xensched_source_open("domain:3", NULL, &source, &err),
                     -ENODATA);
    assert_int_equal(xensched_source_open("domain:", NULL, &source, &err),
                     -EINVAL);
    assert_int_equal(xensched_source_open("domain:32752", NULL, &source,
                                          &err), -EINVAL);
    assert_int_equal(xensched_source_open("linux:x", NULL, &source, &err),
                     -EINVAL);
}

/* Mapped pages would keep a dead domain in existence. */
static void a_source_ends_when_its_domain_has_died(void **state)
{
    struct xensched_source *source;
    struct xensched_batch batch;
    struct xensched_error err;

    (void)state;
    get_it_to_log();
    blocking_call_init(NULL, NULL);
    assert_int_equal(xensched_source_open("domain:3", NULL, &source, &err), 0);
    fake_domctl.dying = true;
    assert_int_equal(xensched_source_next(source, &batch, &err),
                     XENSCHED_IDLE);
    sleep(1);
    assert_int_equal(xensched_source_next(source, &batch, &err), -ESRCH);
    assert_non_null(strstr(err.text, "domain 3 is gone"));
    xensched_source_close(source);
    fake_domctl.dying = false;

    assert_int_equal(xensched_source_open("domain:3", NULL, &source, &err), 0);
    take_back();
    sleep(1);
    assert_int_equal(xensched_source_next(source, &batch, &err), -ENODATA);
    assert_non_null(strstr(err.text, "given its log up"));
    xensched_source_close(source);
}

/* Readers of logs must not burden xenstored. */
static void reading_a_log_asks_xenstore_once_a_second(void **state)
{
    struct xensched_source *source;
    struct xensched_batch batch;
    struct xensched_error err;
    unsigned int reads, i;

    (void)state;
    get_it_to_log();
    blocking_call_init(NULL, NULL);
    assert_int_equal(xensched_source_open("domain:3", NULL, &source, &err), 0);
    reads = fake_xs.reads + fake_xs.transactions;
    sleep(1);
    for (i = 0; i < 100; i++)
        assert_int_equal(xensched_source_next(source, &batch, &err),
                         XENSCHED_IDLE);
    assert_int_equal(fake_xs.reads + fake_xs.transactions - reads, 1);
    xensched_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        log_sources_test(the_same_area_is_taken_over),
        log_sources_test(another_area_has_to_go_first),
        log_sources_test(numbers_of_a_killed_daemon_are_removed),
        log_sources_test(others_can_look_on),
        log_sources_test(there_is_nothing_to_look_at_before_it_was_asked_for),
        log_sources_test(a_source_ends_when_its_domain_has_died),
        log_sources_test(reading_a_log_asks_xenstore_once_a_second),
    };

    return run_tap_tests(tests);
}
