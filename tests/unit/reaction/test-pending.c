/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks which requests are matched with their answers, and how many rows wait for that. */
#include "cmocka-tap.h"
#include "reaction/pending.h"

#define FRONT 3U
#define BACK  2U
#define OTHER 4U

#define MAX_ROWS (1U << 20)

static struct pending pending;
static unsigned int nr_answered;
static uint32_t took_last;

static void count_answer(void *arg, const struct pending_request *request, uint32_t time,
                         uint32_t took)
{
    (void)arg;
    (void)time;
    nr_answered += request->front == FRONT && request->back == BACK;
    took_last = took;
}

static void notify(uint32_t time, uint16_t from, uint16_t to)
{
    pending_add(&pending, &(struct pending_row){ time, from, to });
}

/* A row is matched one round after the round that read it. */
static void settle(uint32_t end)
{
    pending_settle(&pending, count_answer, NULL);
    notify(end, OTHER, OTHER);
    pending_settle(&pending, count_answer, NULL);
}

static int teardown(void **state)
{
    (void)state;
    pending_free(&pending);
    nr_answered = 0;

    return 0;
}

static void a_request_lasts_from_the_first_notification_to_the_answer(void **state)
{
    (void)state;
    notify(40, BACK, FRONT);
    notify(10, FRONT, BACK);
    notify(20, FRONT, BACK);
    settle(100);
    assert_int_equal(nr_answered, 1);
    assert_int_equal(took_last, 30);
}

/* A guest that sends without end between two rounds costs a bounded amount of memory. */
static void rows_of_one_round_are_bounded(void **state)
{
    uint32_t i;

    (void)state;
    notify(1, FRONT, BACK);
    for (i = 0; i < MAX_ROWS; i++) {
        notify(2 + i, OTHER, BACK);
        assert_in_range(pending.nr_rows, 1, MAX_ROWS);
    }
    assert_in_range(pending.row_room, 1, MAX_ROWS);
    /* The rows that are gone may have been about this request. */
    notify(i + 3, BACK, FRONT);
    settle(i + 4);
    assert_int_equal(nr_answered, 0);

    /* The next request is measured. */
    notify(i + 5, FRONT, BACK);
    notify(i + 8, BACK, FRONT);
    settle(i + 9);
    assert_int_equal(nr_answered, 1);
    assert_int_equal(took_last, 3);
}

#define pending_test(f) cmocka_unit_test_teardown(f, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        pending_test(a_request_lasts_from_the_first_notification_to_the_answer),
        pending_test(rows_of_one_round_are_bounded),
    };

    return run_tap_tests(tests);
}
