/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the lease of the area: it lasts while its holder renews it, excludes other programs for
 * this long, and then the next program takes the area over.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"
#include "area-world.h"

#include <xensched/area.h>

/* Makes the area of another program, which holds the log. */
static struct xensched_area *make_other(void)
{
    struct xensched_area *area = NULL;

    assert_int_equal(xensched_area_setup(&ours, false, OTHER, &area, NULL), 0);
    assert_int_equal(xensched_area_events(area, BUILT, LEASE_MS, NULL), 0);

    return area;
}

static uint32_t left_ms(void)
{
    struct xensched_area_info info;

    assert_int_equal(xensched_area_ask(&info, NULL), 0);

    return info.lease_left_ms;
}

static void a_lease_lasts_as_long_as_it_is_renewed(void **state)
{
    struct xensched_area *area = make();
    struct xensched_area_info info;
    unsigned int i;

    (void)state;
    assert_int_equal(xensched_area_events(area, BUILT, LEASE_MS, NULL), 0);
    for (i = 0; i < 10; i++) {
        pass(LEASE_MS / 2);
        xensched_area_renew_lease(area);
        assert_int_equal(xen.events, BUILT);
    }
    pass(LEASE_MS / 2);
    assert_int_equal(xensched_area_info(area, &info, NULL), 0);
    assert_int_equal(info.lease_ms, LEASE_MS);
    assert_in_range(info.lease_left_ms, LEASE_MS / 2, LEASE_MS / 2 + 1);
    pass(LEASE_MS);
    assert_int_equal(xen.events, 0);
    assert_int_equal(left_ms(), 0);
    /* The lease has ended, so this is too late. */
    xensched_area_renew_lease(area);
    pass(10);
    assert_int_equal(xensched_area_info(area, &info, NULL), 0);
    assert_int_equal(info.lease_ms, 0);
    assert_int_equal(xensched_area_events(area, BUILT, LEASE_MS, NULL), 0);
    assert_int_equal(xensched_area_release(area, NULL), 0);
    assert_int_equal(xen.lease_ms, 0);
}

static void expect_held(int rc, const struct xensched_error *err)
{
    assert_int_equal(rc, -EEXIST);
    assert_non_null(strstr(err->text, "another scheduler holds the log"));
    assert_non_null(strstr(err->text, "ends in 1500 ms"));
}

static void without_holding_the_log_nothing_can_be_changed(void **state)
{
    struct xensched_area *other = make_other(), *area = make(), *none;
    struct xensched_error err;
    uint64_t select = 0x30076;

    (void)state;
    xen.nr_pmcs = 4;
    pass(500);
    expect_held(xensched_area_events(area, 0, 0, &err), &err);
    expect_held(xensched_area_events(area, BUILT, LEASE_MS, &err), &err);
    expect_held(xensched_area_pmc(area, 1, &select, &err), &err);
    expect_held(xensched_area_release(area, &err), &err);
    xen.sizes[1] *= 2; /* another layout than ours[] */
    expect_held(xensched_area_setup(&ours, false, COOKIE, &none, &err), &err);
    expect_held(xensched_area_setup(&ours, true, COOKIE, &none, &err), &err);
    assert_int_equal(xen.events, BUILT);
    assert_int_equal(xen.releases, 0);
    xensched_area_close(other);
}

static void when_its_lease_has_ended_the_next_one_takes_over(void **state)
{
    struct xensched_area *area;

    (void)state;
    xensched_area_close(make_other());
    area = make();
    assert_int_equal(xensched_area_events(area, 0, 0, NULL), -EEXIST);
    pass(LEASE_MS);
    assert_int_equal(xensched_area_events(area, BUILT, LEASE_MS, NULL), 0);
    xensched_area_close(area);
    /* A program with another layout can take it over as well. */
    pass(LEASE_MS);
    xen.sizes[1] *= 2;
    assert_int_equal(xensched_area_setup(&ours, true, COOKIE, &area, NULL), 0);
    xensched_area_close(area);
}

static void a_successor_with_the_same_cookie_needs_not_wait(void **state)
{
    struct xensched_area *area = make();

    (void)state;
    assert_int_equal(xensched_area_events(area, BUILT, LEASE_MS, NULL), 0);
    xensched_area_close(area);
    area = make();
    assert_int_equal(xensched_area_events(area, 0, 0, NULL), 0);
    assert_int_equal(left_ms(), 0);
    assert_int_equal(xensched_area_events(area, BUILT, LEASE_MS, NULL), 0);
    assert_int_equal(xensched_area_release(area, NULL), 0);
}

/* Only the holder changes bindings and permissions to make marks. */
static void bindings_and_marks_need_the_cookie_of_the_holder(void **state)
{
    struct xensched_area *area = make(), *other = make_other();
    struct xensched_error err;

    (void)state;
    assert_int_equal(xensched_area_bind(area, 5, 9, &err), -EEXIST);
    assert_int_equal(xen.bound[5], 0);
    assert_int_equal(xensched_area_bind(other, 5, 9, NULL), 0);
    assert_int_equal(xensched_allow_marks(3, true, &err), -EEXIST);
    assert_non_null(strstr(err.text, "another scheduler holds the log"));
    xensched_show_cookie(OTHER);
    assert_int_equal(xensched_allow_marks(3, true, NULL), 0);
    assert_true(xen.marks[3]);
    xensched_show_cookie(0);
    xensched_area_close(area);
    assert_int_equal(xensched_area_release(other, NULL), 0);
}

static void a_lease_that_cannot_be_is_refused_in_words(void **state)
{
    struct xensched_area *area = make();
    struct xensched_error err;

    (void)state;
    assert_int_equal(xensched_area_events(area, BUILT, 5, &err), -EINVAL);
    assert_non_null(strstr(err.text, "lease of 5 ms (100 to 3600000"));
    xen.nr_acct = 0; /* by another program */
    assert_int_equal(xensched_area_events(area, BUILT, 0, &err), -ENOENT);
    assert_non_null(strstr(err.text, "given it up"));
    xensched_area_close(area);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        area_test(a_lease_lasts_as_long_as_it_is_renewed),
        area_test(without_holding_the_log_nothing_can_be_changed),
        area_test(when_its_lease_has_ended_the_next_one_takes_over),
        area_test(a_successor_with_the_same_cookie_needs_not_wait),
        area_test(bindings_and_marks_need_the_cookie_of_the_holder),
        area_test(a_lease_that_cannot_be_is_refused_in_words),
    };

    return run_tap_tests(tests);
}
