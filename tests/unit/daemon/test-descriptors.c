/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks how many requests name their segments in a page of their own, computed from sums: exact
 * for requests of one size, possible for all others, and near the truth for mixtures of sizes that
 * do not suit the computation.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "cmocka-tap.h"

#include "disks/descriptors.h"

#define ROOM 11
#define MOST 32

static unsigned int under_way;

static double expected(uint64_t requests, uint64_t pages)
{
    return descriptors_expected(requests, pages, &under_way);
}

static void one_size_is_exact(void **state)
{
    uint64_t requests, size;

    (void)state;
    for (requests = 1; requests < 1000; requests = requests * 3 + 1)
        for (size = 0; size <= 300; size++)
            assert_true(expected(requests, requests * size) ==
                        (size > ROOM ? requests : 0));
}

static void no_requests_no_pages(void **state)
{
    (void)state;
    assert_true(expected(0, 0) == 0);
    assert_true(expected(0, 5) == 0);
}

/* The result is between the least and the greatest possible number, for requests up to 32. */
static void never_more_than_there_can_be(void **state)
{
    uint64_t requests, pages;

    (void)state;
    for (requests = 1; requests < 40; requests++)
        for (pages = 0; pages < requests * MOST; pages++) {
            double n = expected(requests, pages);
            double most = pages <= requests ? 0 :
                          fmin(requests, (pages - requests + under_way) / (double)ROOM);
            double least = (pages - (double)ROOM * requests) / (MOST - ROOM);

            assert_true(n >= fmax(0, fmin(least, requests - under_way)));
            assert_true(n <= most + 1e-6);
        }
}

/* The request is counted, and its sectors are not yet. */
static void one_that_is_under_way_is_known(void **state)
{
    uint64_t requests, size;

    (void)state;
    for (requests = 5; requests < 1000; requests = requests * 3 + 1)
        for (size = ROOM + 1; size <= MOST; size++) {
            double n = expected(requests + 1, requests * size);

            if (requests * size % (requests + 1) == 0)
                continue; /* all could be of a smaller size */
            assert_true(n == requests);
            assert_int_equal(under_way, 1);
        }
}

static void sums_that_are_impossible(void **state)
{
    (void)state;
    assert_true(expected(3, UINT64_MAX) == 3);
    assert_true(expected(UINT64_MAX / 2, UINT64_MAX) <= UINT64_MAX / 2);
}

static unsigned int evenly(void)
{
    return 1 + rand() % MOST;
}

static unsigned int small_or_large(void)
{
    return rand() % 2 ? 1 + rand() % 3 : MOST - rand() % 3;
}

static unsigned int each_a_bit_rarer(void)
{
    unsigned int size = 1;

    while (size < MOST && rand() % 8)
        size++;

    return size;
}

static unsigned int mostly_small(void)
{
    return rand() % 10 ? 1 : evenly();
}

/* Returns the known share of the pages of requests, in polls of 2 to 60. */
static double known(unsigned int (*size)(void))
{
    double known = 0, truth = 0;
    unsigned int look;

    srand(1);
    for (look = 0; look < 5000; look++) {
        uint64_t requests = 2 + rand() % 59, pages = 0;
        unsigned int i, one;

        for (i = 0; i < requests; i++) {
            one = size();
            pages += one;
            truth += one + (one > ROOM);
        }
        known += pages + expected(requests, pages);
    }

    return known / truth;
}

static void near_for_sizes_that_are_mixed(void **state)
{
    (void)state;
    assert_true(fabs(known(evenly) - 1) < 0.01);
    assert_true(fabs(known(each_a_bit_rarer) - 1) < 0.01);

    /* The result is worse if a few requests are large, or no size is in between. */
    assert_true(fabs(known(mostly_small) - 1) < 0.03);
    assert_true(fabs(known(small_or_large) - 1) < 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_size_is_exact),
        cmocka_unit_test(no_requests_no_pages),
        cmocka_unit_test(never_more_than_there_can_be),
        cmocka_unit_test(one_that_is_under_way_is_known),
        cmocka_unit_test(sums_that_are_impossible),
        cmocka_unit_test(near_for_sizes_that_are_mixed),
    };

    return run_tap_tests(tests);
}
