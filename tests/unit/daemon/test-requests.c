/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that xenschedd learns what dom0's disks do from the module's log, or else from Linux's
 * statistics.  Fails if it counts both, or neither.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "log-sources-world.h"

/* Stands in for the folder with Linux's disks. */

static char folder[40];

static void write_number(const char *way, const char *name, uint64_t number)
{
    char path[100];
    FILE *file;

    snprintf(path, sizeof(path), "%s/vbd-4-51712/statistics/%s_%s", folder, way,
             name);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%llu\n", (unsigned long long)number);
    fclose(file);
}

/* Each page was a request. */
static void moved(const char *way, uint64_t pages)
{
    write_number(way, "sect", 8 * pages);
    write_number(way, "req", pages);
}

static void make_disk(void)
{
    char path[100];

    snprintf(path, sizeof(path), "%s/vbd-4-51712", folder);
    mkdir(path, 0700);
    strcat(path, "/statistics");
    mkdir(path, 0700);
    moved("rd", 0);
    moved("wr", 0);
}

static void remove_disk(void)
{
    char command[100];

    snprintf(command, sizeof(command), "rm -rf %s/vbd-4-51712", folder);
    assert_int_equal(system(command), 0);
}

static int begin(void **state)
{
    strcpy(folder, "/tmp/test-requests.XXXXXX");
    assert_non_null(mkdtemp(folder));
    if (setup(state))
        return -1;
    sources.disks.vbds.folder = folder;

    return 0;
}

static int end(void **state)
{
    int rc = teardown(state);

    remove_disk();

    return rc || rmdir(folder);
}

/* The statistics use the core's domains, as after its first plan. */
static void let_it_know_domains(void)
{
    struct xensched_error err;

    assert_int_equal(core_bind_new(&core, &core.domains, now, &err), 0);
}

static uint64_t pages(void)
{
    return total_of(PAGES, DOM0_ACCT, CLIENT_ACCT);
}

static void statistics_have_what_the_disks_do(void **state)
{
    (void)state;
    let_it_know_domains();
    make_disk();
    wait_for(1);
    moved("wr", 5);
    moved("rd", 34);
    wait_for(1);
    assert_int_equal(pages(), 39);
}

static void the_log_of_the_module_comes_first(void **state)
{
    (void)state;
    let_it_know_domains();
    make_disk();
    wait_for(1);
    device.there = true;
    device.built = 1U << PAGES;
    wait_for(6);
    assert_int_equal(source_named("linux")->state, LOG_SOURCE_READING);
    emit_dom0(CLIENT_ACCT, 7);
    moved("wr", 7);
    wait_for(1);
    assert_int_equal(pages(), 7);
}

/* The module may be loaded for threads alone. */
static void a_module_without_requests_leaves_them_to_statistics(void **state)
{
    (void)state;
    let_it_know_domains();
    device.there = true;
    make_disk();
    wait_for(6);
    assert_int_equal(source_named("linux")->state, LOG_SOURCE_READING);
    moved("wr", 3);
    wait_for(1);
    assert_int_equal(pages(), 3);
}

static void without_the_event_no_disk_is_read(void **state)
{
    (void)state;
    log_sources_free(&sources);
    start_log_sources("evtchn-send,ring-sectors");
    sources.disks.vbds.folder = folder;
    let_it_know_domains();
    make_disk();
    wait_for(1);
    moved("wr", 5);
    wait_for(1);
    assert_int_equal(pages(), 0);
}

#define requests_test(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        requests_test(statistics_have_what_the_disks_do),
        requests_test(the_log_of_the_module_comes_first),
        requests_test(a_module_without_requests_leaves_them_to_statistics),
        requests_test(without_the_event_no_disk_is_read),
    };

    return run_tap_tests(tests);
}
