/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that the daemon knows where the memory of guests is: it counts in bounded parts, repeats
 * the count after a while, knows the distances of the host's nodes, and continues without memory on
 * a host that does not report it.
 */
#include "cmocka-tap.h"
#include "core-world.h"

const char state_path[] = "test-core-memory.state";
const char journal_path[] = "test-core-memory.journal";

static struct pages *pages_of(uint32_t domid)
{
    return &domains_find(&core.domains, domid)->pages;
}

static void where_memory_is_is_found_in_parts(void **state)
{
    unsigned int runs = 1, calls;

    (void)state;
    fake_host_tells_memory(&host);
    domain(DISK)->frames[1] = 20000;
    domain(SPIN)->frames[0] = 30000;
    domain(SPIN)->frames[1] = 10000;
    start(MODE_OBSERVE);
    while (!pages_of(DISK)->known) {
        assert_in_range(host.world->owner_calls, 16 * runs - 1, 16 * runs);
        run(1, SILENCE);
        assert_in_range(++runs, 2, 10);
    }
    assert_int_equal(pages_of(DISK)->on[0], 0);
    assert_int_equal(pages_of(DISK)->on[1], 20000);
    assert_float_equal(pages_share(pages_of(SPIN), 0), 0.75, 1e-9);
    /* The next count begins after five minutes. */
    calls = host.world->owner_calls;
    domain(DISK)->frames[0] = 20000;
    run(300 - runs, SILENCE);
    assert_int_equal(host.world->owner_calls, calls);
    assert_int_equal(pages_of(DISK)->on[0], 0);
    run(6, SILENCE);
    assert_int_equal(pages_of(DISK)->on[0], 20000);
}

static void a_guest_that_comes_is_counted_soon(void **state)
{
    (void)state;
    fake_host_tells_memory(&host);
    domain(DISK)->frames[1] = 20000;
    start(MODE_OBSERVE);
    run(5, SILENCE);
    fake_domain_new(&host, 7, "new", 1)->frames[0] = 1000;
    run(1, SILENCE);
    assert_false(pages_of(7)->known);
    run(12, SILENCE);
    assert_int_equal(pages_of(7)->on[0], 1000);
}

static void a_host_that_does_not_tell_is_asked_once(void **state)
{
    (void)state;
    fake_host_tells_memory(&host);
    host.world->no_owners = true;
    start(MODE_OBSERVE);
    run(310, SILENCE);
    assert_int_equal(host.world->owner_calls, 1);
    assert_false(pages_of(DISK)->known);
}

static unsigned int between;

static void count_between(void *arg)
{
    (void)arg;
    between++;
}

static void rows_are_read_between_the_parts(void **state)
{
    unsigned int without;

    (void)state;
    settings.do_urgent = count_between;
    start(MODE_OBSERVE);
    between = 0;
    run(1, SILENCE);
    without = between;
    fake_host_tells_memory(&host);
    core_stop(&core);
    core_free(&core);
    start(MODE_OBSERVE);
    between = 0;
    run(1, SILENCE);
    assert_true(between >= without + 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(where_memory_is_is_found_in_parts),
        core_test(a_guest_that_comes_is_counted_soon),
        core_test(a_host_that_does_not_tell_is_asked_once),
        core_test(rows_are_read_between_the_parts),
    };

    return run_tap_tests(tests);
}
