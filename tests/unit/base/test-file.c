/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks that a program's lock names its holder in the file, which xenschedd's init script reads. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka-tap.h"

#include "base/file.h"

static char path[] = "/tmp/lock-XXXXXX";

/* Runs in a child, because closing any descriptor of the file would release the lock. */
static int read_file_of(pid_t holder)
{
    char wanted[32], got[64] = "";
    FILE *file = fopen(path, "r");

    snprintf(wanted, sizeof(wanted), "%d\n", (int)holder);
    if (!file || !fread(got, 1, sizeof(got) - 1, file))
        return 2;

    return strcmp(got, wanted) != 0;
}

static int in_child(int (*function)(pid_t holder))
{
    pid_t holder = getpid(), child = fork();
    int status;

    assert_true(child >= 0);
    if (!child)
        _exit(function(holder));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));

    return WEXITSTATUS(status);
}

static int take_it(pid_t holder)
{
    struct xensched_error err;
    char wanted[64];

    snprintf(wanted, sizeof(wanted), "another program is running (process %d)", (int)holder);

    return lock_take(path, "program", &err) != -EEXIST || strcmp(err.text, wanted) != 0;
}

static void the_file_has_the_holder(void **state)
{
    struct xensched_error err;
    int fd;

    (void)state;
    fd = lock_take(path, "program", &err);
    assert_true(fd >= 0);
    assert_int_equal(in_child(read_file_of), 0);
    assert_int_equal(in_child(take_it), 0);
    assert_int_equal(in_child(read_file_of), 0);
    close(fd);
}

/* Its number may have had more digits. */
static void the_former_holder_is_replaced(void **state)
{
    struct xensched_error err;
    FILE *file = fopen(path, "w");
    int fd;

    (void)state;
    assert_non_null(file);
    fputs("12345678901\n", file);
    fclose(file);
    fd = lock_take(path, "program", &err);
    assert_true(fd >= 0);
    assert_int_equal(in_child(read_file_of), 0);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_has_the_holder),
        cmocka_unit_test(the_former_holder_is_replaced),
    };
    int fd = mkstemp(path), failed;

    if (fd < 0)
        return 1;
    close(fd);
    failed = run_tap_tests(tests);
    unlink(path);

    return failed;
}
