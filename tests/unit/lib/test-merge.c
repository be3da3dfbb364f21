/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the merging of sources: the rows of a recording come in the order in which they were
 * written, whichever source wrote them, and whatever its TSC was.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xensched/merge.h>
#include <xensched/order.h>

#include "cmocka-tap.h"
#include "harness.h"

#define PATH "test-merge.tmp"
#define KHZ  2000000U /* two cycles per ns */

static const uint32_t whole = XEN_SCHEDLOG_LCR_EVENT |
                              XEN_SCHEDLOG_LCR_COUNTER |
                              XEN_SCHEDLOG_LCR_COUNTER64 |
                              XEN_SCHEDLOG_LCR_TIME_TSC |
                              XEN_SCHEDLOG_LCR_TIME64;

struct row {
    uint16_t event;
    uint64_t counter, time;
};

static struct xensched_recorder *recorder;
static uint64_t now_ns; /* of batches */

static void begin(uint64_t start_tsc)
{
    assert_int_equal(xensched_recorder_open(PATH, KHZ, start_tsc, &recorder,
                                            NULL), 0);
}

static void end(void)
{
    assert_int_equal(xensched_recorder_close(recorder, NULL), 0);
}

static void tell(uint32_t id, enum xensched_kind kind, const char *name)
{
    struct xensched_source_info info = {
        .id = id,
        .kind = kind,
        .domid = id,
        .tsc_khz = KHZ,
    };

    strcpy(info.name, name);
    assert_int_equal(xensched_recorder_source(recorder, 1, &info, NULL), 0);
}

static void put(uint32_t source, uint32_t cpu, uint64_t lost,
                const struct row *rows, size_t nr)
{
    uint8_t bytes[32 * 64] = { 0 };
    struct xensched_batch b = {
        .source = source,
        .cpu = cpu,
        .time_ns = now_ns,
        .lost_rows = lost,
        .lost_bytes = 32 * lost,
        .rows = bytes,
        .length = nr * 32,
    };
    size_t i;

    assert_true(b.length <= sizeof(bytes));
    xensched_layout(whole | 5U << XEN_SCHEDLOG_LCR_PAD_SHIFT, &b.layout);
    assert_int_equal(b.layout.size, 32);
    for (i = 0; i < nr; i++) {
        memcpy(bytes + 32 * i, &rows[i].event, 2);
        memcpy(bytes + 32 * i + 8, &rows[i].counter, 8);
        memcpy(bytes + 32 * i + 16, &rows[i].time, 8);
    }
    assert_int_equal(xensched_recorder_write(recorder, &b, NULL), 0);
}

static void one(uint32_t source, uint32_t cpu, uint64_t counter, uint64_t time)
{
    struct row row = { 1, counter, time };

    put(source, cpu, 0, &row, 1);
}

static void round_at(uint64_t tsc)
{
    assert_int_equal(xensched_recorder_round(recorder, 1, tsc, NULL), 0);
}

static struct xensched_merge *merge;

static void look(void)
{
    assert_int_equal(xensched_merge_open(PATH, &merge, NULL), 0);
}

static void expect(uint32_t source, uint64_t counter, uint64_t time_ns)
{
    struct xensched_merged m;

    assert_int_equal(xensched_merge_next(merge, &m, NULL), 1);
    assert_int_equal(m.what, XENSCHED_MERGED_ROW);
    assert_int_equal(m.source, source);
    assert_int_equal(m.row.counter, counter);
    assert_true(m.time_ns == time_ns);
}

static void expect_end(void)
{
    struct xensched_merged m;

    assert_int_equal(xensched_merge_next(merge, &m, NULL), 0);
    xensched_merge_close(merge);
}

static void rows_of_all_sources_are_in_the_order_of_the_hosts_clock(
    void **state)
{
    /* The TSC of one guest began later, and that of the other one is half as fast. */
    const struct xensched_clock late = {
        .host_tsc = 10000, .guest_tsc = 0, .host_khz = KHZ, .guest_khz = KHZ,
    };
    const struct xensched_clock slow = {
        .vcpu = 1, .host_tsc = 10000, .guest_tsc = 500, .host_khz = KHZ,
        .guest_khz = KHZ / 2, .error = 20,
    };
    struct xensched_merge_stats stats;

    (void)state;
    begin(8000);
    tell(0, XENSCHED_KIND_HYPERVISOR, "hypervisor");
    tell(3, XENSCHED_KIND_GUEST, "web");
    assert_int_equal(xensched_recorder_clock(recorder, 1, 3, &late, NULL), 0);
    assert_int_equal(xensched_recorder_clock(recorder, 1, 3, &slow, NULL), 0);
    one(0, 0, 1, 12000);
    one(0, 1, 2, 11000);
    one(3, 0, 3, 1500);      /* 11500 */
    one(3, 1, 4, 500 + 900); /* 11800 */
    round_at(11000);
    one(0, 0, 5, 13000);
    one(3, 0, 6, 2500);      /* 12500 */
    one(3, 1, 7, 100);       /* 9200: before its clock was read */
    round_at(14000);
    end();

    look();
    expect(3, 7, 4600);
    expect(0, 2, 5500);
    expect(3, 3, 5750);
    expect(3, 4, 5900);
    expect(0, 1, 6000);
    expect(3, 6, 6250);
    expect(0, 5, 6500);
    assert_string_equal(xensched_merge_source(merge, 3)->name, "web");
    assert_null(xensched_merge_source(merge, 2));
    xensched_merge_stats(merge, 3, &stats);
    assert_int_equal(stats.rows, 4);
    assert_int_equal(stats.clocks, 2);
    assert_int_equal(stats.error_ns, 10);
    assert_int_equal(stats.late, 0);
    xensched_merge_stats(merge, 0, &stats);
    assert_int_equal(stats.error_ns, 0);
    assert_true(xensched_merge_utc_ns(merge, 4000) ==
                xensched_merge_header(merge)->start_ns);
    expect_end();
}

/* Nothing may be drawn where rows are missing. */
static void a_loss_says_between_which_times(void **state)
{
    struct row row = { 1, 2, 9000 };
    struct xensched_merged m;

    (void)state;
    begin(0);
    one(0, 4, 1, 3000);
    put(0, 4, 7, &row, 1);
    end();

    look();
    expect(0, 1, 1500);
    assert_int_equal(xensched_merge_next(merge, &m, NULL), 1);
    assert_int_equal(m.what, XENSCHED_MERGED_LOSS);
    assert_int_equal(m.row.cpu, 4);
    assert_int_equal(m.lost_rows, 7);
    assert_true(m.since_ns == 1500 && m.time_ns == 4500);
    expect(0, 2, 4500);
    expect_end();
}

/* Ten rounds of 1000 rows; one row becomes visible three rounds late. */
static void late_rows_are_counted(void **state)
{
    struct xensched_merge_stats stats;
    struct xensched_merged m;
    uint64_t before = 0, nr = 0, late = 0;
    unsigned int i, k;

    (void)state;
    begin(1);
    for (i = 0; i < 30; i++) {
        for (k = 0; k < 1000; k++)
            one(0, k % 4, k, 100000 * (i + 1) + 10 * k);
        if (i == 25)
            one(1, 0, 0, 100000 * 20);
        round_at(100000 * (i + 1) + 10);
    }
    end();

    look();
    while (xensched_merge_next(merge, &m, NULL) == 1) {
        assert_int_equal(m.late, m.time_ns < before);
        late += m.late;
        if (!m.late)
            before = m.time_ns;
        nr++;
    }
    assert_int_equal(nr, 30 * 1000 + 1);
    assert_int_equal(late, 1);
    xensched_merge_stats(merge, 1, &stats);
    assert_int_equal(stats.late, 1);
    xensched_merge_close(merge);
}

/* 32 bits of TSC / 1024 wrap; rounds resolve the ambiguity. */
static void short_time_stamps_are_made_whole(void **state)
{
    struct xensched_batch b = { .length = 8 };
    const uint64_t base = 7ULL << 42;
    uint32_t row[2] = { 1, 5 };
    struct xensched_merged m;

    (void)state;
    xensched_layout(XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_TIME_TSC |
                    10U << XEN_SCHEDLOG_LCR_TSC_SHIFT, &b.layout);
    assert_int_equal(b.layout.size, 8);
    b.rows = row;
    begin(base - 1);
    assert_int_equal(xensched_recorder_write(recorder, &b, NULL), 0);
    row[1] = ~0U;
    assert_int_equal(xensched_recorder_write(recorder, &b, NULL), 0);
    end();

    look();
    assert_int_equal(xensched_merge_next(merge, &m, NULL), 1);
    assert_true(m.time_ns == (base - 1024) / 2);
    assert_true(m.error_ns == 1023 / 2);
    assert_int_equal(xensched_merge_next(merge, &m, NULL), 1);
    assert_true(m.time_ns == (base + 5 * 1024) / 2);
    expect_end();
}

/* The description of the host comes before the rows that were logged on it. */
static void the_host_comes_before_its_rows(void **state)
{
    struct xensched_merged m;

    (void)state;
    begin(2000);
    assert_int_equal(xensched_recorder_host(recorder, 1, "{}", 2, NULL), 0);
    one(0, 0, 1, 3000);
    round_at(4000);
    end();

    look();
    assert_int_equal(xensched_merge_next(merge, &m, NULL), 1);
    assert_int_equal(m.what, XENSCHED_MERGED_HOST);
    assert_int_equal(m.length, 2);
    assert_string_equal(m.text, "{}");
    expect(0, 1, 1500);
    expect_end();
}

/* Arbitrary clocks and times: memory is bounded, and all rows come. */
static void any_numbers_are_harmless(void **state)
{
    struct xensched_merged m;
    uint64_t seed = 3, nr = 0;
    unsigned int i;

    (void)state;
    begin(harness_random(&seed));
    for (i = 0; i < 20000; i++) {
        struct xensched_clock clock = {
            .vcpu = harness_random_below(&seed, 4),
            .host_tsc = harness_random(&seed),
            .guest_tsc = harness_random(&seed),
            .host_khz = harness_random(&seed) >> harness_random_below(&seed, 64),
            .guest_khz = harness_random(&seed) >> harness_random_below(&seed, 64),
            .error = harness_random(&seed),
        };

        if (!(i % 16))
            xensched_recorder_clock(recorder, 1, i % 7, &clock, NULL);
        if (!(i % 64))
            round_at(harness_random(&seed));
        one(i % 7, i % 5, i, harness_random(&seed));
    }
    one(0, 0, 0, UINT64_MAX);
    end();

    look();
    while (xensched_merge_next(merge, &m, NULL) == 1)
        nr++;
    assert_int_equal(nr, 20001);
    expect_end();
}

static void rows_before_a_cut_are_delivered(void **state)
{
    struct xensched_error err;
    struct xensched_merged m;
    unsigned int nr = 0;
    uint64_t size;
    int rc;

    (void)state;
    begin(1);
    one(0, 0, 1, 100);
    one(0, 0, 2, 50);
    assert_int_equal(xensched_recorder_round(recorder, 2000000000, 9, NULL),
                     0);
    size = xensched_recorder_bytes(recorder);
    one(0, 0, 3, 10);
    end();
    assert_int_equal(truncate(PATH, size + 70), 0);

    look();
    while ((rc = xensched_merge_next(merge, &m, &err)) == 1)
        nr++;
    assert_int_equal(nr, 2);
    assert_int_equal(rc, -ENODATA);
    assert_non_null(strstr(err.text, "cut off"));
    assert_int_equal(xensched_merge_next(merge, &m, &err), -ENODATA);
    xensched_merge_close(merge);
}

static void row_of(uint32_t source, uint16_t event, uint16_t current,
                   uint16_t correspondent, uint64_t time)
{
    uint8_t bytes[16] = { 0 };
    struct xensched_batch b = {
        .source = source,
        .rows = bytes,
        .length = sizeof(bytes),
    };
    uint16_t ids[3] = { event, current, correspondent };

    xensched_layout(XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |
                    XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_TIME_TSC |
                    XEN_SCHEDLOG_LCR_TIME64, &b.layout);
    assert_int_equal(b.layout.size, sizeof(bytes));
    memcpy(bytes, ids, sizeof(ids));
    memcpy(bytes + 8, &time, sizeof(time));
    assert_int_equal(xensched_recorder_write(recorder, &b, NULL), 0);
}

/* Requests, ten of them between others; the driver domain's TSC is off by @wrong cycles. */
static void order_of(uint64_t wrong, struct xensched_order_counts *counts)
{
    const struct xensched_clock clock = {
        .host_tsc = 1000000 + wrong, .guest_tsc = 0, .host_khz = KHZ,
        .guest_khz = KHZ, .error = 100,
    };
    struct xensched_order *order = xensched_order_new();
    struct xensched_merged m;
    unsigned int i;

    assert_non_null(order);
    begin(1);
    tell(0, XENSCHED_KIND_HYPERVISOR, "hypervisor");
    tell(1, XENSCHED_KIND_DRIVER, "driver");
    xensched_recorder_clock(recorder, 1, 1, &clock, NULL);
    for (i = 1; i <= 12; i++) {
        uint64_t now = 1000000 + 100000 * i;

        row_of(0, XEN_SCHEDLOG_EV_EVTCHN_SEND, 7, 5, now - 50000);
        row_of(1, XEN_SCHEDLOG_EV_RING_PAGES, 5, 7, now - 1000000);
        row_of(0, XEN_SCHEDLOG_EV_EVTCHN_SEND, 5, 7, now + 2000);
    }
    end();
    look();
    while (xensched_merge_next(merge, &m, NULL) == 1)
        xensched_order_take(order, merge, &m);
    xensched_order_counts(order, counts);
    xensched_order_free(order);
    xensched_merge_close(merge);
}

static void a_wrong_clock_is_seen_in_the_order(void **state)
{
    struct xensched_order_counts counts;

    (void)state;
    order_of(0, &counts);
    assert_int_equal(counts.pairs, 10);
    assert_int_equal(counts.wrong, 0);
    /* The response is late, by less and by more than the clock's bound. */
    order_of(2090, &counts);
    assert_int_equal(counts.wrong, 0);
    order_of(2900, &counts);
    assert_int_equal(counts.pairs, 10);
    assert_int_equal(counts.wrong, 10);
    assert_int_equal(counts.worst_ns, 450);
}

/* A flight recorder keeps the latest rows, and what is needed to read them. */
static void the_ring_keeps_the_latest_and_what_it_relies_on(void **state)
{
    const struct xensched_clock clock = {
        .host_tsc = 1000, .host_khz = KHZ, .guest_khz = KHZ,
    };
    struct xensched_merged m;
    unsigned int i, first = 0, nr = 0, hosts = 0;

    (void)state;
    assert_int_equal(xensched_recorder_open_ring(0, 5, KHZ, 1, &recorder,
                                                 NULL), 0);
    tell(0, XENSCHED_KIND_HYPERVISOR, "hypervisor");
    tell(2, XENSCHED_KIND_DRIVER, "storage");
    xensched_recorder_clock(recorder, 1, 2, &clock, NULL);
    xensched_recorder_host(recorder, 1, "{}", 2, NULL);
    for (i = 1; i <= 20; i++) {
        now_ns = 2000000000ULL * i;
        one(2, 0, i, 100000 * i);
        assert_int_equal(xensched_recorder_round(recorder,
                                                 now_ns + 1500000000,
                                                 100000 * i + 2000, NULL), 0);
        if (i == 10)
            assert_int_equal(xensched_recorder_save(recorder, PATH, NULL), 0);
    }
    assert_int_equal(xensched_recorder_save(recorder, PATH, NULL), 0);
    end();

    look();
    while (xensched_merge_next(merge, &m, NULL) == 1) {
        if (m.what == XENSCHED_MERGED_HOST) {
            hosts++;
            continue;
        }
        if (!nr++)
            first = m.row.counter;
        assert_true(m.time_ns == (100000 * m.row.counter + 1000) / 2);
    }
    assert_int_equal(hosts, 1);
    assert_int_equal(first + nr - 1, 20);
    assert_in_range(nr, 3, 4);
    assert_string_equal(xensched_merge_source(merge, 2)->name, "storage");
    expect_end();
}

static void a_full_ring_drops_the_oldest(void **state)
{
    struct xensched_merged m;
    uint64_t seed = 9, last = 0;
    unsigned int i, k, nr = 0;

    (void)state;
    assert_int_equal(xensched_recorder_open_ring(64 << 10, 0, KHZ, 1,
                                                 &recorder, NULL), 0);
    for (i = 0; i < 200; i++) {
        now_ns = 2000000000ULL * i;
        for (k = 0; k < 100; k++)
            one(0, 0, i, 1000000 * i + harness_random_below(&seed, 900000));
        xensched_recorder_round(recorder, now_ns + 1500000000, 1000000 * i,
                                NULL);
        assert_true(xensched_recorder_bytes(recorder) < 70 << 10);
    }
    assert_int_equal(xensched_recorder_save(recorder, PATH, NULL), 0);
    end();
    look();
    while (xensched_merge_next(merge, &m, NULL) == 1) {
        nr++;
        last = m.row.counter;
    }
    assert_int_equal(last, 199);
    assert_in_range(nr, 1000, 15000);
    expect_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            rows_of_all_sources_are_in_the_order_of_the_hosts_clock),
        cmocka_unit_test(a_loss_says_between_which_times),
        cmocka_unit_test(late_rows_are_counted),
        cmocka_unit_test(short_time_stamps_are_made_whole),
        cmocka_unit_test(the_host_comes_before_its_rows),
        cmocka_unit_test(any_numbers_are_harmless),
        cmocka_unit_test(rows_before_a_cut_are_delivered),
        cmocka_unit_test(a_wrong_clock_is_seen_in_the_order),
        cmocka_unit_test(the_ring_keeps_the_latest_and_what_it_relies_on),
        cmocka_unit_test(a_full_ring_drops_the_oldest),
    };
    int failed = run_tap_tests(tests);

    unlink(PATH);

    return failed;
}
