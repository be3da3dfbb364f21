/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks when a domain made its latest marks, however many it makes, and with any codes. */
#include "cmocka-tap.h"

#include "model/mark-times.h"
#include "xensched/abi.h"

#define WEB 2
#define DB 3

static struct mark_times *marks;

static int set_up(void **state)
{
    (void)state;
    marks = mark_times_new();

    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mark_times_free(marks);

    return 0;
}

static void mark(uint16_t acct, uint32_t code, uint64_t ns)
{
    const struct { uint16_t event, current; uint32_t counter; } row = {
        XEN_SCHEDLOG_EV_MARK, acct, code,
    };
    struct xensched_batch batch = { .rows = &row, .length = sizeof(row) };

    xensched_layout(XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |
                    XEN_SCHEDLOG_LCR_COUNTER, &batch.layout);
    mark_times_add_batch(marks, &batch, ns);
}

static void the_latest_mark_of_a_code_counts(void **state)
{
    (void)state;
    assert_int_equal(mark_times_latest(marks, WEB, 7), 0);
    mark(WEB, 7, 1000);
    mark(WEB, 8, 2000);
    mark(DB, 7, 3000);
    mark(WEB, 7, 4000);
    assert_int_equal(mark_times_latest(marks, WEB, 7), 4000);
    assert_int_equal(mark_times_latest(marks, WEB, 8), 2000);
    assert_int_equal(mark_times_latest(marks, DB, 7), 3000);
    assert_int_equal(mark_times_latest(marks, DB, 8), 0);
    assert_int_equal(mark_times_latest(marks, 60000, 7), 0);
}

static void a_domain_that_marks_much_loses_its_own_marks_only(void **state)
{
    uint32_t code;

    (void)state;
    mark(DB, 7, 1000);
    mark(WEB, 7, 1000);
    for (code = 100; code < 100 + MARK_TIMES_CODES; code++)
        mark(WEB, code, code);
    assert_int_equal(mark_times_latest(marks, DB, 7), 1000);
    assert_int_equal(mark_times_latest(marks, WEB, 7), 0);
    assert_int_equal(mark_times_latest(marks, WEB, 100), 100);
    assert_int_equal(mark_times_latest(marks, WEB, code - 1), code - 1);
}

static void marks_are_not_those_of_the_next_domain(void **state)
{
    (void)state;
    mark(WEB, 7, 1000);
    mark_times_forget(marks, WEB);
    mark_times_forget(marks, DB);
    assert_int_equal(mark_times_latest(marks, WEB, 7), 0);
    mark(WEB, 8, 2000);
    assert_int_equal(mark_times_latest(marks, WEB, 8), 2000);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_latest_mark_of_a_code_counts),
        TEST(a_domain_that_marks_much_loses_its_own_marks_only),
        TEST(marks_are_not_those_of_the_next_domain),
    };

    return run_tap_tests(tests);
}
