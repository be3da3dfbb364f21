/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks what xensched-disks writes: each front end once, with its whole sum, and no more text than
 * a node of xenstore holds.
 */
#include <stdio.h>
#include <string.h>

#include "cmocka-tap.h"

#include "disks/sums.h"

static bool is_even(const void *arg, uint32_t domid)
{
    (void)arg;

    return domid % 2 == 0;
}

static void each_front_end_has_its_sum(void **state)
{
    struct sums sums = { 0 };
    char text[SUMS_TEXT];

    (void)state;
    assert_true(sums_write(&sums, text));
    assert_string_equal(text, "");
    sums_add(&sums, 4, 10);
    sums_add(&sums, 7, 1);
    sums_add(&sums, 4, UINT32_MAX);
    assert_true(sums_write(&sums, text));
    assert_string_equal(text, "4:4294967305 7:1");
    sums_free(&sums);
}

static void a_guest_that_is_no_longer_served_is_forgotten(void **state)
{
    struct sums sums = { 0 };
    char text[SUMS_TEXT];
    uint32_t domid;

    (void)state;
    for (domid = 1; domid <= 4; domid++)
        sums_add(&sums, domid, domid);
    sums_keep(&sums, is_even, NULL);
    assert_true(sums_write(&sums, text));
    assert_string_equal(text, "4:4 2:2");
    sums_free(&sums);
}

static void a_guest_without_room_is_left_out_whole(void **state)
{
    struct sums sums = { 0 };
    char text[SUMS_TEXT];
    uint32_t domid;
    size_t length;

    (void)state;
    for (domid = 0; domid < 1000; domid++)
        sums_add(&sums, 10000 + domid, 123456789);
    assert_false(sums_write(&sums, text));
    length = strlen(text);
    assert_true(length < SUMS_TEXT && length > SUMS_TEXT - 20);
    assert_string_equal(text + length - 10, ":123456789");
    sums_free(&sums);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_front_end_has_its_sum),
        cmocka_unit_test(a_guest_that_is_no_longer_served_is_forgotten),
        cmocka_unit_test(a_guest_without_room_is_left_out_whole),
    };

    return run_tap_tests(tests);
}
