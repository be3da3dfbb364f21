/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks searches and sorting by time: a member that begins at a time is found by that time, and
 * equal members keep their order.
 */
#include <stddef.h>
#include <stdint.h>

#include "cmocka-tap.h"

#include "timeline/rows/row-order.h"

struct member {
    unsigned int number;
    uint64_t ns;
};

static size_t until(const struct member *m, size_t nr, uint64_t ns)
{
    return order_until(m, nr, sizeof(*m), offsetof(struct member, ns), ns);
}

static void a_time_that_is_a_members_own_is_not_before_it(void **state)
{
    static const struct member m[] = {
        { 0, 10 }, { 1, 20 }, { 2, 20 }, { 3, 40 },
    };

    (void)state;
    assert_int_equal(until(m, 4, 9), 0);
    assert_int_equal(until(m, 4, 10), 1);
    assert_int_equal(until(m, 4, 19), 1);
    assert_int_equal(until(m, 4, 20), 3);
    assert_int_equal(until(m, 4, 39), 3);
    assert_int_equal(until(m, 4, 40), 4);
    assert_int_equal(until(m, 4, UINT64_MAX), 4);
}

static void an_empty_list_contains_nothing(void **state)
{
    (void)state;
    assert_int_equal(until(NULL, 0, 0), 0);
    assert_int_equal(until(NULL, 0, UINT64_MAX), 0);
}

static bool is_later(const void *a, const void *b)
{
    return ((const struct member *)a)->ns > ((const struct member *)b)->ns;
}

static void equal_members_keep_their_order(void **state)
{
    struct member m[] = {
        { 0, 30 }, { 1, 40 }, { 2, 10 }, { 3, 30 }, { 4, 40 }, { 5, 10 },
    };
    static const unsigned int sorted[] = { 2, 5, 0, 3, 1, 4 };
    unsigned int i;

    (void)state;
    order_sort(m, 6, sizeof(*m), is_later);
    for (i = 0; i < 6; i++)
        assert_int_equal(m[i].number, sorted[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_time_that_is_a_members_own_is_not_before_it),
        cmocka_unit_test(an_empty_list_contains_nothing),
        cmocka_unit_test(equal_members_keep_their_order),
    };

    return run_tap_tests(tests);
}
