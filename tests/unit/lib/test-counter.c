/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks log buffers that count: the difference between two reads is the number of events, whatever
 * else the row contains, and even if the register changes in between.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/counter.h>

#include "cmocka-tap.h"
#include "harness.h"

#define EVENT XEN_SCHEDLOG_EV_GRANT_MAP

#define ADD (XEN_SCHEDLOG_LCR_ADD | XEN_SCHEDLOG_LCR_COUNTER)
#define ADD64 (ADD | XEN_SCHEDLOG_LCR_COUNTER64)
#define IDS (XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT | \
             XEN_SCHEDLOG_LCR_CORRESPONDENT)
#define TICK (XEN_SCHEDLOG_LCR_TIME_TICK | XEN_SCHEDLOG_LCR_TIME64)

/* Rows of 4, 8, 16, 32 and 64 bytes. */
static const uint32_t registers[] = {
    ADD, ADD64, ADD | IDS, ADD64 | IDS | TICK,
    ADD | 6U << XEN_SCHEDLOG_LCR_PAD_SHIFT,
};

#define NR_REGISTERS (sizeof(registers) / sizeof(registers[0]))

static struct harness *setup(struct xensched_counter *c, uint32_t size,
                             uint32_t lcr)
{
    struct harness *h = harness_new(8, 1, size);

    harness_route_all(h, 0, lcr);
    xensched_counter_init(c, h->state, h->data[0], size);

    return h;
}

static void count(struct harness *h, uint64_t amount)
{
    schedlog_record(h->cpu, EVENT, 2, 3, amount);
}

static void read_ok(struct xensched_counter *c, struct xensched_count *n)
{
    assert_int_equal(xensched_counter_read(c, n), 0);
}

static void each_addition_is_reported_once(void **state)
{
    struct xensched_counter c;
    struct xensched_count n;
    size_t k;

    (void)state;
    for (k = 0; k < NR_REGISTERS; k++) {
        struct harness *h = setup(&c, 64, registers[k]);

        count(h, 5);
        read_ok(&c, &n);
        assert_true(n.restarted);
        assert_int_equal(n.value, 5);
        assert_int_equal(n.events, 1);
        assert_int_equal(n.added, 0);

        count(h, 7);
        count(h, 1);
        read_ok(&c, &n);
        assert_false(n.restarted || n.saturated);
        assert_int_equal(n.value, 13);
        assert_int_equal(n.added, 8);
        assert_int_equal(n.new_events, 2);

        read_ok(&c, &n);
        assert_int_equal(n.value, 13);
        assert_int_equal(n.added, 0);
        assert_int_equal(n.new_events, 0);
        harness_free(h);
    }
}

static void a_reader_before_the_first_event_misses_nothing(void **state)
{
    struct xensched_counter c;
    struct xensched_count n;
    struct harness *h = setup(&c, 16, ADD | IDS);

    (void)state;
    read_ok(&c, &n);
    assert_int_equal(n.rows, 0);
    assert_int_equal(n.value, 0);
    read_ok(&c, &n);
    assert_false(n.restarted);
    count(h, 3);
    count(h, 4);
    read_ok(&c, &n);
    assert_false(n.restarted);
    assert_int_equal(n.added, 7);
    assert_int_equal(n.new_events, 2);
    harness_free(h);
}

static void the_last_row_comes_along(void **state)
{
    struct xensched_counter c;
    struct xensched_count n;
    struct harness *h = setup(&c, 64, ADD64 | IDS | TICK);

    (void)state;
    count(h, 10);
    h->cpu->tick = 1ULL << 40;
    schedlog_record(h->cpu, EVENT, 4, 5, 20);
    read_ok(&c, &n);
    assert_int_equal(n.rows, 2);
    assert_int_equal(n.value, 30);
    assert_int_equal(n.row.event, EVENT);
    assert_int_equal(n.row.current, 4);
    assert_int_equal(n.row.correspondent, 5);
    assert_int_equal(n.row.counter, 20);
    assert_true(n.row.time == 1ULL << 40);
    harness_free(h);
}

static void rows_of_a_file_are_added_up(void **state)
{
    uint64_t seed = 1, total = 0, seen = 0;
    struct xensched_counter c;
    struct xensched_count n;
    size_t k, i;

    (void)state;
    for (k = 0; k < NR_REGISTERS; k++) {
        struct harness *h = setup(&c, 1024, registers[k]);

        read_ok(&c, &n);
        for (i = 0, total = seen = 0; i < 3000; i++) {
            uint64_t amount = harness_random_below(&seed, 1000);

            count(h, amount);
            total += amount;
            if (harness_random_below(&seed, 10))
                continue;
            read_ok(&c, &n);
            seen += n.added;
            assert_int_equal(n.value, total);
            assert_int_equal(n.events, i + 1);
            assert_int_equal(seen, total);
            assert_int_equal(n.rows, 1024 / h->state[0].row_size);
        }
        harness_free(h);
    }
}

static void other_log_files_are_told_apart(void **state)
{
    static const uint32_t others[] = {
        IDS | XEN_SCHEDLOG_LCR_COUNTER,      /* no ADD */
        IDS | XEN_SCHEDLOG_LCR_ADD,          /* no counter */
        ADD | 6U << XEN_SCHEDLOG_LCR_PAD_SHIFT, /* larger than the file */
    };
    struct xensched_counter c;
    struct xensched_count n;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct harness *h = setup(&c, 32, others[i]);

        count(h, 5);
        assert_int_equal(xensched_counter_read(&c, &n), -EINVAL);
        assert_int_equal(n.value, 0);
        h->lcr[0] = ADD64 | IDS;
        count(h, 5);
        read_ok(&c, &n);
        assert_true(n.restarted);
        count(h, 6);
        read_ok(&c, &n);
        assert_false(n.restarted);
        assert_int_equal(n.added, 6);
        harness_free(h);
    }
}

/* The old bytes may have had another meaning, so only later differences count. */
static void a_change_of_the_register_starts_anew(void **state)
{
    struct xensched_counter c;
    struct xensched_count n;
    size_t from, to;

    (void)state;
    for (from = 0; from < NR_REGISTERS; from++)
        for (to = 0; to < NR_REGISTERS; to++) {
            struct harness *h = setup(&c, 128, registers[from]);
            bool same = from == to;

            count(h, 100);
            count(h, 100);
            read_ok(&c, &n);
            h->lcr[0] = registers[to];
            count(h, 10);
            read_ok(&c, &n);
            assert_int_equal(n.restarted, !same);
            assert_int_equal(n.added, same ? 10 : 0);
            count(h, 11);
            count(h, 12);
            read_ok(&c, &n);
            assert_false(n.restarted);
            assert_int_equal(n.added, 23);
            assert_int_equal(n.new_events, 2);
            harness_free(h);
        }
}

static void check_full(uint32_t lcr, uint64_t limit)
{
    struct xensched_counter c;
    struct xensched_count n;
    struct harness *h = setup(&c, 16, lcr);

    count(h, limit - 5);
    read_ok(&c, &n);
    assert_false(n.saturated);
    count(h, 10);
    read_ok(&c, &n);
    assert_true(n.saturated);
    assert_true(n.value == limit);
    assert_int_equal(n.added, 5);
    count(h, 10);
    read_ok(&c, &n);
    assert_true(n.saturated);
    assert_int_equal(n.added, 0);
    assert_int_equal(n.new_events, 1);
    harness_free(h);
}

static void a_full_counter_is_told(void **state)
{
    (void)state;
    check_full(ADD | IDS, UINT32_MAX);
    check_full(ADD64 | IDS, UINT64_MAX);
}

static void a_counter_that_goes_back_is_noticed(void **state)
{
    struct xensched_counter c;
    struct xensched_count n;
    struct harness *h = setup(&c, 16, ADD | IDS);

    (void)state;
    count(h, 50);
    count(h, 50);
    read_ok(&c, &n);
    h->data[0][h->cpu->file[0].counter_offset] = 1;
    assert_int_equal(xensched_counter_read(&c, &n), -EPROTO);
    read_ok(&c, &n);
    assert_true(n.restarted);
    h->state[0].pos -= h->state[0].row_size;
    assert_int_equal(xensched_counter_read(&c, &n), -EPROTO);
    h->state[0].row_size *= 2;
    assert_int_equal(xensched_counter_read(&c, &n), -EPROTO);
    harness_free(h);
}

static void a_layout_in_change_is_left_for_the_next_call(void **state)
{
    struct xensched_counter c;
    struct xensched_count n;
    struct harness *h = setup(&c, 16, ADD | IDS);

    (void)state;
    count(h, 1);
    read_ok(&c, &n);
    count(h, 2);
    h->state[0].layout_seq++;
    assert_int_equal(xensched_counter_read(&c, &n), -EAGAIN);
    assert_int_equal(n.value, 0);
    h->state[0].layout_seq--;
    read_ok(&c, &n);
    assert_false(n.restarted);
    assert_int_equal(n.added, 2);
    harness_free(h);
}

/* The address sanitizer finds errors here. */
static void no_state_makes_it_leave_its_memory(void **state)
{
    struct xensched_counter c;
    struct xensched_count n;
    struct harness *h = setup(&c, 512, ADD);
    struct xen_schedlog_state *s = h->state;
    unsigned int i, good = 0, refused = 0;
    uint64_t seed = 5;

    (void)state;
    for (i = 0; i < 200000; i++) {
        int rc;

        switch (harness_random_below(&seed, 7)) {
        case 0: s->pos = harness_random(&seed) & 0xff0; break;
        case 1: s->pos = harness_random(&seed); break;
        case 2: s->layout_pos = harness_random(&seed) & 0xff0; break;
        case 3: s->lcr = registers[harness_random_below(&seed, 5)]; break;
        case 4: s->lcr = harness_random(&seed); break;
        case 5: s->row_size = 1U << harness_random_below(&seed, 8); break;
        case 6: s->layout_seq = harness_random_below(&seed, 8); break;
        }
        rc = xensched_counter_read(&c, &n);
        good += rc == 0;
        refused += rc == -EPROTO;
        assert_true(rc == 0 || rc == -EINVAL || rc == -EAGAIN ||
                    rc == -EPROTO);
    }
    assert_true(good > 1000 && refused > 1000);
    harness_free(h);
}

struct race {
    struct harness *h;
    uint64_t total;
    bool stop;
};

static void *race_producer(void *arg)
{
    struct race *race = arg;
    uint64_t seed = 6;

    while (!__atomic_load_n(&race->stop, __ATOMIC_RELAXED)) {
        uint64_t amount = harness_random_below(&seed, 16);

        count(race->h, amount);
        race->total += amount;
    }

    return NULL;
}

static void read_during(struct race *race, struct xensched_counter *c,
                        uint64_t *added, uint64_t *events)
{
    struct xensched_count n;
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, race_producer, race), 0);
    while (*events < 300000) {
        int rc = xensched_counter_read(c, &n);

        /* The producer adopts the register at its first event. */
        if (rc == -EAGAIN)
            continue;
        assert_int_equal(rc, 0);
        assert_false(n.restarted || n.saturated);
        *added += n.added;
        *events += n.new_events;
        assert_int_equal(n.value, *added);
    }
    __atomic_store_n(&race->stop, true, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    read_ok(c, &n);
    *added += n.added;
    *events += n.new_events;
}

static void a_producer_on_another_cpu_is_never_misread(void **state)
{
    static const uint32_t sizes[] = { 32, 1024 };
    struct xensched_counter c;
    struct xensched_count n;
    size_t k;

    (void)state;
    for (k = 0; k < 2; k++) {
        struct race race = { .h = setup(&c, sizes[k], ADD64 | IDS | TICK) };
        uint64_t added = 0, events = 0;

        read_ok(&c, &n);
        read_during(&race, &c, &added, &events);
        assert_int_equal(added, race.total);
        assert_int_equal(events, race.h->state[0].pos /
                                 race.h->state[0].row_size);
        print_message("# %u byte log buffer: %llu counted in %llu events\n",
                      sizes[k], (unsigned long long)added,
                      (unsigned long long)events);
        harness_free(race.h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_addition_is_reported_once),
        cmocka_unit_test(a_reader_before_the_first_event_misses_nothing),
        cmocka_unit_test(the_last_row_comes_along),
        cmocka_unit_test(rows_of_a_file_are_added_up),
        cmocka_unit_test(other_log_files_are_told_apart),
        cmocka_unit_test(a_change_of_the_register_starts_anew),
        cmocka_unit_test(a_full_counter_is_told),
        cmocka_unit_test(a_counter_that_goes_back_is_noticed),
        cmocka_unit_test(a_layout_in_change_is_left_for_the_next_call),
        cmocka_unit_test(no_state_makes_it_leave_its_memory),
        cmocka_unit_test(a_producer_on_another_cpu_is_never_misread),
    };

    return run_tap_tests(tests);
}
