/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record handler of the eBPF program writes what Xen's does: the same events, with
 * registers, routes and thresholds at random, leave the same bytes in log files and the
 * same states, and nothing beside them.  What a verifier makes of it is another matter,
 * which the host test disks-ebpf has.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long now_ns;
#define schedlog_tsc() (now_ns)

#include "schedlog-record.h"
#include "common/schedlog/record.c"

#define rings_inline always_inline
#define RINGS_NOW_NS() (now_ns)

#include "ebpf/record.h"

#include "cmocka-tap.h"

#define NR_FILES 4
#define STATE_AT 4096U
#define DATA_AT  8192U
#define PATTERN  0xa5

#define EVENT XEN_SCHEDLOG_EV_RING_PAGES
#define WE    2
#define IT    3

static const uint32_t sizes[NR_FILES] = { 16, 64, 1024, 4096 };

#define DATA_BYTES (16 + 64 + 1024 + 4096)

/* Xen's: one accounting domain that is charged. */
static uint64_t routes[4 * XEN_SCHEDLOG_NR_EVENTS];
static uint32_t skipped[4 * XEN_SCHEDLOG_NR_EVENTS];
static uint32_t registers[NR_FILES];
static struct xen_schedlog_state states[NR_FILES];
static uint8_t data[DATA_BYTES];
static struct {
    struct schedlog_cpu cpu;
    struct schedlog_file file[NR_FILES];
} xens;

/* The program's. */
static uint8_t shared[DATA_AT + DATA_BYTES + RINGS_SPARE];
static struct {
    struct rings_cpu cpu;
    struct rings_file file[NR_FILES];
} own;
static const struct rings_facts facts = {
    .acct_mask = 3, .file_mask = NR_FILES - 1, .state_at = STATE_AT,
    .data_at = DATA_AT, .data_bytes = DATA_BYTES,
};

static int begin(void **state)
{
    uint32_t offset = 0, i;

    (void)state;
    srandom(1);
    memset(&xens, 0, sizeof(xens));
    memset(&own, 0, sizeof(own));
    memset(states, 0, sizeof(states));
    memset(registers, 0, sizeof(registers));
    memset(routes, 0, sizeof(routes));
    memset(skipped, 0, sizeof(skipped));
    memset(data, 0, sizeof(data));
    memset(shared, 0, sizeof(shared));
    memset(shared + DATA_AT + DATA_BYTES, PATTERN, RINGS_SPARE);
    xens.cpu.lcr = registers;
    xens.cpu.route = routes;
    xens.cpu.skipped = skipped;
    xens.cpu.acct_mask = 3;
    xens.cpu.file_mask = NR_FILES - 1;
    for (i = 0; i < NR_FILES; i++) {
        schedlog_init_file(&xens.cpu.file[i], data + offset, sizes[i],
                           &states[i]);
        own.cpu.file[i].offset = offset;
        own.cpu.file[i].mask = sizes[i] - 1;
        offset += sizes[i];
    }

    return 0;
}

static void set_register(unsigned int file, uint32_t lcr)
{
    registers[file] = lcr;
    ((uint32_t *)shared)[file] = lcr;
}

static void emit(uint64_t count)
{
    uint64_t route = routes[WE * XEN_SCHEDLOG_NR_EVENTS + EVENT];

    now_ns += random();
    xens.cpu.tick = now_ns / RINGS_TICK_NS;
    schedlog_record(&xens.cpu, EVENT, WE, IT, count);
    rings_record(&facts, &own.cpu, shared, route, schedlog_ids(EVENT, WE, IT),
                 count);
}

static void assert_same(void)
{
    unsigned int i;

    assert_memory_equal(shared + STATE_AT, states, sizeof(states));
    assert_memory_equal(shared + DATA_AT, data, sizeof(data));
    for (i = 0; i < RINGS_SPARE; i++)
        assert_int_equal(shared[DATA_AT + DATA_BYTES + i], PATTERN);
}

static uint64_t any_count(void)
{
    return ((uint64_t)random() << 32 | random()) >> random() % 64;
}

static void set_route(unsigned int file, uint32_t threshold)
{
    routes[WE * XEN_SCHEDLOG_NR_EVENTS + EVENT] =
        XEN_SCHEDLOG_ROUTE_VALID |
        (uint64_t)file << XEN_SCHEDLOG_ROUTE_FILE_SHIFT | threshold;
}

static void every_register_has_the_same_rows(void **state)
{
    unsigned int round, i;

    (void)state;
    for (round = 0; round < 20000; round++) {
        unsigned int file = random() % NR_FILES;

        set_register(file, random() << 1);
        set_route(file, 0);
        for (i = 0; i < 5; i++)
            emit(any_count());
        assert_same();
    }
    assert_true(states[3].pos > 100000);
}

static void thresholds_are_the_same(void **state)
{
    unsigned int round, i;

    (void)state;
    set_register(3, 0xf);
    for (round = 0; round < 2000; round++) {
        set_route(3, random() % 9);
        for (i = 0; i < 20; i++)
            emit(1);
        assert_same();
    }
    assert_true(states[3].pos > 10000);
}

static void without_a_route_there_is_nothing(void **state)
{
    (void)state;
    set_register(3, 0xf);
    emit(1);
    set_route(3, 0);
    routes[WE * XEN_SCHEDLOG_NR_EVENTS + EVENT] &= ~XEN_SCHEDLOG_ROUTE_VALID;
    emit(1);
    assert_same();
    assert_int_equal(states[3].pos, 0);
}

/* The counter of a log file of one row, which is added to. */
static void what_is_added_saturates(void **state)
{
    unsigned int i;

    (void)state;
    set_route(0, 0);
    for (i = 0; i < 2; i++) {
        set_register(0, 0xf | XEN_SCHEDLOG_LCR_ADD |
                        (i ? XEN_SCHEDLOG_LCR_COUNTER64 : 0));
        emit(UINT64_MAX);
        emit(7);
        assert_same();
        emit(UINT32_MAX - 1);
        emit(UINT32_MAX);
        assert_same();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_register_has_the_same_rows, begin),
        cmocka_unit_test_setup(thresholds_are_the_same, begin),
        cmocka_unit_test_setup(without_a_route_there_is_nothing, begin),
        cmocka_unit_test_setup(what_is_added_saturates, begin),
    };

    return run_tap_tests(tests);
}
