/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the counters that a driver domain without a log reports in xenstore: its sums become pages
 * of the right pair, each page once.
 *
 * Fails if sums about domains of others are used, or sums that are impossible, or sums from before;
 * or if an absurd text does harm.
 */
#include <string.h>

#include "cmocka-tap.h"
#include "fake-xenstore.h"
#include "log-sources-world.h"

#include "daemon/sources/log-source.h"

static void claim(const char *words)
{
    fake_xs_put(words, "/local/domain/%u/data/xensched-disks", DRIVER);
    wait_for(1);
}

static uint64_t pages_of(uint16_t client)
{
    return total_of(PAGES, DRIVER_ACCT, client);
}

static void sums_become_pages(void **state)
{
    (void)state;
    look();
    claim("4:1000");
    assert_int_equal(pages_of(CLIENT_ACCT), 0); /* the sum from before does not count */
    claim("4:1010");
    assert_int_equal(pages_of(CLIENT_ACCT), 10);
    claim("4:1010");
    assert_int_equal(pages_of(CLIENT_ACCT), 10);
    claim("4:1030");
    assert_int_equal(pages_of(CLIENT_ACCT), 30);
    assert_int_equal(driver()->state, LOG_SOURCE_ASKED);
    assert_string_equal(driver()->reason, REPORTED_COUNTERS_REASON);
    assert_int_equal(driver()->refused, 0);
}

static void a_smaller_sum_begins_anew(void **state)
{
    (void)state;
    look();
    claim("4:1000");
    claim("4:5");
    claim("4:9");
    assert_int_equal(pages_of(CLIENT_ACCT), 4);
}

static void a_guest_that_was_not_named_starts_again_at_zero(void **state)
{
    (void)state;
    look();
    claim("4:1000");
    claim("");
    claim("4:2000");
    assert_int_equal(pages_of(CLIENT_ACCT), 0);
}

static void counters_of_other_guests_are_ignored(void **state)
{
    (void)state;
    look();
    claim("4:1 5:1 0:1 3:1");
    claim("4:2 5:2 0:2 3:2");
    assert_int_equal(pages_of(CLIENT_ACCT), 1);
    assert_int_equal(pages_of(OTHER_ACCT), 0);
    assert_int_equal(pages_of(DOM0_ACCT), 0);
    assert_int_equal(pages_of(DRIVER_ACCT), 0);
}

static void each_is_believed_once_at_a_time(void **state)
{
    (void)state;
    look();
    claim("4:0");
    claim("4:1 4:1001 4:2001");
    assert_int_equal(pages_of(CLIENT_ACCT), 1);
    assert_int_equal(driver()->refused, 2);
}

static void more_than_can_be_is_not_believed(void **state)
{
    (void)state;
    look();
    claim("4:0");
    claim("4:18446744073709551615");
    assert_int_equal(pages_of(CLIENT_ACCT), 0);
    assert_int_equal(driver()->refused, 1);
    /* The next sum is far too small. */
    claim("4:10");
    claim("4:12");
    assert_int_equal(pages_of(CLIENT_ACCT), 2);
}

static void nonsense_is_refused(void **state)
{
    static const char *const nonsense[] = {
        "4", ":", "4:", ":4", "4:-1", "-4:1", "4:1x", "4:18446744073709551616",
        "32752:1", "4294967300:1", "4 :1", "\xff\xfe:1", "4:1:1",
    };
    unsigned int i;

    (void)state;
    look();
    claim("4:1");
    for (i = 0; i < sizeof(nonsense) / sizeof(*nonsense); i++) {
        uint64_t before = driver()->refused;

        claim(nonsense[i]);
        assert_true(driver()->refused > before);
    }
    assert_int_equal(pages_of(CLIENT_ACCT), 0);
}

static void while_it_has_a_log_that_counts(void **state)
{
    (void)state;
    get_it_to_log();
    claim("4:1000");
    claim("4:2000");
    assert_int_equal(pages_of(CLIENT_ACCT), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        log_sources_test(sums_become_pages),
        log_sources_test(a_smaller_sum_begins_anew),
        log_sources_test(a_guest_that_was_not_named_starts_again_at_zero),
        log_sources_test(counters_of_other_guests_are_ignored),
        log_sources_test(each_is_believed_once_at_a_time),
        log_sources_test(more_than_can_be_is_not_believed),
        log_sources_test(nonsense_is_refused),
        log_sources_test(while_it_has_a_log_that_counts),
    };

    return run_tap_tests(tests);
}
