/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks "xensched-mark run" with a synthetic device: each begin has its end, whatever ends the
 * command, and signals reach the command.
 */
#include "cmocka-tap.h"

#include <sys/mman.h>

#define main mark_main
#include "mark/xensched-mark.c"
#undef main

#define DEVICE_FD 1000

static volatile struct {
    unsigned int begins, ends;
} *seen;

int __wrap_open(const char *path, int flags, ...);
int __wrap_ioctl(int fd, unsigned long request, void *arg);
int __wrap_close(int fd);
int __real_close(int fd);

int __wrap_open(const char *path, int flags, ...)
{
    (void)flags;
    assert_string_equal(path, XENSCHED_MARK_DEVICE);

    return DEVICE_FD;
}

int __wrap_close(int fd)
{
    return fd == DEVICE_FD ? 0 : __real_close(fd);
}

int __wrap_ioctl(int fd, unsigned long request, void *arg)
{
    const struct xensched_mark_typed *mark = arg;

    (void)fd;
    if ( request != XENSCHED_MARK_TYPED )
        return 0;
    seen->begins += mark->kind == XENSCHED_MARK_BEGIN;
    seen->ends += mark->kind == XENSCHED_MARK_END;

    return 0;
}

/* All signals that a test sends. */
static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1 };

/* A shell cannot trap what it inherits as ignored, such as SIGHUP under nohup(1). */
static void ignore_no_signal(void)
{
    size_t i;

    for ( i = 0; i < sizeof(signals) / sizeof(signals[0]); i++ )
        signal(signals[i], SIG_DFL);
}

/* Runs a shell command under "run".  Returns the process that runs it. */
static pid_t run_marked(const char *text)
{
    char *argv[] = {
        "xensched-mark", "run", "work", "--", "sh", "-c", (char *)text, NULL,
    };
    pid_t pid = fork();

    if ( !pid )
    {
        ignore_no_signal();
        _exit(mark_main(7, argv));
    }

    return pid;
}

static int exit_code(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);

    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void await_file(const char *path)
{
    while ( access(path, F_OK) )
        usleep(10000);
}

/* Sends a signal to "run" alone, when the command is ready for the signal. */
static int code_after(int signal)
{
    char text[] = "trap 'kill $!; exit 42' HUP INT QUIT TERM USR1; "
                  "sleep 100 & touch mark-ready; wait";
    pid_t pid;

    unlink("mark-ready");
    pid = run_marked(text);
    await_file("mark-ready");
    kill(pid, signal);

    return exit_code(pid);
}

static int set_up(void **state)
{
    (void)state;
    seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return seen == MAP_FAILED;
}

static int tear_down(void **state)
{
    (void)state;
    assert_int_equal(seen->begins, 1);
    assert_int_equal(seen->ends, 1);

    return munmap((void *)seen, sizeof(*seen));
}

static void test_command_ends(void **state)
{
    (void)state;
    assert_int_equal(exit_code(run_marked("exit 7")), 7);
}

static void test_command_is_killed(void **state)
{
    (void)state;
    assert_int_equal(exit_code(run_marked("kill -KILL $$")), 128 + SIGKILL);
}

static void test_signals_are_passed_on(void **state)
{
    size_t i;

    (void)state;
    for ( i = 0; i < sizeof(signals) / sizeof(signals[0]); i++ )
    {
        seen->begins = seen->ends = 0;
        assert_int_equal(code_after(signals[i]), 42);
        assert_int_equal(seen->begins, 1);
        assert_int_equal(seen->ends, 1);
    }
}

/* The command has the signals that it would have without "run". */
static void test_command_has_no_signal_blocked(void **state)
{
    (void)state;
    assert_int_equal(exit_code(run_marked("kill -TERM $$; exit 1")),
                     128 + SIGTERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_command_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_command_is_killed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_signals_are_passed_on, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_command_has_no_signal_blocked,
                                        set_up, tear_down),
    };

    alarm(60);

    return run_tap_tests(tests);
}
