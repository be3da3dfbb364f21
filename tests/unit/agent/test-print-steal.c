/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks how an agent in a guest reads its steal time through /dev/xen/xenbus, here a socket,
 * and what it prints.  Any other answer is an error.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmocka-tap.h"

#include "print-steal.h"

static int ends[2];
static char value[64];

static int setup(void **state)
{
    (void)state;

    return socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}

static int teardown(void **state)
{
    (void)state;
    close(ends[0]);
    close(ends[1]);

    return 0;
}

/* Sends xenstored's answer before the agent asks. */
static void answer(uint32_t type, const char *text)
{
    uint32_t head[4] = { type, 0, 0, strlen(text) };

    assert_int_equal(write(ends[1], head, sizeof(head)), sizeof(head));
    assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
}

static int ask(void)
{
    return xenbus_read(ends[0], "schedlog/steal", value, sizeof(value));
}

static void a_node_is_read(void **state)
{
    uint32_t head[4];
    char node[32];

    (void)state;
    answer(2, "dom0:1");
    assert_int_equal(ask(), 0);
    assert_string_equal(value, "dom0:1");
    assert_int_equal(read(ends[1], head, sizeof(head)), sizeof(head));
    assert_int_equal(head[0], 2);
    assert_int_equal(read(ends[1], node, sizeof(node)), head[3]);
    assert_string_equal(node, "schedlog/steal");
}

static void errors_are_told_apart(void **state)
{
    char text[200];

    (void)state;
    answer(16, "ENOENT");
    assert_int_equal(ask(), -ENOENT);
    answer(16, "EACCES");
    assert_int_equal(ask(), -EIO);
    answer(9, "what");
    assert_int_equal(ask(), -EIO);
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    answer(2, text);
    assert_int_equal(ask(), -E2BIG);
}

static void an_answer_that_ends_is_an_error(void **state)
{
    uint32_t head[4] = { 2, 0, 0, 10 };

    (void)state;
    assert_int_equal(write(ends[1], head, sizeof(head)), sizeof(head));
    shutdown(ends[1], SHUT_WR);
    assert_int_equal(ask(), -EIO);
}

/* NULL: the answer is damaged. */
static const char *printed(const char *text)
{
    static char *out;
    size_t length;
    FILE *file;
    bool good;

    free(out);
    out = NULL;
    file = open_memstream(&out, &length);
    good = print_steal(file, text);
    fclose(file);
    if (good)
        return out;
    assert_int_equal(length, 0);
    free(out);
    out = NULL;

    return NULL;
}

static void sums_are_printed_in_seconds(void **state)
{
    const char *out;

    (void)state;
    out = printed("dom0:1500000000 own:0 others:123456789012345 xen:7000 unknown:2 new:5");
    assert_non_null(out);
    assert_non_null(strstr(out, "# TYPE xensched_steal_seconds_total counter\n"));
    assert_non_null(strstr(out, "_total{for=\"dom0\"} 1.500000\n"));
    assert_non_null(strstr(out, "_total{for=\"own\"} 0.000000\n"));
    assert_non_null(strstr(out, "_total{for=\"others\"} 123456.789012\n"));
    assert_non_null(strstr(out, "_total{for=\"xen\"} 0.000007\n"));
    assert_non_null(strstr(out, "_total{for=\"unknown\"} 0.000000\n"));
    assert_null(printed(""));
    assert_null(printed("dom0:1 own:2 others:3 xen:4"));
    assert_null(printed("dom0:x own:2 others:3 xen:4 unknown:5"));
    assert_null(printed("mydom0:1 own:2 others:3 xen:4 unknown:5"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_node_is_read),
        TEST(errors_are_told_apart),
        TEST(an_answer_that_ends_is_an_error),
        TEST(sums_are_printed_in_seconds),
    };
    int rc = run_tap_tests(tests);

    printed("");

    return rc;
}
