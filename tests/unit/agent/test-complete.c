/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks how an agent in a guest completes rows about threads: the process of each thread, its
 * name, and the sum of its I/O.
 */
#include <stdio.h>
#include <string.h>

#include "cmocka-tap.h"

#include "complete.h"

#define DOM0   2U
#define DRIVER 3U

static struct complete complete;
static struct complete_row rows[COMPLETE_MAX_ROWS];
static unsigned int nr;

/* Stands in for /proc, which knows process 900 only. */
static bool proc_name(uint32_t process, char name[COMPLETE_NAME])
{
    if (process != 900)
        return false;
    strcpy(name, "from-proc");

    return true;
}

static int setup(void **state)
{
    (void)state;
    complete_init(&complete, proc_name);

    return 0;
}

static void add(unsigned int event, uint16_t correspondent, uint64_t counter)
{
    const struct complete_row row = { event, correspondent, counter };

    complete_add(&complete, &row);
}

static void ask(uint32_t pid, uint16_t back_end, uint64_t sectors)
{
    add(XEN_SCHEDLOG_EV_GUEST_REQUEST, back_end,
        pid | sectors << XEN_SCHEDLOG_SECTORS_SHIFT);
}

static void put_part(uint32_t pid, unsigned int part, uint64_t rest)
{
    add(XEN_SCHEDLOG_EV_GUEST_NAME, XEN_SCHEDLOG_ACCT_NONE,
        pid | (uint64_t)part << XEN_SCHEDLOG_NAME_PART_SHIFT |
        rest << XEN_SCHEDLOG_NAME_TEXT_SHIFT);
}

/* Adds the rows that name a thread and its process, as the module writes them. */
static void name(uint32_t pid, uint32_t process, const char *text)
{
    char padded[16] = "";
    unsigned int part, i;
    uint64_t rest;

    snprintf(padded, sizeof(padded), "%s", text);
    for (part = 0; part < 3; part++) {
        if (part && !padded[5 * part])
            break;
        for (rest = 0, i = 5; i-- > 0;)
            rest = rest << 8 | (uint8_t)padded[5 * part + i];
        put_part(pid, part, rest);
    }
    put_part(pid, XEN_SCHEDLOG_NAME_PROCESS, process);
}

static void next_round(void)
{
    nr = complete_round(&complete, rows);
}

/* Returns the sectors for which @pid asked @back_end; *times: the number of these rows. */
static uint64_t sectors_of(uint32_t pid, uint16_t back_end, unsigned int *times)
{
    uint64_t sum = 0;
    unsigned int i;

    *times = 0;
    for (i = 0; i < nr; i++) {
        assert_int_equal(rows[i].event, XEN_SCHEDLOG_EV_PROCESS_IO);
        if ((rows[i].counter & XEN_SCHEDLOG_PID_MASK) != pid ||
            rows[i].correspondent != back_end)
            continue;
        sum += rows[i].counter >> XEN_SCHEDLOG_SECTORS_SHIFT;
        (*times)++;
    }

    return sum;
}

static void is_said(uint32_t pid, uint16_t back_end, uint64_t sectors)
{
    unsigned int times;

    assert_int_equal(sectors_of(pid, back_end, &times), sectors);
    assert_int_equal(times, sectors != 0);
}

/* Returns the name that rows give @pid; "" if they give none. */
static const char *said_name(uint32_t pid)
{
    static char text[16];
    unsigned int i, j, part;

    memset(text, 0, sizeof(text));
    for (i = 0; i < nr; i++) {
        if ((rows[i].counter & XEN_SCHEDLOG_PID_MASK) != pid ||
            rows[i].correspondent != XEN_SCHEDLOG_ACCT_NONE)
            continue;
        part = rows[i].counter >> XEN_SCHEDLOG_NAME_PART_SHIFT & 3;
        assert_true(part < 3);
        for (j = 0; j < 5; j++)
            text[5 * part + j] = rows[i].counter >> (24 + 8 * j);
    }

    return text;
}

static void threads_are_added_up_to_their_process(void **state)
{
    (void)state;
    name(100, 100, "postgres");
    name(101, 100, "writer");
    name(102, 100, "reader");
    name(200, 200, "backup");
    ask(101, DOM0, 8);
    ask(102, DOM0, 16);
    ask(101, DOM0, 8);
    ask(102, DRIVER, 4);
    ask(200, DRIVER, 2);
    next_round();
    is_said(100, DOM0, 32);
    is_said(100, DRIVER, 4);
    is_said(200, DRIVER, 2);
    is_said(101, DOM0, 0);
    is_said(102, DOM0, 0);
    assert_string_equal(said_name(100), "postgres");
    assert_string_equal(said_name(200), "backup");
    assert_int_equal(nr, 3 + 2 * 3);

    next_round();
    assert_int_equal(nr, 0);
    ask(102, DOM0, 1);
    next_round();
    is_said(100, DOM0, 1);
}

/* A thread that ran already when rows began is named when it is switched from. */
static void a_thread_that_is_named_later_is_waited_for(void **state)
{
    unsigned int i;

    (void)state;
    ask(101, DOM0, 8);
    next_round();
    assert_int_equal(nr, 0);
    ask(101, DOM0, 8);
    name(101, 100, "writer");
    next_round();
    is_said(100, DOM0, 16);

    /* After COMPLETE_PATIENCE rounds the row is completed without a name. */
    ask(300, DOM0, 8);
    for (i = 0; i < COMPLETE_PATIENCE; i++) {
        next_round();
        assert_int_equal(nr, 0);
    }
    next_round();
    is_said(300, DOM0, 8);
    assert_string_equal(said_name(300), "");
    /* A row without a thread, such as one of an interrupt, does not wait for a name. */
    ask(0, DOM0, 8);
    next_round();
    is_said(0, DOM0, 8);
}

static void a_process_whose_first_thread_sleeps_has_a_name(void **state)
{
    (void)state;
    name(901, 900, "worker");
    ask(901, DOM0, 8);
    next_round();
    is_said(900, DOM0, 8);
    assert_string_equal(said_name(900), "from-proc");
    /* A name in Linux's rows replaces the one from /proc. */
    name(900, 900, "fifteen-letters");
    ask(901, DOM0, 8);
    next_round();
    assert_string_equal(said_name(900), "fifteen-letters");
}

static void names_are_said_now_and_then(void **state)
{
    unsigned int i, said = 0;

    (void)state;
    name(100, 100, "first");
    for (i = 0; i < 3 * COMPLETE_PERIOD; i++) {
        ask(100, DOM0, 8);
        next_round();
        said += said_name(100)[0] != '\0';
    }
    assert_int_equal(said, 3);
    /* A changed name is sent at once, and so is one after rows without a name. */
    ask(100, DOM0, 8);
    next_round();
    ask(100, DOM0, 8);
    name(100, 100, "second");
    next_round();
    assert_string_equal(said_name(100), "second");
    complete_unsaid(&complete);
    ask(100, DOM0, 8);
    next_round();
    assert_string_equal(said_name(100), "second");
}

/* Rows of another process do not complete a name, and a part of a name is not used. */
static void names_are_whole_and_of_the_right_process(void **state)
{
    (void)state;
    name(100, 100, "a-long-one");
    put_part(100, 0, 0x7878787878);
    ask(100, DOM0, 8);
    next_round();
    assert_string_equal(said_name(100), "a-long-one");
    name(100, 50, "short");
    name(50, 50, "parent");
    ask(100, DOM0, 8);
    next_round();
    is_said(50, DOM0, 8);
    assert_string_equal(said_name(50), "parent");

    /* Both threads use the same slot of the table. */
    name(100 + COMPLETE_THREADS, 7, "other");
    ask(100, DOM0, 8);
    next_round();
    is_said(7, DOM0, 0);
}

static void sums_without_room_are_counted(void **state)
{
    unsigned int i, times, said = 0;

    (void)state;
    for (i = 1; i <= COMPLETE_SUMS; i++) {
        name(i, i, "many");
        ask(i, DOM0, 1);
    }
    ask(i, DOM0, 1);
    ask(1, DRIVER, 1);
    assert_int_equal(complete.dropped, 2);
    next_round();
    assert_int_equal(nr, COMPLETE_MAX_ROWS);
    for (i = 1; i <= COMPLETE_SUMS; i++)
        said += sectors_of(i, DOM0, &times);
    assert_int_equal(said, COMPLETE_SUMS);
    /* The next round has room again. */
    ask(1, DRIVER, 1);
    next_round();
    is_said(1, DRIVER, 1);
    assert_int_equal(complete.dropped, 2);
}

static void an_amount_is_never_a_pid(void **state)
{
    const uint64_t most = UINT64_MAX >> XEN_SCHEDLOG_SECTORS_SHIFT;

    (void)state;
    name(100, 100, "much");
    ask(100, DOM0, most);
    ask(100, DOM0, most);
    next_round();
    is_said(100, DOM0, most);
    add(XEN_SCHEDLOG_EV_RING_PAGES, DOM0, 100);
    add(XEN_SCHEDLOG_EV_PROCESS_IO, DOM0, 100);
    next_round();
    assert_int_equal(nr, 0);
}

#define test(f) cmocka_unit_test_setup(f, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(threads_are_added_up_to_their_process),
        test(a_thread_that_is_named_later_is_waited_for),
        test(a_process_whose_first_thread_sleeps_has_a_name),
        test(names_are_said_now_and_then),
        test(names_are_whole_and_of_the_right_process),
        test(sums_without_room_are_counted),
        test(an_amount_is_never_a_pid),
    };

    return run_tap_tests(tests);
}
