/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks what dom0's back end does for each guest, from files as Linux has them: sectors become
 * pages of the right pair, each page once, only whole pages, and pages of segments are included.
 *
 * Fails if all that a new disk ever did counts as new, if another disk under the same name makes a
 * number negative, or if a domain without an accounting domain is charged.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka-tap.h"

#include "daemon/sources/disk-counters.h"

#define SECOND 1000000000ULL

static char folder[] = "/tmp/test-disks.XXXXXX";
static struct disks disks;
static struct matrix *matrix;
static struct domain domain[] = {
    { .domid = 0, .acct = 7 }, { .domid = 3, .acct = 9 },
    { .domid = 4, .acct = XEN_SCHEDLOG_ACCT_XEN },
};
static struct domains domains = { .nr = 3, .domain = domain };
static uint64_t now;

static void write_file(const char *device, const char *name, uint64_t number)
{
    char path[200];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, device);
    mkdir(path, 0700);
    snprintf(path, sizeof(path), "%s/%s/statistics", folder, device);
    mkdir(path, 0700);
    snprintf(path, sizeof(path), "%s/%s/statistics/%s", folder, device, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%llu\n", (unsigned long long)number);
    fclose(file);
}

/* Writes a disk's sectors, and as many requests as they need, a page each. */
static void disk(const char *device, uint64_t got, uint64_t put)
{
    write_file(device, "rd_sect", got);
    write_file(device, "rd_req", (got + 7) / 8);
    write_file(device, "wr_sect", put);
    write_file(device, "wr_req", (put + 7) / 8);
}

static void look(void)
{
    disks_read(&disks, &domains, matrix, now += SECOND);
}

static uint64_t total;
static unsigned int pairs;

static void count(const struct matrix_entry *entry, void *arg)
{
    (void)arg;
    assert_int_equal(entry->event, XEN_SCHEDLOG_EV_RING_PAGES);
    assert_int_equal(entry->current, 7);
    assert_int_equal(entry->correspondent, 9);
    total += entry->total;
    pairs++;
}

static uint64_t pages(void)
{
    total = pairs = 0;
    matrix_visit(matrix, now, count, NULL);

    return total;
}

static int begin(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/test-disks.XXXXXX");
    assert_non_null(mkdtemp(folder));
    disks_init(&disks);
    disks.vbds.folder = folder;
    matrix = matrix_new(SECOND);
    now = SECOND;

    return 0;
}

static int end(void **state)
{
    char command[100];

    (void)state;
    disks_free(&disks);
    matrix_free(matrix);
    snprintf(command, sizeof(command), "rm -r %s", folder);

    return system(command);
}

static void earlier_requests_are_not_counted(void **state)
{
    (void)state;
    disk("vbd-3-51712", 800000, 80);
    look();
    assert_int_equal(pages(), 0);
    disk("vbd-3-51712", 800800, 160);
    look();
    assert_int_equal(pages(), 110);
    look();
    assert_int_equal(pages(), 110);
}

static void parts_of_pages_come_later(void **state)
{
    unsigned int i;

    (void)state;
    disk("vbd-3-51712", 0, 0);
    look();
    for (i = 1; i <= 16; i++) {
        disk("vbd-3-51712", i, 0);
        look();
    }
    assert_int_equal(pages(), 2);
}

/* Reports all that was read, in this number of requests. */
static void look_at_reads(uint64_t all_pages, uint64_t requests)
{
    disk("vbd-3-51712", all_pages * 8, 0);
    write_file("vbd-3-51712", "rd_req", requests);
    look();
}

/* Linux counts requests before their sectors, so a poll may find one more. */
static void requests_under_way_are_not_lost(void **state)
{
    (void)state;
    look_at_reads(0, 0);
    look_at_reads(10 * 32, 11);
    look_at_reads(30 * 32, 30);
    assert_int_equal(pages(), 30 * 33);
    look_at_reads(30 * 32, 31);
    look_at_reads(31 * 32, 31);
    assert_int_equal(pages(), 31 * 33);
}

static void a_page_of_two_reads_is_counted_once(void **state)
{
    (void)state;
    look_at_reads(0, 0);
    look_at_reads(80, 81);
    look_at_reads(300, 300);
    assert_int_equal(pages(), 300);
}

/* Each direction is computed alone: one has large requests, the other one none. */
static void large_requests_have_a_page_of_segments(void **state)
{
    (void)state;
    disk("vbd-3-51712", 0, 0);
    look();
    disk("vbd-3-51712", 10 * 11 * 8, 500 * 8);
    write_file("vbd-3-51712", "rd_req", 10);
    look();
    assert_int_equal(pages(), 10 * 11 + 500);
    disk("vbd-3-51712", 10 * (11 + 12) * 8, 1000 * 8);
    write_file("vbd-3-51712", "rd_req", 20);
    look();
    assert_int_equal(pages(), 10 * (11 + 13) + 1000);
}

/*
 * Each poll finds three requests of 40 pages, of which about one is large.  A remainder carries
 * over to the next poll.
 */
static void mixed_sizes_are_estimated(void **state)
{
    unsigned int i;
    uint64_t data = 300 * 40;

    (void)state;
    for (i = 0; i <= 300; i++)
        look_at_reads(40 * i, 3 * i);
    assert_in_range(pages(), data + 300 * 1.2, data + 300 * 1.8);
}

static void two_disks_are_one_pair(void **state)
{
    (void)state;
    disk("vbd-3-51712", 0, 0);
    disk("vbd-3-51728", 0, 0);
    look();
    disk("vbd-3-51712", 8, 0);
    disk("vbd-3-51728", 0, 16);
    look();
    assert_int_equal(pages(), 3);
    assert_int_equal(pairs, 1);
}

static void another_disk_of_the_name(void **state)
{
    (void)state;
    disk("vbd-3-51712", 800, 0);
    look();
    disk("vbd-3-51712", 0, 0);
    look();
    assert_int_equal(pages(), 0);
    disk("vbd-3-51712", 8, 0);
    look();
    assert_int_equal(pages(), 1);
}

static void a_domain_without_a_number_is_not_counted(void **state)
{
    (void)state;
    disk("vbd-4-51712", 0, 0);
    disk("vbd-5-51712", 0, 0);
    look();
    disk("vbd-4-51712", 80, 0);
    disk("vbd-5-51712", 80, 0);
    look();
    assert_int_equal(pages(), 0);
}

static void other_devices_are_none(void **state)
{
    (void)state;
    disk("vif-3-0", 0, 0);
    disk("vbd-3-51712x", 0, 0);
    look();
    disk("vif-3-0", 80, 0);
    disk("vbd-3-51712x", 80, 0);
    look();
    assert_int_equal(pages(), 0);
}

static void not_more_often_than_it_is_worth(void **state)
{
    (void)state;
    disk("vbd-3-51712", 0, 0);
    look();
    disk("vbd-3-51712", 80, 0);
    disks_read(&disks, &domains, matrix, now + 1);
    assert_int_equal(pages(), 0);
    look();
    assert_int_equal(pages(), 10);
}

/* A log that had the requests has ended. */
static void forgotten_it_begins_anew(void **state)
{
    (void)state;
    disk("vbd-3-51712", 0, 0);
    look();
    disks_forget(&disks);
    disk("vbd-3-51712", 80, 0);
    look();
    assert_int_equal(pages(), 0);
}

static void no_folder_no_disks(void **state)
{
    (void)state;
    disks.vbds.folder = "/nowhere";
    look();
    assert_int_equal(pages(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
        TEST(earlier_requests_are_not_counted),
        TEST(parts_of_pages_come_later),
        TEST(requests_under_way_are_not_lost),
        TEST(a_page_of_two_reads_is_counted_once),
        TEST(large_requests_have_a_page_of_segments),
        TEST(mixed_sizes_are_estimated),
        TEST(two_disks_are_one_pair),
        TEST(another_disk_of_the_name),
        TEST(a_domain_without_a_number_is_not_counted),
        TEST(other_devices_are_none),
        TEST(not_more_often_than_it_is_worth),
        TEST(forgotten_it_begins_anew),
        TEST(no_folder_no_disks),
    };

    return run_tap_tests(tests);
}
