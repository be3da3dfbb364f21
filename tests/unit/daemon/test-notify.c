/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks what the daemon reports to a service manager, which receives it as systemd does: through a
 * datagram socket with a path, or with an abstract name.  The daemon reports that it is ready and
 * alive while it makes progress, and never before or without.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cmocka-tap.h"

#include "daemon/socket/notify.h"

#define PATH "/tmp/test-notify.socket"
#define NAME "@test-notify"

#define SECOND 1000000000ULL

static struct notify notify;
static struct xensched_error err;
static int manager;

/* Opens a receiver of notifications at @where. */
static void listen_at(const char *where)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    strcpy(address.sun_path, where);
    if (where[0] == '@')
        address.sun_path[0] = '\0';
    assert_int_equal(bind(manager, (struct sockaddr *)&address,
                          offsetof(struct sockaddr_un, sun_path) +
                          strlen(where)), 0);
    setenv("NOTIFY_SOCKET", where, 1);
}

static int teardown(void **state)
{
    (void)state;
    notify_close(&notify);
    if (manager >= 0)
        close(manager);
    manager = -1;
    unlink(PATH);
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");

    return 0;
}

/* Returns the next datagram, or "". */
static const char *told(void)
{
    static char words[512];
    ssize_t got = recv(manager, words, sizeof(words) - 1, 0);

    words[got > 0 ? got : 0] = '\0';

    return words;
}

static void tells(const char *where)
{
    listen_at(where);
    assert_int_equal(notify_open(&notify, &err), 0);
    assert_string_equal(told(), "");
    notify_progress(&notify, SECOND);
    assert_string_equal(told(), "READY=1\nSTATUS=");
    notify_progress(&notify, 2 * SECOND);
    assert_string_equal(told(), "");
    notify_stopping(&notify);
    assert_string_equal(told(), "STOPPING=1");
}

static void ready_is_said_once_and_with_progress(void **state)
{
    (void)state;
    tells(PATH);
}

static void a_name_without_a_file_does_as_well(void **state)
{
    (void)state;
    tells(NAME);
}

static void a_name_as_long_as_can_be_is_not_cut(void **state)
{
    char name[sizeof(((struct sockaddr_un *)NULL)->sun_path)];

    (void)state;
    memset(name, 'x', sizeof(name));
    name[0] = '@';
    name[sizeof(name) - 1] = '\0';
    tells(name);
}

static void signs_of_life_come_with_progress_only(void **state)
{
    (void)state;
    setenv("WATCHDOG_USEC", "8000000", 1);
    listen_at(PATH);
    assert_int_equal(notify_open(&notify, &err), 0);
    notify_progress(&notify, 100 * SECOND);
    assert_string_equal(told(), "READY=1\nSTATUS=");
    assert_string_equal(told(), "WATCHDOG=1");
    /* Four notifications per watchdog period, however often the daemon makes progress. */
    notify_progress(&notify, 101 * SECOND);
    notify_progress(&notify, 102 * SECOND - 1);
    assert_string_equal(told(), "");
    notify_progress(&notify, 102 * SECOND);
    assert_string_equal(told(), "WATCHDOG=1");
    notify_stopping(&notify);
    assert_string_equal(told(), "STOPPING=1");
    assert_string_equal(told(), "");
}

static void a_watchdog_of_another_process_is_ignored(void **state)
{
    (void)state;
    setenv("WATCHDOG_USEC", "8000000", 1);
    setenv("WATCHDOG_PID", "1", 1);
    listen_at(PATH);
    assert_int_equal(notify_open(&notify, &err), 0);
    notify_progress(&notify, SECOND);
    assert_string_equal(told(), "READY=1\nSTATUS=");
    assert_string_equal(told(), "");
}

static void a_watchdog_of_ours_is(void **state)
{
    char pid[16];

    (void)state;
    snprintf(pid, sizeof(pid), "%d", (int)getpid());
    setenv("WATCHDOG_USEC", "8000000", 1);
    setenv("WATCHDOG_PID", pid, 1);
    listen_at(PATH);
    assert_int_equal(notify_open(&notify, &err), 0);
    notify_progress(&notify, SECOND);
    told();
    assert_string_equal(told(), "WATCHDOG=1");
}

static void after_a_reload_it_is_ready_with_the_next_progress(void **state)
{
    (void)state;
    listen_at(PATH);
    assert_int_equal(notify_open(&notify, &err), 0);
    notify_progress(&notify, SECOND);
    told();
    notify_reloading(&notify, 5 * SECOND);
    assert_string_equal(told(), "RELOADING=1\nMONOTONIC_USEC=5000000");
    assert_string_equal(told(), "");
    notify_progress(&notify, 6 * SECOND);
    assert_string_equal(told(), "READY=1\nSTATUS=");
}

static void a_daemon_that_waits_reports_why_and_asks_for_time(void **state)
{
    (void)state;
    listen_at(PATH);
    assert_int_equal(notify_open(&notify, &err), 0);
    notify_waiting(&notify, "waits", 30000);
    assert_string_equal(told(), "EXTEND_TIMEOUT_USEC=30000000\nSTATUS=waits");
}

static void without_a_receiver_nothing_is_sent(void **state)
{
    (void)state;
    assert_int_equal(notify_open(&notify, &err), 0);
    notify_waiting(&notify, "waits", 1000);
    notify_progress(&notify, SECOND);
    notify_reloading(&notify, SECOND);
    notify_stopping(&notify);
}

static void a_receiver_that_has_ended_does_no_harm(void **state)
{
    (void)state;
    listen_at(PATH);
    assert_int_equal(notify_open(&notify, &err), 0);
    close(manager);
    unlink(PATH);
    notify_progress(&notify, SECOND);
    /* The receiver is back: it gets a notification at once. */
    listen_at(PATH);
    notify_progress(&notify, 2 * SECOND);
    assert_string_equal(told(), "READY=1\nSTATUS=");
}

static void a_full_socket_is_not_waited_for(void **state)
{
    unsigned int i;

    (void)state;
    setenv("WATCHDOG_USEC", "1000000", 1);
    listen_at(PATH);
    assert_int_equal(notify_open(&notify, &err), 0);
    for (i = 1; i < 10000; i++)
        notify_progress(&notify, i * SECOND);
    assert_string_equal(told(), "READY=1\nSTATUS=");
}

static void children_do_not_inherit_the_variables(void **state)
{
    (void)state;
    setenv("WATCHDOG_USEC", "8000000", 1);
    listen_at(PATH);
    assert_int_equal(notify_open(&notify, &err), 0);
    assert_null(getenv("NOTIFY_SOCKET"));
    assert_null(getenv("WATCHDOG_USEC"));
}

static void is_refused(const char *name, const char *value)
{
    setenv(name, value, 1);
    assert_int_equal(notify_open(&notify, &err), -EINVAL);
    assert_non_null(strstr(err.text, value));
    notify_progress(&notify, SECOND);
    notify_close(&notify);
}

static void nonsense_is_named_and_then_left_alone(void **state)
{
    char longer[200];

    (void)state;
    memset(longer, 'x', sizeof(longer));
    longer[0] = '/';
    longer[sizeof(longer) - 1] = '\0';
    is_refused("NOTIFY_SOCKET", "run/relative");
    is_refused("NOTIFY_SOCKET", "vsock:2:1");
    is_refused("NOTIFY_SOCKET", "@");
    is_refused("NOTIFY_SOCKET", longer);
    setenv("NOTIFY_SOCKET", PATH, 1);
    is_refused("WATCHDOG_USEC", "soon");
    setenv("NOTIFY_SOCKET", PATH, 1);
    is_refused("WATCHDOG_USEC", "99999999999999999999999");
    manager = -1;
}

static void a_watchdog_that_is_too_short_is_made_longer(void **state)
{
    (void)state;
    setenv("WATCHDOG_USEC", "30000000", 1);
    listen_at(PATH);
    assert_int_equal(notify_open(&notify, &err), 0);
    notify_interval(&notify, 7500);
    assert_string_equal(told(), "");
    notify_interval(&notify, 60000);
    assert_string_equal(told(), "WATCHDOG_USEC=240000000");
    notify_progress(&notify, 100 * SECOND);
    assert_string_equal(told(), "READY=1\nSTATUS=");
    assert_string_equal(told(), "WATCHDOG=1");
    notify_progress(&notify, 160 * SECOND);
    assert_string_equal(told(), "WATCHDOG=1");
}

#define notify_test(f) cmocka_unit_test_teardown(f, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        notify_test(ready_is_said_once_and_with_progress),
        notify_test(a_name_without_a_file_does_as_well),
        notify_test(a_name_as_long_as_can_be_is_not_cut),
        notify_test(signs_of_life_come_with_progress_only),
        notify_test(a_watchdog_of_another_process_is_ignored),
        notify_test(a_watchdog_of_ours_is),
        notify_test(after_a_reload_it_is_ready_with_the_next_progress),
        notify_test(a_daemon_that_waits_reports_why_and_asks_for_time),
        notify_test(without_a_receiver_nothing_is_sent),
        notify_test(a_receiver_that_has_ended_does_no_harm),
        notify_test(a_full_socket_is_not_waited_for),
        notify_test(children_do_not_inherit_the_variables),
        notify_test(nonsense_is_named_and_then_left_alone),
        notify_test(a_watchdog_that_is_too_short_is_made_longer),
    };

    manager = -1;

    return run_tap_tests(tests);
}
