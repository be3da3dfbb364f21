/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the I/O of a guest's processes: numbers are correct as in the matrix, and their number is
 * bounded, whatever a guest reports.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"

#include <xensched/abi.h>

#include "model/matrix/processes.h"

#define SECOND 1000000000ULL
#define DOM0   2U
#define DRIVER 3U

static struct processes p;
static uint64_t now;

static int setup(void **state)
{
    (void)state;
    now = 1000 * SECOND;
    processes_init(&p, SECOND);

    return 0;
}

static void ask(uint32_t pid, uint16_t back_end, uint64_t sectors)
{
    processes_add(&p, back_end, pid | sectors << XEN_SCHEDLOG_SECTORS_SHIFT,
                  now);
}

static void put_part(uint32_t pid, unsigned int part, const char *text)
{
    uint64_t bytes = 0;
    unsigned int i;

    for (i = 5; i-- > 0;)
        bytes = bytes << 8 | (uint8_t)text[i];
    processes_add(&p, XEN_SCHEDLOG_ACCT_NONE,
                  pid | part << XEN_SCHEDLOG_NAME_PART_SHIFT |
                  bytes << XEN_SCHEDLOG_NAME_TEXT_SHIFT, now);
}

static const struct process_io *find(uint32_t pid, uint16_t back_end)
{
    unsigned int i;

    for (i = 0; i < PROCESSES_MAX; i++)
        if (p.io[i].at_ns && p.io[i].pid == pid &&
            p.io[i].back_end == back_end)
            return &p.io[i];

    return NULL;
}

static unsigned int count(void)
{
    unsigned int i, nr = 0;

    for (i = 0; i < PROCESSES_MAX; i++)
        nr += p.io[i].at_ns != 0;

    return nr;
}

static double rate(uint32_t pid, uint16_t back_end)
{
    return processes_rate(&p, find(pid, back_end), now);
}

static void rates_are_those_of_the_matrix(void **state)
{
    unsigned int i;

    (void)state;
    for (i = 0; i < 200; i++) {
        now += SECOND / 10;
        ask(100, DOM0, 100);
        ask(100, DRIVER, 10);
    }
    assert_in_range(rate(100, DOM0), 965, 1040);
    assert_in_range(rate(100, DRIVER), 96, 104);
    assert_int_equal(find(100, DOM0)->total, 20000);
    assert_int_equal(find(100, DRIVER)->total, 2000);
    assert_null(find(100, 4));
    now += SECOND;
    assert_in_range(rate(100, DOM0), 482, 520);
}

static void a_total_does_not_begin_anew(void **state)
{
    const uint64_t most = UINT64_MAX >> XEN_SCHEDLOG_SECTORS_SHIFT;

    (void)state;
    ask(100, DOM0, most);
    p.io[find(100, DOM0) - p.io].total = UINT64_MAX - 1;
    ask(100, DOM0, most);
    assert_true(find(100, DOM0)->total == UINT64_MAX);
}

static void a_name_is_known_when_it_is_whole(void **state)
{
    (void)state;
    put_part(100, 0, "postg");
    put_part(100, 1, "res-w");
    assert_string_equal(processes_name(&p, 100), "");
    put_part(100, 2, "riter");
    assert_string_equal(processes_name(&p, 100), "postgres-writer");
    put_part(100, 0, "cat\0\0");
    assert_string_equal(processes_name(&p, 100), "postgres-writer");
    put_part(100, 1, "\0\0\0\0\0");
    put_part(100, 2, "\0\0\0\0\0");
    assert_string_equal(processes_name(&p, 100), "cat");
    /* A name has no part 3, and control characters are replaced. */
    put_part(100, 3, "after");
    put_part(100, 0, "\033[2J\377");
    put_part(100, 1, "\n\0\0\0\0");
    put_part(100, 2, "\0\0\0\0\0");
    assert_string_equal(processes_name(&p, 100), "?[2J??");
    assert_string_equal(processes_name(&p, 101), "");
}

static void there_is_room_for_so_many_and_the_oldest_goes(void **state)
{
    unsigned int i;

    (void)state;
    srand(1);
    for (i = 0; i < 100000; i++) {
        now++;
        ask(rand() & XEN_SCHEDLOG_PID_MASK, rand() % 64, 1);
        put_part(rand() & XEN_SCHEDLOG_PID_MASK, rand() % 4, "xxxxx");
        /* A process that continues keeps its slot. */
        ask(100, DOM0, 1);
        put_part(100, 0, "stays");
        put_part(100, 2, "\0\0\0\0\0");
    }
    assert_int_equal(count(), PROCESSES_MAX);
    assert_true(p.replaced > 90000);
    assert_int_equal(find(100, DOM0)->total, 100000);
    assert_string_equal(processes_name(&p, 100), "stays");
}

static bool is_dom0(const void *arg, uint16_t back_end)
{
    return back_end == *(const uint16_t *)arg;
}

static void requests_to_a_domain_that_is_gone_go(void **state)
{
    const uint16_t dom0 = DOM0;

    (void)state;
    ask(100, DOM0, 1);
    ask(100, DRIVER, 1);
    ask(101, DRIVER, 1);
    processes_keep(&p, is_dom0, &dom0);
    assert_int_equal(count(), 1);
    assert_non_null(find(100, DOM0));
    /* The next process with this PID starts at zero. */
    ask(100, DRIVER, 1);
    assert_int_equal(find(100, DRIVER)->total, 1);
    assert_int_equal(p.replaced, 0);
}

#define test(f) cmocka_unit_test_setup(f, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(rates_are_those_of_the_matrix),
        test(a_total_does_not_begin_anew),
        test(a_name_is_known_when_it_is_whole),
        test(there_is_room_for_so_many_and_the_oldest_goes),
        test(requests_to_a_domain_that_is_gone_go),
    };

    return run_tap_tests(tests);
}
