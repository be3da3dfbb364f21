/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the reader while the layout of rows changes: rows of both layouts come out as they were
 * written, or count as lost.  See reader-world.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"
#include "reader-world.h"

static void both_sides_of_a_change_of_the_layout_are_decoded(void **state)
{
    size_t from, to;
    unsigned int rows;

    (void)state;
    for (from = 0; from < NR_REGISTERS; from++)
        for (to = 0; to < NR_REGISTERS; to++)
            for (rows = 1; rows < 20; rows++) {
                struct checker c = { 0 };
                struct xensched_reader r;
                struct harness *h;

                setup_reader(&h, &r, 4096);
                harness_route_all(h, 0, registers[from]);
                produce(h, 1);
                drain(&r, 4096, &c);
                produce(h, rows);
                harness_route_all(h, 0, registers[to]);
                produce(h, rows);
                drain(&r, 4096, &c);
                assert_int_equal(c.rows, 1 + 2 * rows);
                assert_int_equal(r.stats.lost_bytes, 0);
                teardown(h);
            }
}

static void rows_lost_around_a_change_of_the_layout_are_counted(void **state)
{
    size_t from, to;
    unsigned int rows;

    (void)state;
    for (from = 0; from < NR_REGISTERS; from++)
        for (to = 0; to < NR_REGISTERS; to++)
            for (rows = 0; rows < 150; rows++) {
                struct checker c = { 0 };
                struct xensched_reader r;
                struct harness *h;

                setup_reader(&h, &r, 512);
                harness_route_all(h, 0, registers[from]);
                drain(&r, 512, &c);
                produce(h, 1);
                drain(&r, 512, &c);
                produce(h, 7);
                harness_route_all(h, 0, registers[to]);
                produce(h, rows);
                drain(&r, 512, &c);
                assert_int_equal(c.next_serial, serial_of_next_row);
                assert_int_equal(r.stats.unknown_bytes, 0);
                teardown(h);
            }
}

/* The producer was stopped after it announced a layout. */
static void a_layout_is_announced_before_its_position(void **state)
{
    struct checker c = { 0 };
    struct xensched_reader r;
    struct harness *h;
    uint64_t pos;

    (void)state;
    setup_reader(&h, &r, 1024);
    harness_route_all(h, 0, registers[2]);
    produce(h, 3);
    drain(&r, 1024, &c);
    produce(h, 2);
    pos = h->state[0].pos;
    schedlog_set_layout(&h->cpu->file[0], registers[4]);
    h->lcr[0] = registers[4];
    assert_true(h->state[0].layout_gap > 0);
    h->state[0].pos = pos;
    drain(&r, 1024, &c);
    assert_int_equal(c.rows, 5);
    drain(&r, 1024, &c);
    produce(h, 2);
    drain(&r, 1024, &c);
    assert_int_equal(c.rows, 7);
    assert_int_equal(r.stats.nonsense, 0);
    assert_int_equal(r.stats.lost_bytes, 0);
    teardown(h);
}

/* Likewise, while it was writing the first row of the new layout. */
static void a_row_behind_an_announcement_is_never_delivered(void **state)
{
    struct checker c = { 0 };
    struct xensched_reader r;
    struct harness *h;
    uint64_t pos;

    (void)state;
    setup_reader(&h, &r, 512);
    harness_route_all(h, 0, registers[2]);
    produce(h, 1);
    drain(&r, 512, &c);
    produce(h, 33);
    pos = h->state[0].pos;
    schedlog_set_layout(&h->cpu->file[0], registers[4]);
    memset(h->data[0] + h->state[0].pos % 512, 0xff, 64);
    h->state[0].pos = pos;
    drain(&r, 512, &c);
    assert_true(c.rows > 1);
    assert_int_equal(c.next_serial, serial_of_next_row);
    teardown(h);
}

/* Likewise, in the middle of a copy. */
static void begin_a_larger_row(void *arg)
{
    struct harness *h = arg;
    uint64_t pos = h->state[0].pos;

    meanwhile = NULL;
    schedlog_set_layout(&h->cpu->file[0], registers[4]);
    memset(h->data[0] + h->state[0].pos % 512, 0xff, 64);
    h->state[0].pos = pos;
}

static void a_larger_row_in_flight_is_never_delivered(void **state)
{
    struct checker c = { 0 };
    struct xensched_reader r;
    struct xensched_batch b;
    struct harness *h;

    (void)state;
    setup_reader(&h, &r, 512);
    harness_route_all(h, 0, registers[2]);
    drain(&r, 512, &c);
    produce(h, 33);
    meanwhile = begin_a_larger_row;
    meanwhile_arg = h;
    assert_true(xensched_reader_read(&r, buffer, 512, &b) >= 0);
    check(&c, &b);
    assert_true(c.rows > 0);
    assert_int_equal(c.next_serial, serial_of_next_row);
    teardown(h);
}

static void rows_of_a_layout_never_seen_are_lost_bytes(void **state)
{
    struct checker c = { 0 };
    struct xensched_reader r;
    struct xensched_batch b;
    struct harness *h;

    (void)state;
    setup_reader(&h, &r, 4096);
    harness_route_all(h, 0, registers[0]);
    produce(h, 8);
    drain(&r, 4096, &c);
    produce(h, 6);                         /* 24 bytes, lost */
    harness_route_all(h, 0, registers[1]);
    produce(h, 3);                         /* 24 bytes, lost */
    harness_route_all(h, 0, registers[2]);
    produce(h, 5);
    c.next_serial += 9;

    assert_int_equal(xensched_reader_read(&r, buffer, 4096, &b), 0);
    assert_int_equal(b.lost_rows, 0);
    assert_int_equal(b.lost_bytes, 48);
    check(&c, &b);
    assert_int_equal(c.next_serial, serial_of_next_row);
    assert_int_equal(r.stats.unknown_bytes, 48);
    teardown(h);
}

static void a_register_which_writes_nothing_ends_the_rows(void **state)
{
    struct checker c = { 0 };
    struct xensched_reader r;
    struct harness *h;

    (void)state;
    setup_reader(&h, &r, 32);
    harness_route_all(h, 0, registers[0]);
    produce(h, 3);
    drain(&r, 64, &c);
    produce(h, 2);
    harness_route_all(h, 0, registers[4]); /* larger than the log buffer */
    schedlog_record(h->cpu, EVENT, 2, 3, 0);
    drain(&r, 64, &c);
    assert_int_equal(c.rows, 5);
    harness_route_all(h, 0, registers[1]);
    produce(h, 2);
    drain(&r, 64, &c);
    assert_int_equal(c.rows, 7);
    assert_int_equal(r.stats.lost_bytes, 0);
    assert_int_equal(r.stats.nonsense, 0);
    teardown(h);
}

static void interfere_with_layout(void *arg)
{
    struct interference *in = arg;

    interfere(arg);
    if (!harness_random_below(&in->seed, 8 * in->chance))
        in->h->lcr[0] = registers[harness_random_below(&in->seed,
                                                       NR_REGISTERS)];
}

/*
 * Serial numbers jump after bytes of an unknown layout, so a row may come late here.  It must be a
 * row that was written, and in order.
 */
static void changes_of_the_layout_never_yield_a_wrong_row(void **state)
{
    struct interference in = { .seed = 3, .chance = 200 };
    struct xensched_reader r;
    struct xensched_batch b;
    struct xensched_row row;
    uint32_t expected = 0;
    struct harness *h;
    unsigned int i;
    size_t k;

    (void)state;
    setup_reader(&h, &r, 512);
    harness_route_all(h, 0, registers[0]);
    in.h = h;
    meanwhile = interfere_with_layout;
    meanwhile_arg = &in;
    for (i = 0; i < 30000; i++) {
        uint64_t unknown = r.stats.unknown_bytes;

        interfere_with_layout(&in);
        produce(h, harness_random_below(&in.seed, 4));
        assert_true(xensched_reader_read(&r, buffer, 512, &b) >= 0);
        expected += b.lost_rows;
        for (k = 0; k < xensched_batch_rows(&b); k++) {
            xensched_batch_row(&b, k, &row);
            if (r.stats.unknown_bytes != unknown && row.counter > expected)
                expected = row.counter;
            assert_int_equal(row.counter, expected);
            expected++;
        }
    }
    assert_int_equal(r.stats.nonsense, 0);
    assert_true(r.stats.rows > 10000);
    teardown(h);
}

static void a_layout_in_change_is_left_for_the_next_call(void **state)
{
    struct checker c = { 0 };
    struct xensched_reader r;
    struct xensched_batch b;
    struct harness *h;

    (void)state;
    setup_reader(&h, &r, 1024);
    harness_route_all(h, 0, PLAIN);
    produce(h, 4);
    h->state[0].layout_seq++;
    assert_int_equal(xensched_reader_read(&r, buffer, 1024, &b), -EAGAIN);
    assert_int_equal(b.length, 0);
    assert_int_equal(r.stats.busy, 1);
    h->state[0].layout_seq--;
    drain(&r, 1024, &c);
    assert_int_equal(c.rows, 4);
    teardown(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_of_a_change_of_the_layout_are_decoded),
        cmocka_unit_test(rows_lost_around_a_change_of_the_layout_are_counted),
        cmocka_unit_test(a_layout_is_announced_before_its_position),
        cmocka_unit_test(a_row_behind_an_announcement_is_never_delivered),
        cmocka_unit_test(a_larger_row_in_flight_is_never_delivered),
        cmocka_unit_test(rows_of_a_layout_never_seen_are_lost_bytes),
        cmocka_unit_test(a_register_which_writes_nothing_ends_the_rows),
        cmocka_unit_test(changes_of_the_layout_never_yield_a_wrong_row),
        cmocka_unit_test(a_layout_in_change_is_left_for_the_next_call),
    };

    return run_tap_tests(tests);
}
