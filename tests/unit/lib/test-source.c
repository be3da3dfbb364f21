/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that all sources look the same to their readers.
 *
 * Tests and benchmarks rest on the synthetic source: if two of its runs differed, measurements with
 * it would mean nothing.  The live source has several logs and must not skip, mix up or favour one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <xensched/source.h>

#include "cmocka-tap.h"

#define TWO_PAIRS "pair=evtchn-send/2/3/3/1,pair=grant-map/3/2/1/16"

static struct xensched_source *open_source(const char *spec)
{
    struct xensched_source *s = NULL;

    assert_int_equal(xensched_source_open(spec, NULL, &s, NULL), 0);

    return s;
}

static void the_same_seed_gives_the_same_rows(void **state)
{
    const char *spec = "synthetic:seed=7,cpus=3,rows=1000," TWO_PAIRS;
    struct xensched_source *a = open_source(spec), *b = open_source(spec);
    struct xensched_batch x, y;
    int rc;

    (void)state;
    do {
        rc = xensched_source_next(a, &x, NULL);
        assert_int_equal(xensched_source_next(b, &y, NULL), rc);
        if (rc != XENSCHED_BATCH)
            break;
        assert_int_equal(x.cpu, y.cpu);
        assert_int_equal(x.time_ns, y.time_ns);
        assert_int_equal(x.length, y.length);
        assert_memory_equal(x.rows, y.rows, x.length);
    } while (1);
    assert_int_equal(rc, XENSCHED_END);
    xensched_source_close(a);
    xensched_source_close(b);
}

static void weights_numbers_and_losses_are_as_asked_for(void **state)
{
    struct xensched_source *s = open_source(
        "synthetic:seed=1,rows=40000,batch=100,rate=1000,lose=5," TWO_PAIRS);
    struct xensched_source_stats stats;
    struct xensched_batch b;
    struct xensched_row row;
    unsigned int sends = 0;
    size_t i;

    (void)state;
    while (xensched_source_next(s, &b, NULL) == XENSCHED_BATCH)
        for (i = 0; i < xensched_batch_rows(&b); i++) {
            xensched_batch_row(&b, i, &row);
            if (row.event == XEN_SCHEDLOG_EV_EVTCHN_SEND) {
                sends++;
                assert_int_equal(row.current, 2);
                assert_int_equal(row.correspondent, 3);
                assert_int_equal(row.counter, 1);
            } else {
                assert_int_equal(row.event, XEN_SCHEDLOG_EV_GRANT_MAP);
                assert_int_equal(row.current, 3);
                assert_int_equal(row.counter, 16);
            }
        }
    assert_in_range(sends, 29500, 30500);
    assert_true(b.time_ns == 40 * 1000000000ULL);
    xensched_source_stats(s, &stats);
    assert_int_equal(stats.rows, 40000);
    assert_int_equal(stats.batches, 400);
    assert_int_equal(stats.lost_rows, 2000);
    xensched_source_close(s);
}

static void pairs_come_in_their_phases(void **state)
{
    struct xensched_source *source;
    struct xensched_batch batch;
    struct xensched_row row;
    unsigned int nr[6] = { 0 };
    size_t i;

    (void)state;
    /* Phases of 2 s and 3 s, and the first one again; one row of six is a mark. */
    assert_int_equal(xensched_source_open(
        "synthetic:rate=100,rows=700,batch=10,pair=mark/2/3/1/1,"
        "phase=2,pair=evtchn-send/2/3/5/1,"
        "phase=3,pair=grant-map/3/2/3/1,pair=grant-map/3/4/2/1",
        NULL, &source, NULL), 0);
    while (xensched_source_next(source, &batch, NULL) == XENSCHED_BATCH)
        for (i = 0; i < xensched_batch_rows(&batch); i++) {
            unsigned int second = (batch.time_ns - 1) / 1000000000;

            xensched_batch_row(&batch, i, &row);
            nr[second < 2 ? 0 : second < 5 ? 1 : 2]++;
            if (row.event == XEN_SCHEDLOG_EV_MARK)
                nr[3]++;
            else
                assert_int_equal(row.event, second < 2 || second >= 5
                                 ? XEN_SCHEDLOG_EV_EVTCHN_SEND
                                 : XEN_SCHEDLOG_EV_GRANT_MAP);
        }
    xensched_source_close(source);
    assert_int_equal(nr[0], 200);
    assert_int_equal(nr[1], 300);
    assert_int_equal(nr[2], 200);
    assert_in_range(nr[3], 80, 160);
}

static void a_wrong_specification_is_refused(void **state)
{
    static const char *const wrong[] = {
        "", "nonsense", "synthetic", "synthetic:", "synthetic:rows=5",
        "synthetic:pair=evtchn-send/2/3/1", "synthetic:pair=nothing/2/3/1/1",
        "synthetic:phase=1,pair=mark/2/3/1/1,phase=2",
        "synthetic:phase=0,pair=mark/2/3/1/1",
        "synthetic:phase=1", "synthetic:pair=evtchn-send/2/3/0/1",
        "synthetic:pair=evtchn-send/2/70000/1/1",
        "synthetic:seed=x," TWO_PAIRS, "synthetic:cpus=0," TWO_PAIRS,
        "synthetic:batch=0," TWO_PAIRS, "synthetic:seed," TWO_PAIRS,
        "synthetic:unknown=1," TWO_PAIRS, "hypervisor:x",
    };
    struct xensched_error err;
    struct xensched_source *s;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        memset(&err, 0, sizeof(err));
        assert_int_equal(xensched_source_open(wrong[i], NULL, &s, &err),
                         -EINVAL);
        assert_true(err.text[0]);
    }
}

static void pause_ms(unsigned int ms)
{
    struct timespec t = { .tv_nsec = ms * 1000000L };

    nanosleep(&t, NULL);
}

/* The fake hypervisor's counters go 1, 2, 3 ... on pCPUs 0 and 2. */
static void the_live_source_reads_all_logs_without_a_gap(void **state)
{
    uint64_t next[3] = { 0 };
    struct xensched_source *s;
    struct xensched_batch b;
    struct xensched_row row;
    unsigned int round;
    size_t i;

    (void)state;
    setenv("FAKE_XEN", "busy", 1);
    s = open_source("hypervisor");
    for (round = 0; round < 20; round++) {
        unsigned int batches = 0;

        pause_ms(5);
        while (xensched_source_next(s, &b, NULL) == XENSCHED_BATCH) {
            batches++;
            assert_true(b.cpu == 0 || b.cpu == 2);
            assert_int_equal(b.lost_rows, 0);
            for (i = 0; i < xensched_batch_rows(&b); i++) {
                xensched_batch_row(&b, i, &row);
                assert_int_equal(row.cpu, b.cpu);
                if (next[b.cpu])
                    assert_int_equal(row.counter, next[b.cpu]);
                next[b.cpu] = row.counter + 1;
            }
        }
        assert_true(batches <= 12);
    }
    assert_true(next[0] > 1 && next[2] > 1 && !next[1]);
    xensched_source_close(s);
}

static void a_round_ends_even_if_the_producer_is_faster(void **state)
{
    struct xensched_source_stats stats;
    struct xensched_source *s;
    struct xensched_batch b;
    unsigned int round, batches;

    (void)state;
    setenv("FAKE_XEN", "flood", 1);
    s = open_source("hypervisor");
    for (round = 0; round < 50; round++) {
        pause_ms(1);
        for (batches = 0; batches < 100; batches++)
            if (xensched_source_next(s, &b, NULL) != XENSCHED_BATCH)
                break;
        assert_true(batches < 100);
    }
    xensched_source_stats(s, &stats);
    assert_true(stats.rows + stats.lost_rows > 0);
    assert_int_equal(stats.nonsense, 0);
    xensched_source_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_gives_the_same_rows),
        cmocka_unit_test(weights_numbers_and_losses_are_as_asked_for),
        cmocka_unit_test(pairs_come_in_their_phases),
        cmocka_unit_test(a_wrong_specification_is_refused),
        cmocka_unit_test(the_live_source_reads_all_logs_without_a_gap),
        cmocka_unit_test(a_round_ends_even_if_the_producer_is_faster),
    };

    return run_tap_tests(tests);
}
