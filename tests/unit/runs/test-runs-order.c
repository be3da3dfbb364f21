/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that each repetition has everything once, that no workload or configuration is early more
 * often than another, and that a seed always gives the same order.
 */
#include <string.h>

#include "cmocka-tap.h"

#include "runs/experiment-file.h"

#define WORKLOADS 2U
#define CONFIGURATIONS 3U
#define BLOCK (WORKLOADS * CONFIGURATIONS)
#define REPETITIONS 2000U

static const struct runs_plan plan = {
    .nr_workloads = WORKLOADS, .nr_configurations = CONFIGURATIONS,
    .repetitions = REPETITIONS, .warmups = 2,
};

static struct order_item items[BLOCK * (REPETITIONS + 2)];

static unsigned int number(const struct order_item *item)
{
    return item->workload * CONFIGURATIONS + item->configuration;
}

static void each_repetition_has_everything_once(void **state)
{
    unsigned int i;

    (void)state;
    assert_int_equal(order_length(&plan), BLOCK * (REPETITIONS + 2));
    order_make(&plan, 1, items);
    for (i = 0; i < REPETITIONS + 2; i++) {
        unsigned int seen = 0, j;

        for (j = 0; j < BLOCK; j++) {
            seen |= 1U << number(&items[i * BLOCK + j]);
            assert_int_equal(items[i * BLOCK + j].repetition, (int)i - 1);
        }
        assert_int_equal(seen, (1U << BLOCK) - 1);
    }
}

static void each_place_is_as_likely(void **state)
{
    unsigned int count[BLOCK][BLOCK] = { 0 }, i, j;
    double chi = 0, wanted = (REPETITIONS + 2.0) / BLOCK;

    (void)state;
    order_make(&plan, 2, items);
    for (i = 0; i < BLOCK * (REPETITIONS + 2); i++)
        count[i % BLOCK][number(&items[i])]++;
    for (i = 0; i < BLOCK; i++)
        for (j = 0; j < BLOCK; j++)
            chi += (count[i][j] - wanted) * (count[i][j] - wanted) / wanted;
    /* 25 degrees of freedom: 52.6 comes once in 1000 times. */
    assert_true(chi < 52.6);
}

static void a_seed_gives_this_order(void **state)
{
    /* A seed in a database that is years old still gives the order of its measurement. */
    static const char wanted[] = "320145";
    char text[BLOCK + 1] = "";
    unsigned int i;

    (void)state;
    order_make(&plan, 12345, items);
    for (i = 0; i < BLOCK; i++)
        text[i] = '0' + number(&items[i]);
    assert_string_equal(text, wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_repetition_has_everything_once),
        cmocka_unit_test(each_place_is_as_likely),
        cmocka_unit_test(a_seed_gives_this_order),
    };

    return run_tap_tests(tests);
}
