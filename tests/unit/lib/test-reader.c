/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the reader: rows come out once, in order and intact, and each missing row is counted.  See
 * reader-world.h.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"
#include "reader-world.h"

static void rows_come_out_once_and_in_order(void **state)
{
    struct checker c = { 0 };
    struct xensched_reader r;
    struct harness *h;
    unsigned int i;

    (void)state;
    setup_reader(&h, &r, 1024);
    harness_route_all(h, 0, PLAIN);
    for (i = 0; i < 1000; i++) {
        produce(h, i % 60);
        drain(&r, 1024, &c);
        assert_int_equal(c.rows, serial_of_next_row);
    }
    assert_int_equal(r.stats.lost_bytes, 0);
    assert_int_equal(r.stats.rows, serial_of_next_row);
    teardown(h);
}

static void nothing_is_there_before_the_first_event(void **state)
{
    struct xensched_reader r;
    struct xensched_batch b;
    struct harness *h;

    (void)state;
    setup_reader(&h, &r, 1024);
    assert_int_equal(xensched_reader_read(&r, buffer, 1024, &b), 0);
    assert_int_equal(b.length, 0);
    assert_int_equal(b.lost_bytes, 0);
    teardown(h);
}

static void a_reader_of_now_sees_only_what_comes(void **state)
{
    struct checker c = { 0 };
    struct xensched_reader r;
    struct harness *h;

    (void)state;
    setup_reader(&h, &r, 1024);
    harness_route_all(h, 0, PLAIN);
    produce(h, 10000);
    xensched_reader_init(&r, h->state, h->data[0], 1024, XENSCHED_BEGIN_NOW);
    c.next_serial = serial_of_next_row;
    drain(&r, 1024, &c);
    produce(h, 5);
    drain(&r, 1024, &c);
    assert_int_equal(c.rows, 5);
    assert_int_equal(r.stats.lost_bytes, 0);
    teardown(h);
}

static void every_overwritten_row_is_counted(void **state)
{
    uint64_t seed = 1;
    size_t k;

    (void)state;
    for (k = 0; k < NR_REGISTERS; k++) {
        struct checker c = { 0 };
        struct xensched_reader r;
        struct harness *h;
        unsigned int i;

        setup_reader(&h, &r, 512);
        harness_route_all(h, 0, registers[k]);
        drain(&r, 512, &c);
        for (i = 0; i < 3000; i++) {
            produce(h, harness_random_below(&seed, 200));
            drain(&r, 64 + harness_random_below(&seed, 449), &c);
            assert_int_equal(c.next_serial, serial_of_next_row);
        }
        assert_int_equal(c.rows + r.stats.lost_rows, serial_of_next_row);
        assert_int_equal(r.stats.rows, c.rows);
        assert_true(r.stats.lost_rows > 0 && c.rows > 0);
        assert_int_equal(r.stats.unknown_bytes, 0);
        teardown(h);
    }
}

static void a_row_overwritten_while_it_is_copied_is_dropped(void **state)
{
    struct interference in = { .seed = 2 };
    size_t k;

    (void)state;
    for (k = 0; k < NR_REGISTERS; k++) {
        for (in.chance = 2; in.chance < 5000; in.chance *= 3) {
            struct checker c = { 0 };
            struct xensched_reader r;
            struct harness *h;
            unsigned int i;

            setup_reader(&h, &r, 512);
            harness_route_all(h, 0, registers[k]);
            drain(&r, 512, &c);
            in.h = h;
            meanwhile = interfere;
            meanwhile_arg = &in;
            for (i = 0; i < 300; i++) {
                struct xensched_batch b;

                produce(h, harness_random_below(&in.seed, 40));
                assert_true(xensched_reader_read(&r, buffer, 512, &b) >= 0);
                check(&c, &b);
            }
            meanwhile = NULL;
            drain(&r, 512, &c);
            assert_int_equal(c.next_serial, serial_of_next_row);
            teardown(h);
        }
    }
}

/* The producer was stopped between writing a row and its position. */
static void a_row_in_flight_is_never_delivered(void **state)
{
    struct xensched_reader r;
    struct xensched_batch b;
    struct harness *h;
    uint32_t size;

    (void)state;
    setup_reader(&h, &r, 512);
    harness_route_all(h, 0, PLAIN);
    produce(h, 32);
    size = h->state[0].row_size;
    memset(h->data[0] + h->state[0].pos % 512, 0xff, size);

    assert_int_equal(xensched_reader_read(&r, buffer, 512, &b), 0);
    assert_int_equal(b.lost_rows, 1);
    assert_int_equal(b.length, 512 - size);
    assert_int_equal(b.pos, size);
    teardown(h);
}

static void blocks_of_rows_are_decoded_as_each_of_them(void **state)
{
    struct xensched_row rows[8], row;
    struct xensched_reader r;
    struct xensched_batch b;
    struct harness *h;
    size_t first, nr, i;

    (void)state;
    setup_reader(&h, &r, 1024);
    harness_route_all(h, 0, PLAIN);
    produce(h, 21);
    assert_int_equal(xensched_reader_read(&r, buffer, 1024, &b), 0);
    b.cpu = 5;
    for (first = 0; (nr = xensched_batch_decode(&b, first, rows, 8));
         first += nr) {
        assert_int_equal(nr, first < 16 ? 8 : 5);
        for (i = 0; i < nr; i++) {
            xensched_batch_row(&b, first + i, &row);
            assert_memory_equal(&rows[i], &row, sizeof(row));
            assert_int_equal(row.cpu, 5);
        }
    }
    assert_int_equal(first, 21);
    assert_int_equal(xensched_batch_decode(&b, 100, rows, 8), 0);
    teardown(h);
}

static void a_small_buffer_only_takes_longer(void **state)
{
    struct checker c = { 0 };
    struct xensched_reader r;
    struct harness *h;

    (void)state;
    setup_reader(&h, &r, 4096);
    harness_route_all(h, 0, PLAIN);
    produce(h, 200);
    drain(&r, XEN_SCHEDLOG_MAX_ROW_SIZE, &c);
    assert_int_equal(c.rows, 200);
    teardown(h);
}

struct race {
    struct harness *h;
    bool stop;
};

static void *race_producer(void *arg)
{
    struct race *race = arg;
    unsigned int i;

    while (!__atomic_load_n(&race->stop, __ATOMIC_RELAXED)) {
        produce(race->h, 1 + serial_of_next_row % 97);
        for (i = 0; i < serial_of_next_row % 1009; i++)
            __asm__ volatile ( "" );
    }

    return NULL;
}

static void a_producer_on_another_cpu_is_never_misread(void **state)
{
    static const uint32_t sizes[] = { 256, 4096, 65536 };
    struct timespec start, now;
    unsigned int k;

    (void)state;
    for (k = 0; k < 3; k++) {
        struct checker c = { 0 };
        struct race race = { 0 };
        struct xensched_reader r;
        pthread_t thread;

        setup_reader(&race.h, &r, sizes[k]);
        harness_route_all(race.h, 0, PLAIN);
        drain(&r, sizes[k], &c);
        assert_int_equal(pthread_create(&thread, NULL, race_producer, &race),
                         0);
        clock_gettime(CLOCK_MONOTONIC, &start);
        do {
            struct xensched_batch b;

            assert_true(xensched_reader_read(&r, buffer, sizes[k], &b) >= 0);
            check(&c, &b);
            clock_gettime(CLOCK_MONOTONIC, &now);
        } while (now.tv_sec - start.tv_sec < 1);
        __atomic_store_n(&race.stop, true, __ATOMIC_RELAXED);
        pthread_join(thread, NULL);
        drain(&r, sizes[k], &c);
        assert_int_equal(c.next_serial, serial_of_next_row);
        assert_true(c.rows > 0);
        print_message("# %u byte log buffer: %llu rows written, %llu read, "
                      "%llu overwritten\n", sizes[k],
                      (unsigned long long)serial_of_next_row,
                      (unsigned long long)c.rows,
                      (unsigned long long)r.stats.lost_rows);
        teardown(race.h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_out_once_and_in_order),
        cmocka_unit_test(nothing_is_there_before_the_first_event),
        cmocka_unit_test(a_reader_of_now_sees_only_what_comes),
        cmocka_unit_test(every_overwritten_row_is_counted),
        cmocka_unit_test(a_row_overwritten_while_it_is_copied_is_dropped),
        cmocka_unit_test(a_row_in_flight_is_never_delivered),
        cmocka_unit_test(blocks_of_rows_are_decoded_as_each_of_them),
        cmocka_unit_test(a_small_buffer_only_takes_longer),
        cmocka_unit_test(a_producer_on_another_cpu_is_never_misread),
    };

    return run_tap_tests(tests);
}
