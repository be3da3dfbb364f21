/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that the daemon's only thread continues with urgent work while a blocking call hangs in
 * a helper thread.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "cmocka-tap.h"

#include "base/blocking-call.h"

#define TURNS 3
#define RESULT 42

static atomic_int turns;
static pthread_t first, other;
static bool elsewhere;

/* Blocks until the main thread has done other work. */
static int hang(void *arg)
{
    (void)arg;
    other = pthread_self();
    while (atomic_load(&turns) < TURNS)
        usleep(1000);

    return RESULT;
}

static int answer(void *arg)
{
    other = pthread_self();

    return *(int *)arg;
}

static void count(void *arg)
{
    elsewhere |= !pthread_equal(pthread_self(), *(pthread_t *)arg);
    atomic_fetch_add(&turns, 1);
}

/* A helper that calls a helper must not wait for itself. */
static int nest(void *arg)
{
    pthread_t outer = pthread_self();
    int result = blocking_call(answer, arg);

    assert_true(pthread_equal(outer, other));

    return result + 1;
}

static void a_call_within_a_call_is_made_there(void **state)
{
    int number = 5;

    (void)state;
    alarm(20);
    blocking_call_init(count, &first);
    assert_int_equal(blocking_call(nest, &number), 6);
    assert_int_equal(blocking_call(answer, &number), 5);
    alarm(0);
}

static void a_call_that_hangs_holds_nothing_up(void **state)
{
    int i;

    (void)state;
    blocking_call_init(count, &first);
    assert_int_equal(blocking_call(hang, NULL), RESULT);
    assert_true(atomic_load(&turns) >= TURNS);
    assert_false(elsewhere);
    assert_false(pthread_equal(first, other));
    /* Later calls work as well. */
    for (i = 0; i < 1000; i++)
        assert_int_equal(blocking_call(answer, &i), i);
}

static void without_anything_to_do_it_is_a_call(void **state)
{
    int value = RESULT;

    (void)state;
    blocking_call_init(NULL, NULL);
    assert_int_equal(blocking_call(answer, &value), RESULT);
    assert_true(pthread_equal(first, other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_that_hangs_holds_nothing_up),
        cmocka_unit_test(a_call_within_a_call_is_made_there),
        cmocka_unit_test(without_anything_to_do_it_is_a_call),
    };

    first = pthread_self();

    return run_tap_tests(tests);
}
