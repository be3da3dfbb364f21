/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that the reader understands the producer's rows.
 *
 * The two have separate code for the layout of a row.  If they disagreed on the alignment of an
 * entry, on padding, or on a register that selects nothing, all numbers of a log buffer would be
 * wrong.
 */
#include <stdlib.h>
#include <string.h>

#include <xensched/event.h>
#include <xensched/row.h>

#include "cmocka-tap.h"
#include "harness.h"

#define FILE_SIZE 256U

/* All bits up to the shift of the TSC. */
#define NR_REGISTERS (1U << XEN_SCHEDLOG_LCR_TSC_SHIFT)
#define REASON XEN_SCHEDLOG_LCR_REASON

static void offsets_are_those_of_the_struct(void **state)
{
    struct row {
        uint16_t event, current, correspondent;
        uint64_t counter;
        uint32_t time;
    };
    struct xensched_layout l;

    (void)state;
    xensched_layout(XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |
                    XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER |
                    XEN_SCHEDLOG_LCR_COUNTER64 | XEN_SCHEDLOG_LCR_TIME_TSC,
                    &l);
    assert_int_equal(l.event, offsetof(struct row, event));
    assert_int_equal(l.current, offsetof(struct row, current));
    assert_int_equal(l.correspondent, offsetof(struct row, correspondent));
    assert_int_equal(l.counter, offsetof(struct row, counter));
    assert_int_equal(l.time, offsetof(struct row, time));
    assert_int_equal(l.size, 32);
}

static void registers_that_select_nothing_have_no_rows(void **state)
{
    static const uint32_t registers[] = {
        0, XEN_SCHEDLOG_LCR_COUNTER64, XEN_SCHEDLOG_LCR_TIME64,
        XEN_SCHEDLOG_LCR_ADD, XEN_SCHEDLOG_LCR_PAD_MASK,
        XEN_SCHEDLOG_LCR_TSC_MASK, ~0U << 18,
    };
    struct xensched_layout l;
    struct xensched_row row;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
        xensched_layout(registers[i], &l);
        assert_int_equal(l.size, 0);
        xensched_row_decode(&l, 3, NULL, &row);
        assert_int_equal(row.valid, 0);
        assert_int_equal(row.cpu, 3);
    }
}

static void compare(const struct xensched_layout *l,
                    const struct xensched_row *row, uint64_t counter)
{
    uint32_t lcr = l->lcr;

    assert_int_equal(row->event, lcr & XEN_SCHEDLOG_LCR_EVENT
                                 ? XEN_SCHEDLOG_EV_GRANT_MAP : 0);
    assert_int_equal(row->current, lcr & XEN_SCHEDLOG_LCR_CURRENT ? 5 : 0);
    assert_int_equal(row->correspondent,
                     lcr & XEN_SCHEDLOG_LCR_CORRESPONDENT ? 6 : 0);
    if (l->counter_size == 4 && counter > UINT32_MAX)
        counter = UINT32_MAX;
    assert_int_equal(row->counter, l->counter_size ? counter : 0);
    assert_int_equal(!!(row->valid & XENSCHED_ROW_TIME), !!l->time_size);
}

static void every_register_is_decoded_as_it_was_written(void **state)
{
    static const uint64_t counters[] = { 7, UINT32_MAX, 1ULL << 40 };
    struct harness *h = harness_new(8, 1, FILE_SIZE);
    struct xensched_layout l;
    struct xensched_row row;
    uint32_t lcr;
    size_t i;

    (void)state;
    for (lcr = 0; lcr < NR_REGISTERS; lcr++) {
        for (i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
            /* With the add bit the counter is added to the row's old value. */
            memset(h->data[0], 0, FILE_SIZE);
            harness_route_all(h, 0, lcr);
            schedlog_record(h->cpu, XEN_SCHEDLOG_EV_GRANT_MAP, 5, 6,
                            counters[i]);

            xensched_layout(lcr, &l);
            assert_int_equal(l.size, h->state[0].row_size);
            if (!l.size)
                continue;
            xensched_row_decode(&l, 0, h->data[0] + (h->state[0].pos - l.size) %
                                       FILE_SIZE, &row);
            compare(&l, &row, counters[i]);
        }
    }
    harness_free(h);
}

static void time_stamps_come_back(void **state)
{
    struct harness *h = harness_new(8, 1, FILE_SIZE);
    struct xensched_layout l;
    struct xensched_row row;
    unsigned int shift;

    (void)state;
    for (shift = 0; shift < 64; shift++) {
        uint32_t lcr = XEN_SCHEDLOG_LCR_TIME_TSC | XEN_SCHEDLOG_LCR_TIME64 |
                       shift << XEN_SCHEDLOG_LCR_TSC_SHIFT;

        harness_route_all(h, 0, lcr);
        harness_tsc = 0xfedcba9876543210ULL;
        schedlog_record(h->cpu, XEN_SCHEDLOG_EV_EVTCHN_SEND, 2, 3, 1);
        xensched_layout(lcr, &l);
        xensched_row_decode(&l, 0, h->data[0] + shift * 8 % FILE_SIZE, &row);
        assert_int_equal(row.valid, XENSCHED_ROW_TIME);
        assert_true(row.time == 0xfedcba9876543210ULL >> shift);
        assert_int_equal(xensched_layout_tsc_shift(&l), shift);
    }
    xensched_layout(XEN_SCHEDLOG_LCR_TIME_VIRTUAL, &l);
    assert_int_equal(xensched_layout_tsc_shift(&l), -1);
    harness_free(h);
}

/* A log without reasons has the row as well, unless the row is only about a reason. */
static void reasons_come_back(void **state)
{
    static const uint8_t reasons[] = { 0, XEN_SCHEDLOG_LEFT_SPINNING, 0x7f, 0xff };
    static const uint32_t lcrs[] = { XEN_SCHEDLOG_LCR_EVENT,
                                     XEN_SCHEDLOG_LCR_EVENT | REASON,
                                     REASON | XEN_SCHEDLOG_LCR_COUNTER };
    struct harness *h = harness_new(8, 1, FILE_SIZE);
    struct xensched_layout l;
    struct xensched_row row;
    unsigned int i, k;

    (void)state;
    for (i = 0; i < 3; i++)
        for (k = 0; k < 4; k++) {
            bool has_reason = lcrs[i] & REASON, written;

            harness_route_all(h, 0, lcrs[i]);
            written = schedlog_leave_for(h->cpu, XEN_SCHEDLOG_EV_WAKE_DELAY, 2, 3,
                                         reasons[k], 1);
            assert_int_equal(written, has_reason || k < 3);
            if (!written)
                continue;
            xensched_layout(lcrs[i], &l);
            xensched_row_decode(&l, 0, h->data[0] + (h->state[0].pos - l.size) %
                                       FILE_SIZE, &row);
            assert_int_equal(row.event, i < 2 ? XEN_SCHEDLOG_EV_WAKE_DELAY : 0);
            assert_int_equal(row.reason, i == 1 ? reasons[k] : 0);
            assert_int_equal(!!(row.valid & XENSCHED_ROW_REASON), i == 1);
        }
    harness_free(h);
}

static void ticks_come_back(void **state)
{
    static const uint32_t widths[] = { 0, XEN_SCHEDLOG_LCR_TIME64 };
    struct harness *h = harness_new(8, 1, FILE_SIZE);
    struct xensched_layout l;
    struct xensched_row row;
    unsigned int i;

    (void)state;
    h->cpu->tick = 0x123456789aULL;
    for (i = 0; i < 2; i++) {
        uint32_t lcr = XEN_SCHEDLOG_LCR_TIME_TICK | widths[i];

        harness_route_all(h, 0, lcr);
        schedlog_record(h->cpu, XEN_SCHEDLOG_EV_EVTCHN_SEND, 2, 3, 1);
        xensched_layout(lcr, &l);
        assert_int_equal(l.size, i ? 8 : 4);
        xensched_row_decode(&l, 0, h->data[0] + (h->state[0].pos - l.size) %
                                   FILE_SIZE, &row);
        assert_int_equal(row.valid, XENSCHED_ROW_TIME);
        assert_true(row.time == (i ? 0x123456789aULL : 0x3456789aULL));
        assert_int_equal(xensched_layout_tsc_shift(&l), -1);
    }
    harness_free(h);
}

/* Rows end exactly at the end of the memory, so the address sanitizer finds any read beyond. */
static void many_rows_are_decoded_as_each_of_them(void **state)
{
    struct xensched_row rows[33], row;
    struct xensched_layout l;
    uint64_t seed = 1;
    uint32_t lcr;
    size_t nr, i;

    (void)state;
    for (lcr = 0; lcr < (REASON | NR_REGISTERS);
         lcr = lcr == NR_REGISTERS - 1 ? REASON : lcr + 1) {
        uint8_t *bytes;

        xensched_layout(lcr, &l);
        nr = harness_random_below(&seed, 34);
        bytes = malloc(nr * l.size);
        assert_true(bytes || nr * l.size == 0);
        for (i = 0; i < nr * l.size; i++)
            bytes[i] = harness_random(&seed);
        memset(rows, 0xff, sizeof(rows));
        xensched_rows_decode(&l, lcr, bytes, nr, rows);
        for (i = 0; i < nr; i++) {
            xensched_row_decode(&l, lcr, bytes + i * l.size, &row);
            assert_memory_equal(&rows[i], &row, sizeof(row));
        }
        free(bytes);
    }
}

static void event_names_and_numbers_belong_together(void **state)
{
    unsigned int i, nr = 0;

    (void)state;
    for (i = 0; i < 2 * XEN_SCHEDLOG_NR_EVENTS; i++) {
        const char *name = xensched_event_name(i);

        assert_true(!name == !xensched_event_kind(i));
        if (!name)
            continue;
        assert_int_equal(xensched_event_number(name), i);
        nr++;
    }
    assert_true(nr > 10);
    assert_int_equal(xensched_event_number("no such event"), -1);
    assert_string_equal(xensched_event_name(XEN_SCHEDLOG_EV_EVTCHN_SEND),
                        "evtchn-send");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_are_those_of_the_struct),
        cmocka_unit_test(registers_that_select_nothing_have_no_rows),
        cmocka_unit_test(every_register_is_decoded_as_it_was_written),
        cmocka_unit_test(time_stamps_come_back),
        cmocka_unit_test(reasons_come_back),
        cmocka_unit_test(ticks_come_back),
        cmocka_unit_test(many_rows_are_decoded_as_each_of_them),
        cmocka_unit_test(event_names_and_numbers_belong_together),
    };

    return run_tap_tests(tests);
}
