/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the journal: whatever happens, each accepted entry is in one of its files as a whole line,
 * in order, and the files keep to their size.
 *
 * A child process plays the daemon and dies before or after each system call of a rotation, and in
 * the middle of a line.  The same tests run with errors in place of deaths, and with a disk that is
 * full and then has space again.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "step.h"

#include "daemon/act/journal.h"

#define PATH  "test-journal.tmp"
#define LIMIT 1400U
#define NR    100U /* entries; more than all files together hold */
#define SOME  70U  /* slightly more than all files together hold */

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode)
    WRAP(open, (path, flags, mode))

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to)
    WRAP(rename, (from, to))

/* A step can also be in the middle of a line. */
ssize_t __real_writev(int fd, const struct iovec *part, int nr);
ssize_t __wrap_writev(int fd, const struct iovec *part, int nr);
ssize_t __wrap_writev(int fd, const struct iovec *part, int nr)
{
    ssize_t rc = -1;

    if (step->nr + 1 == step->at)
        rc = write(fd, part[1].iov_base, part[1].iov_len / 2);
    if (is_time())
        return rc;
    rc = __real_writev(fd, part, nr);
    if (!step->error)
        is_time();

    return rc;
}

static struct journal journal;

static void open_journal(uint64_t limit)
{
    struct xensched_error err;

    assert_int_equal(journal_open(&journal, PATH, limit, &err), 0);
}

static void put(unsigned int number)
{
    json_object *details = json_object_new_object();

    json_object_object_add(details, "number", json_object_new_int(number));
    journal_write(&journal, "test", details);
    step->done = number + 1;
}

static void put_all(unsigned int first, unsigned int end)
{
    while (first < end)
        put(first++);
}

static void remove_all(void)
{
    unlink(PATH);
    unlink(PATH ".1");
    unlink(PATH ".2");
    unlink(PATH ".3");
    unlink(PATH ".4");
    unlink(PATH ".new");
}

static int setup(void **state)
{
    (void)state;
    step = mmap(NULL, sizeof(*step), PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(step != MAP_FAILED);
    remove_all();

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    remove_all();
    munmap(step, sizeof(*step));

    return 0;
}

/* The contents of the files, oldest first. */
static struct {
    unsigned int nr;          /* entries with a number */
    int number[NR + 10];
    unsigned int torn;        /* lines which are no entry */
    unsigned int missing;     /* number of missing entries, according to the journal */
} found;

static void take_line(const char *line)
{
    json_object *json = json_tokener_parse(line), *value;

    if (json_object_is_type(json, json_type_object) &&
        json_object_object_get_ex(json, "number", &value)) {
        assert_true(found.nr < NR + 10);
        found.number[found.nr++] = json_object_get_int(value);
    } else if (json_object_is_type(json, json_type_object) &&
               json_object_object_get_ex(json, "entries", &value)) {
        found.missing += json_object_get_int(value);
    } else {
        found.torn++;
    }
    json_object_put(json);
}

static void look(uint64_t limit)
{
    static const char *const names[] = {
        PATH ".3", PATH ".2", PATH ".1", PATH,
    };
    char line[500];
    unsigned int i;

    memset(&found, 0, sizeof(found));
    for (i = 0; i < 4; i++) {
        FILE *f = fopen(names[i], "r");

        if (!f)
            continue;
        while (fgets(line, sizeof(line), f))
            take_line(line);
        assert_true(!limit || (uint64_t)ftell(f) <= limit);
        fclose(f);
    }
    assert_int_not_equal(access(PATH ".4", F_OK), 0);
}

/* Fails unless all entries are there, from the oldest that is left to the last accepted one. */
static void complete(unsigned int end)
{
    unsigned int i;

    assert_true(found.nr > 0);
    assert_int_equal(found.number[found.nr - 1], end - 1);
    for (i = 1; i < found.nr; i++)
        assert_int_equal(found.number[i], found.number[i - 1] + 1);
}

static void files_stay_small_and_nothing_is_lost_between_them(void **state)
{
    struct stat st;

    (void)state;
    open_journal(LIMIT);
    put_all(0, NR);
    journal_close(&journal);
    look(LIMIT);
    complete(NR);
    assert_int_equal(found.torn, 0);
    /* There are three old files, and they are full. */
    assert_int_equal(stat(PATH ".3", &st), 0);
    assert_true(st.st_size > (int)LIMIT * 8 / 10);
    assert_true(found.nr >= 3 * (LIMIT / 100));
}

static void without_a_limit_there_is_one_file(void **state)
{
    (void)state;
    open_journal(0);
    put_all(0, NR);
    journal_close(&journal);
    look(0);
    complete(NR);
    assert_int_equal(found.nr, NR);
    assert_int_not_equal(access(PATH ".1", F_OK), 0);
}

static void another_start_goes_on(void **state)
{
    unsigned int i;

    (void)state;
    for (i = 0; i < NR; i++) {
        open_journal(LIMIT);
        put(i);
        journal_close(&journal);
    }
    look(LIMIT);
    complete(NR);
    assert_int_equal(found.torn, 0);
}

/* Returns false if the child ended before the step. */
static bool killed_at(unsigned int at)
{
    pid_t child;
    int status;

    remove_all();
    memset(step, 0, sizeof(*step));
    step->at = at;
    child = fork();
    assert_true(child >= 0);
    if (!child) {
        open_journal(LIMIT);
        put_all(0, SOME);
        journal_close(&journal);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));

    return WEXITSTATUS(status) == 99;
}

static void killed_anywhere_it_loses_nothing(void **state)
{
    unsigned int at, taken, i;

    (void)state;
    for (at = 1; killed_at(at); at++) {
        step->at = 0;
        taken = step->done;
        open_journal(LIMIT);
        put(1000);
        journal_close(&journal);
        look(LIMIT);
        /* Half of a line, or a line that was not counted yet. */
        assert_true(found.torn <= 1);
        assert_int_equal(found.number[--found.nr], 1000);
        if (found.nr && found.number[found.nr - 1] == (int)taken)
            found.nr--;
        if (taken) {
            complete(taken);
            for (i = found.nr; i < taken && i < 3 * (LIMIT / 110); i++)
                fail_msg("entry lost when killed at step %u", at);
        }
    }
    /* The child died at each line, and at each step of a rotation. */
    assert_true(at > 2 * (SOME + 16));
    look(LIMIT);
    complete(SOME);
}

static void a_failure_anywhere_loses_nothing(void **state)
{
    static const int errors[] = { ENOSPC, EACCES, EIO };
    unsigned int at, i;

    (void)state;
    for (i = 0; i < 3; i++)
        for (at = 2; at < 150; at++) {
            remove_all();
            memset(step, 0, sizeof(*step));
            open_journal(LIMIT);
            step->nr = 0;
            step->at = at;
            step->error = errors[i];
            put_all(0, NR / 2);
            step->at = 0;
            put(NR / 2);
            journal_close(&journal);
            look(0);
            assert_int_equal(found.torn, 0);
            assert_true(found.missing <= 1);
            assert_int_equal(found.number[found.nr - 1], NR / 2);
            assert_int_equal(found.nr + found.missing,
                             NR / 2 + 1 - found.number[0]);
        }
}

static void limit_files(rlim_t size)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_full_disk_cuts_no_entry_and_is_told_afterwards(void **state)
{
    json_object *latest;

    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    open_journal(0);
    limit_files(LIMIT);
    put_all(0, 20);
    limit_files(RLIM_INFINITY);
    latest = journal_latest(&journal, 20);
    assert_int_equal(json_object_array_length(latest), 20);
    json_object_put(latest);
    look(LIMIT);
    assert_int_equal(found.torn, 0);
    assert_in_range(found.nr, 10, 19);
    complete(found.nr);
    put_all(20, 22);
    journal_close(&journal);
    look(0);
    assert_int_equal(found.torn, 0);
    assert_int_equal(found.number[found.nr - 1], 21);
    assert_int_equal(found.missing, 20 - (found.nr - 2));
}

/* A power cut leaves half of a line. */
static void half_a_line_is_ended_first(void **state)
{
    FILE *f = fopen(PATH, "w");

    (void)state;
    assert_non_null(f);
    fputs("{\"number\":0}\n{\"numb", f);
    fclose(f);
    open_journal(LIMIT);
    put_all(1, 3);
    journal_close(&journal);
    look(LIMIT);
    assert_int_equal(found.torn, 1);
    assert_int_equal(found.nr, 3);
    complete(3);
}

static void a_name_that_is_no_file_is_not_renamed(void **state)
{
    struct xensched_error err;
    json_object *latest;
    struct stat st;

    (void)state;
    assert_int_equal(journal_open(&journal, "/dev/full", 10, &err), 0);
    put_all(0, 5);
    latest = journal_latest(&journal, 10);
    assert_int_equal(json_object_array_length(latest), 5);
    json_object_put(latest);
    journal_close(&journal);
    assert_int_equal(stat("/dev/full", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
}

/* Fails unless the journal has @nr entries about the domain with UUID @uuid. */
static void is_about(const char *uuid, unsigned int nr, int first, int last)
{
    json_object *array = journal_about(&journal, uuid);

    assert_int_equal(json_object_array_length(array), nr);
    if (nr) {
        assert_int_equal(json_number(json_object_array_get_idx(array, 0),
                                     "number", -1), first);
        assert_int_equal(json_number(json_object_array_get_idx(array, nr - 1),
                                     "number", -1), last);
    }
    json_object_put(array);
}

static void put_about(const char *uuid, unsigned int number)
{
    json_object *details = json_object_new_object();

    json_add_text(details, "uuid", uuid);
    json_add_int(details, "number", number);
    journal_write(&journal, "test", details);
}

static void a_domain_has_a_past_in_all_files_and_of_all_daemons(void **state)
{
    unsigned int i;

    (void)state;
    open_journal(LIMIT);
    for (i = 0; i < 24; i++)
        put_about(i % 2 ? "odd" : "even", i);
    assert_int_equal(access(PATH ".1", F_OK), 0);
    journal_close(&journal);
    open_journal(LIMIT);
    put_about("even", 24);
    put(0);
    is_about("even", 13, 0, 24);
    is_about("odd", 12, 1, 23);
    is_about("eve", 0, 0, 0);
    journal_close(&journal);
}

static void the_latest_entries_of_a_long_past_are_told(void **state)
{
    unsigned int i;

    (void)state;
    open_journal(0);
    for (i = 0; i < JOURNAL_MEMORY + 50; i++)
        put_about("one", i);
    is_about("one", JOURNAL_MEMORY, 50, JOURNAL_MEMORY + 49);
    journal_close(&journal);
}

static void a_name_that_is_no_file_is_not_read(void **state)
{
    struct xensched_error err;

    (void)state;
    assert_int_equal(journal_open(&journal, "/dev/full", 10, &err), 0);
    put_about("one", 1);
    is_about("one", 1, 1, 1);
    journal_close(&journal);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(files_stay_small_and_nothing_is_lost_between_them),
        TEST(without_a_limit_there_is_one_file),
        TEST(another_start_goes_on),
        TEST(killed_anywhere_it_loses_nothing),
        TEST(a_failure_anywhere_loses_nothing),
        TEST(a_full_disk_cuts_no_entry_and_is_told_afterwards),
        TEST(half_a_line_is_ended_first),
        TEST(a_name_that_is_no_file_is_not_renamed),
        TEST(a_domain_has_a_past_in_all_files_and_of_all_daemons),
        TEST(the_latest_entries_of_a_long_past_are_told),
        TEST(a_name_that_is_no_file_is_not_read),
    };

    return run_tap_tests(tests);
}
