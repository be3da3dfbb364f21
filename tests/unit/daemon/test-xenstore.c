/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the daemon's connection to xenstore: what it knows of domains, and what it keeps when
 * xenstored ends and restarts.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "fake-xenstore.h"

#include "host/xenstore.h"

#define SOCKET "test-xenstore.socket"

static struct xenstore *xs;
static struct xensched_error err;

static void name_domain(uint32_t domid, const char *name)
{
    fake_xs_put(name, "/local/domain/%u/name", domid);
}

static void has_name(uint32_t domid, const char *name)
{
    assert_string_equal(xenstore_domain(xs, domid).name, name);
}

static int setup(void **state)
{
    (void)state;
    fake_xs_reset();
    fake_xs_put("", "/");
    name_domain(1, "one");
    fake_xs_put("/local/domain/7/backend/vbd/1/51712",
                "/libxl/1/device/vbd/51712/backend");

    return xenstore_open(&xs, &err);
}

static int teardown(void **state)
{
    (void)state;
    xenstore_close(xs);

    return fake_xs.open;
}

static void names_and_back_ends_are_followed(void **state)
{
    (void)state;
    has_name(1, "one");
    assert_int_equal(xenstore_domain(xs, 1).nr_back_ends, 1);
    assert_int_equal(xenstore_domain(xs, 1).back_ends[0], 7);
    xenstore_changed(xs);
    assert_false(xenstore_changed(xs));
    name_domain(1, "another");
    assert_true(xenstore_changed(xs));
    has_name(1, "another");
}

static void cpupools_are_known_by_name(void **state)
{
    (void)state;
    assert_true(xenstore_has_pool(xs, "Pool-0"));
    assert_false(xenstore_has_pool(xs, "batch"));
    fake_xs_put("batch", "/local/pool/3/name");
    assert_true(xenstore_has_pool(xs, "batch"));
    assert_false(xenstore_has_pool(xs, "bat"));
}

static void pool_has_name(uint32_t pool, const char *name)
{
    char text[DOMAIN_NAME_TEXT];

    xenstore_pool_name(xs, pool, text);
    assert_string_equal(text, name);
}

/* Two names of cpupools share their first 254 bytes. */
static void names_of_cpupools_are_whole_or_none(void **state)
{
    char name[DOMAIN_NAME_TEXT + 1], other[DOMAIN_NAME_TEXT];

    (void)state;
    memset(name, 'n', sizeof(name));
    name[DOMAIN_NAME_TEXT - 1] = '\0';
    memcpy(other, name, sizeof(other));
    other[DOMAIN_NAME_TEXT - 2] = 'o';
    fake_xs_put(name, "/local/pool/3/name");
    fake_xs_put(other, "/local/pool/4/name");
    pool_has_name(3, name);
    assert_true(xenstore_has_pool(xs, name));
    assert_true(xenstore_pool_is_one_of(xs, 3, name));
    assert_false(xenstore_pool_is_one_of(xs, 4, name));
    name[DOMAIN_NAME_TEXT - 1] = 'n';
    name[DOMAIN_NAME_TEXT] = '\0';
    fake_xs_put(name, "/local/pool/3/name");
    pool_has_name(3, "");
    fake_xs_put("batch", "/local/pool/3/name");
    pool_has_name(3, "batch");
}

static void console_has_port(uint32_t domid, uint32_t port)
{
    uint32_t ports[HOST_TOOL_PORTS];

    xenstore_tool_ports(xs, domid, ports);
    assert_int_equal(ports[1], port);
}

/* Otherwise no rule for the pool applies, and a console's notifications count as a disk's. */
static void pools_and_ports_stay_known_without_xenstored(void **state)
{
    (void)state;
    fake_xs_put("batch", "/local/pool/3/name");
    fake_xs_put("2", "/local/domain/1/console/port");
    has_name(1, "one");
    pool_has_name(3, "batch");
    console_has_port(1, 2);
    fake_xs_die();
    fake_xs.refuse = ECONNREFUSED;
    pool_has_name(0, "Pool-0");
    pool_has_name(3, "batch");
    pool_has_name(4, "");
    assert_true(xenstore_pool_is_one_of(xs, 3, "other,batch"));
    console_has_port(1, 2);
    fake_xs.refuse = 0;
    fake_xs_put("renamed", "/local/pool/3/name");
    assert_int_equal(xenstore_check(xs, &err), XENSTORE_ANEW);
    pool_has_name(3, "renamed");
}

/* xl passes any bytes on, and rules and commands find the guest by them. */
static void names_are_bytes(void **state)
{
    (void)state;
    name_domain(1, "B\xc3\xbcro \xfc 1");
    assert_true(xenstore_changed(xs));
    has_name(1, "B\xc3\xbcro \xfc 1");
}

/* If names were cut, two guests would be one for rules and commands. */
static void long_names_are_whole_or_none(void **state)
{
    char name[DOMAIN_NAME_TEXT + 1];

    (void)state;
    memset(name, 'n', sizeof(name));
    name[DOMAIN_NAME_TEXT - 1] = '\0';
    name_domain(1, name);
    assert_true(xenstore_changed(xs));
    has_name(1, name);
    name[DOMAIN_NAME_TEXT - 1] = 'n';
    name[DOMAIN_NAME_TEXT] = '\0';
    name_domain(1, name);
    assert_true(xenstore_changed(xs));
    has_name(1, "");
    name_domain(1, "short");
    assert_true(xenstore_changed(xs));
    has_name(1, "short");
}

/* A guest that boots causes hundreds of events. */
static void many_events_of_a_domain_are_read_once_and_only_what_changed(
    void **state)
{
    unsigned int i;

    (void)state;
    has_name(1, "one");
    while (xenstore_changed(xs))
        ;
    for (i = 0; i < 100; i++)
        fake_xs_put("4", "/libxl/1/device/vbd/51712/state");
    fake_xs.reads = 0;
    /* No relevant change. */
    assert_false(xenstore_changed(xs));
    assert_in_range(fake_xs.reads, 1, 3);
    for (i = 0; i < 100; i++)
        name_domain(1, i % 2 ? "odd" : "even");
    fake_xs.reads = 0;
    assert_true(xenstore_changed(xs));
    assert_int_equal(fake_xs.reads, 1);
    has_name(1, "odd");
    fake_xs_put("/local/domain/8/backend/vif/1/0",
                "/libxl/1/device/vif/0/backend");
    assert_true(xenstore_changed(xs));
    assert_int_equal(xenstore_domain(xs, 1).nr_back_ends, 2);
}

static void settings_of_a_guest_are_read_again_when_they_change(void **state)
{
    (void)state;
    fake_xs_put("hold", "/local/domain/2/platform/vm-affinity");
    fake_xs_put("anything", "/local/domain/3/platform/vm-affinity");
    assert_false(xenstore_domain(xs, 1).stays);
    assert_true(xenstore_domain(xs, 2).stays);
    assert_false(xenstore_domain(xs, 3).stays);
    fake_xs_remove("/local/domain/2/platform/vm-affinity");
    fake_xs_put("hold", "/local/domain/1/platform/vm-affinity");
    assert_true(xenstore_changed(xs));
    assert_true(xenstore_domain(xs, 1).stays);
    assert_false(xenstore_domain(xs, 2).stays);
}

/* A toolstack writes the target after the stub domain exists. */
static void the_target_of_a_device_model_is_read_and_followed(void **state)
{
    (void)state;
    assert_false(xenstore_domain(xs, 3).is_stub);
    fake_xs_put("2", "/local/domain/3/target");
    assert_true(xenstore_changed(xs));
    assert_true(xenstore_domain(xs, 3).is_stub);
    assert_int_equal(xenstore_domain(xs, 3).target, 2);
    fake_xs_put("2x", "/local/domain/3/target");
    assert_true(xenstore_changed(xs));
    assert_false(xenstore_domain(xs, 3).is_stub);
}

static void the_permission_to_read_a_log_is_read_and_followed(void **state)
{
    (void)state;
    fake_xs_put("1", "/local/domain/2/platform/vm-affinity-log");
    fake_xs_put("0", "/local/domain/3/platform/vm-affinity-log");
    assert_false(xenstore_domain(xs, 1).logs);
    assert_true(xenstore_domain(xs, 2).logs);
    assert_false(xenstore_domain(xs, 3).logs);
    fake_xs_remove("/local/domain/2/platform/vm-affinity-log");
    assert_true(xenstore_changed(xs));
    assert_false(xenstore_domain(xs, 2).logs);

    assert_false(xenstore_is_logging(xs, 1));
    fake_xs_put("0", "/local/domain/1/schedlog/area/events");
    assert_false(xenstore_is_logging(xs, 1));
    fake_xs_put("24", "/local/domain/1/schedlog/area/events");
    assert_true(xenstore_is_logging(xs, 1));
}

static void the_wish_for_steal_time_is_read_and_followed(void **state)
{
    (void)state;
    fake_xs_put("1", "/local/domain/2/platform/vm-affinity-steal");
    assert_false(xenstore_domain(xs, 1).wants_steal);
    assert_true(xenstore_domain(xs, 2).wants_steal);
    fake_xs_put("1", "/local/domain/1/platform/vm-affinity-steal");
    fake_xs_remove("/local/domain/2/platform/vm-affinity-steal");
    assert_true(xenstore_changed(xs));
    assert_true(xenstore_domain(xs, 1).wants_steal);
    assert_false(xenstore_domain(xs, 2).wants_steal);
}

#define GROUP "/local/domain/%u/platform/vm-affinity-group"

static void is_in_group(uint32_t domid, const char *group)
{
    assert_string_equal(xenstore_domain(xs, domid).group, group);
}

static void the_group_is_read_and_followed(void **state)
{
    (void)state;
    fake_xs_put("web-1.A_z", GROUP, 1);
    name_domain(2, "two");
    is_in_group(1, "web-1.A_z");
    is_in_group(2, "");
    fake_xs_put("db", GROUP, 2);
    assert_true(xenstore_changed(xs));
    is_in_group(2, "db");
    fake_xs_remove(GROUP, 1);
    assert_true(xenstore_changed(xs));
    is_in_group(1, "");
    /* A domain that is destroyed loses its nodes before it is gone. */
    fake_xs_remove("/local/domain/2/name");
    fake_xs_remove(GROUP, 2);
    xenstore_changed(xs);
    has_name(2, "two");
    is_in_group(2, "db");
}

static FILE *said;
static int to_terminal;

static void listen_to_it(void)
{
    said = tmpfile();
    to_terminal = dup(STDERR_FILENO);
    dup2(fileno(said), STDERR_FILENO);
}

/* Counts messages with @words. */
static unsigned int it_said(const char *words)
{
    unsigned int lines = 0;
    char line[500];

    dup2(to_terminal, STDERR_FILENO);
    close(to_terminal);
    rewind(said);
    while (fgets(line, sizeof(line), said))
        lines += !!strstr(line, words);
    fclose(said);

    return lines;
}

static void a_bad_group_is_ignored_and_said_once(void **state)
{
    static const char longest[] =
        "0123456789012345678901234567890123456789012345678901234567890ab";
    static const char *const bad[] = { "", " ", "a b", "a/b", "\x1b[2J",
                                       "caf\xc3\xa9", "web\n" };
    unsigned int i;

    (void)state;
    listen_to_it();
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        fake_xs_put(bad[i], GROUP, 1);
        xenstore_changed(xs);
        is_in_group(1, "");
    }
    fake_xs_put_bytes("a\0b", 3, GROUP, 1);
    xenstore_changed(xs);
    is_in_group(1, "");
    assert_int_equal(it_said("/local/domain/1/platform/vm-affinity-group in "
                             "xenstore is ignored"), 1);
    fake_xs_put(longest, GROUP, 1);
    xenstore_changed(xs);
    is_in_group(1, longest);
    listen_to_it();
    fake_xs_put("0123456789012345678901234567890123456789012345678901234567890"
                "abc", GROUP, 1);
    xenstore_changed(xs);
    is_in_group(1, "");
    assert_int_equal(it_said("is ignored"), 1);
}

static void an_answer_is_an_answer(void **state)
{
    (void)state;
    assert_int_equal(xenstore_check(xs, &err), XENSTORE_THERE);
    fake_xs_remove("/");
    assert_int_equal(xenstore_check(xs, &err), XENSTORE_THERE);
    assert_int_equal(fake_xs.open, 1);
}

static void without_xenstored_what_was_known_stays(void **state)
{
    (void)state;
    has_name(1, "one");
    fake_xs_die();
    fake_xs.refuse = ECONNREFUSED;
    assert_int_equal(xenstore_check(xs, &err), -ECONNREFUSED);
    assert_non_null(strstr(err.text, "is xenstored running?"));
    assert_int_equal(xenstore_check(xs, &err), -ECONNREFUSED);
    assert_false(xenstore_changed(xs));
    has_name(1, "one");
    assert_int_equal(xenstore_domain(xs, 1).nr_back_ends, 1);
    has_name(2, ""); /* unknown */
    xenstore_forget_others(xs);
}

static void it_is_found_again_and_all_is_read_anew(void **state)
{
    (void)state;
    has_name(1, "one");
    fake_xs_die();
    fake_xs.refuse = ECONNREFUSED;
    assert_int_equal(xenstore_check(xs, &err), -ECONNREFUSED);
    name_domain(1, "renamed meanwhile");
    fake_xs.refuse = 0;
    assert_int_equal(xenstore_check(xs, &err), XENSTORE_ANEW);
    assert_true(xenstore_changed(xs));
    has_name(1, "renamed meanwhile");
    assert_int_equal(xenstore_check(xs, &err), XENSTORE_THERE);
    name_domain(1, "renamed later");
    assert_true(xenstore_changed(xs));
    has_name(1, "renamed later");
    assert_int_equal(fake_xs.open, 1);
}

static void one_that_was_started_at_once_is_noticed(void **state)
{
    (void)state;
    has_name(1, "one");
    fake_xs_die();
    assert_int_equal(xenstore_check(xs, &err), XENSTORE_ANEW);
    assert_true(xenstore_changed(xs));
    has_name(1, "one");
}

/* The first plan after xenstored's return asks before any event has come. */
static void a_domain_of_the_meantime_is_read_on_request(void **state)
{
    (void)state;
    fake_xs_die();
    has_name(1, "");
    assert_int_equal(xenstore_check(xs, &err), XENSTORE_ANEW);
    has_name(1, "one");
    assert_int_equal(xenstore_domain(xs, 1).nr_back_ends, 1);
}

static void is_known(void)
{
    has_name(1, "one");
    is_in_group(1, "web");
    assert_true(xenstore_domain(xs, 1).stays);
    assert_int_equal(xenstore_domain(xs, 1).nr_back_ends, 1);
    assert_int_equal(xenstore_domain(xs, 1).back_ends[0], 7);
}

static void put_all(void)
{
    name_domain(1, "one");
    fake_xs_put("web", GROUP, 1);
    fake_xs_put("hold", "/local/domain/1/platform/vm-affinity");
    fake_xs_put("/local/domain/7/backend/vbd/1/51712",
                "/libxl/1/device/vbd/51712/backend");
}

/* A driver domain keeps its guests if one of them was read in part only. */
static void a_read_that_ends_half_way_changes_nothing(void **state)
{
    unsigned int reads, end;

    (void)state;
    put_all();
    is_known();
    fake_xs.reads = 0;
    put_all();
    xenstore_changed(xs);
    reads = fake_xs.reads;
    assert_true(reads > 4);
    for (end = 1; end <= reads; end++) {
        put_all();
        fake_xs.dies_in = end;
        xenstore_changed(xs);
        fake_xs.dies_in = 0;
        is_known();
        assert_int_equal(xenstore_check(xs, &err), XENSTORE_ANEW);
        is_known();
    }
}

/* The domain has just started, without nodes of a toolstack. */
static void an_empty_xenstored_is_not_believed(void **state)
{
    (void)state;
    put_all();
    is_known();
    fake_xs_die();
    fake_xs_remove("/local/domain/1");
    fake_xs_remove("/libxl/1");
    assert_int_equal(xenstore_check(xs, &err), XENSTORE_ANEW);
    xenstore_changed(xs);
    is_known();
    fake_xs_put("/local/domain/8/backend/vbd/1/51712",
                "/libxl/1/device/vbd/51712/backend");
    name_domain(1, "another");
    assert_true(xenstore_changed(xs));
    has_name(1, "another");
    is_in_group(1, "");
    assert_int_equal(xenstore_domain(xs, 1).back_ends[0], 8);
}

static int bound_socket(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX,
                                   .sun_path = SOCKET };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    unlink(SOCKET);
    assert_int_equal(bind(fd, (struct sockaddr *)&address,
                          sizeof(address)), 0);

    return fd;
}

/* libxenstore would try the kernel's device next, and block there for ever. */
static void a_socket_without_a_listener_is_not_waited_for(void **state)
{
    struct xenstore *other;
    int fd = bound_socket();

    (void)state;
    fake_xs.socket = SOCKET;
    assert_int_equal(xenstore_open(&other, &err), -ECONNREFUSED);
    assert_non_null(strstr(err.text, "is xenstored running?"));
    assert_int_equal(fake_xs.open, 1);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(xenstore_open(&other, &err), 0);
    xenstore_close(other);
    close(fd);
    unlink(SOCKET);
}

/* The socket is missing for a moment when the next xenstored starts. */
static void a_missing_socket_is_not_waited_for(void **state)
{
    struct xenstore *other;
    int fd = bound_socket();

    (void)state;
    fake_xs.socket = SOCKET;
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(xenstore_open(&other, &err), 0);
    xenstore_close(other);
    close(fd);
    unlink(SOCKET);
    assert_int_equal(xenstore_open(&other, &err), -ECONNREFUSED);
    assert_int_equal(fake_xs.open, 1);
    fd = bound_socket();
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(xenstore_open(&other, &err), 0);
    xenstore_close(other);
    close(fd);
    unlink(SOCKET);
}

#define xenstore_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        xenstore_test(names_and_back_ends_are_followed),
        xenstore_test(names_are_bytes),
        xenstore_test(long_names_are_whole_or_none),
        xenstore_test(cpupools_are_known_by_name),
        xenstore_test(names_of_cpupools_are_whole_or_none),
        xenstore_test(pools_and_ports_stay_known_without_xenstored),
        xenstore_test(
            many_events_of_a_domain_are_read_once_and_only_what_changed),
        xenstore_test(settings_of_a_guest_are_read_again_when_they_change),
        xenstore_test(the_target_of_a_device_model_is_read_and_followed),
        xenstore_test(the_permission_to_read_a_log_is_read_and_followed),
        xenstore_test(the_wish_for_steal_time_is_read_and_followed),
        xenstore_test(the_group_is_read_and_followed),
        xenstore_test(a_bad_group_is_ignored_and_said_once),
        xenstore_test(an_answer_is_an_answer),
        xenstore_test(without_xenstored_what_was_known_stays),
        xenstore_test(it_is_found_again_and_all_is_read_anew),
        xenstore_test(one_that_was_started_at_once_is_noticed),
        xenstore_test(a_domain_of_the_meantime_is_read_on_request),
        xenstore_test(a_read_that_ends_half_way_changes_nothing),
        xenstore_test(an_empty_xenstored_is_not_believed),
        xenstore_test(a_socket_without_a_listener_is_not_waited_for),
        xenstore_test(a_missing_socket_is_not_waited_for),
    };

    return run_tap_tests(tests);
}
