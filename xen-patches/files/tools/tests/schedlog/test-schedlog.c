/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unit tests of the log's record handler: xen/common/schedlog/record.c and
 * xen/include/xen/schedlog-record.h are compiled as they are.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedlog-record.h"

#define NR_ACCTS  4
#define NR_FILES  2
#define FILE_SIZE 256
#define GUARD     64

#define EV        XEN_SCHEDLOG_EV_EVTCHN_SEND
#define VALID     XEN_SCHEDLOG_ROUTE_VALID

#define IDS   (XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT | \
               XEN_SCHEDLOG_LCR_CORRESPONDENT)
#define PLAIN (IDS | XEN_SCHEDLOG_LCR_COUNTER | XEN_SCHEDLOG_LCR_TIME_TSC)

uint64_t test_tsc;

static unsigned int nr_failed;
static uint32_t lcr[NR_FILES];
static uint64_t route[NR_ACCTS][XEN_SCHEDLOG_NR_EVENTS];
static uint32_t skipped[NR_ACCTS][XEN_SCHEDLOG_NR_EVENTS];
static struct xen_schedlog_state state[NR_FILES];
static uint64_t data[NR_FILES][(FILE_SIZE + GUARD) / sizeof(uint64_t)];
static struct schedlog_cpu *cpu;

#define CHECK(cond, what)                                               \
    do {                                                                \
        if ( !(cond) )                                                  \
        {                                                               \
            printf("FAIL: %s: %s (%s:%d)\n", what, #cond,               \
                   __FILE__, __LINE__);                                 \
            nr_failed++;                                                \
        }                                                               \
    } while ( 0 )

static void set_up(void)
{
    unsigned int i;

    memset(lcr, 0, sizeof(lcr));
    memset(route, 0, sizeof(route));
    memset(skipped, 0, sizeof(skipped));
    memset(state, 0, sizeof(state));
    memset(data, 0xa5, sizeof(data));
    memset(cpu, 0, sizeof(*cpu));
    cpu->lcr = lcr;
    cpu->route = &route[0][0];
    cpu->skipped = &skipped[0][0];
    cpu->acct_mask = NR_ACCTS - 1;
    cpu->file_mask = NR_FILES - 1;
    for ( i = 0; i < NR_FILES; i++ )
        schedlog_init_file(&cpu->file[i], data[i], FILE_SIZE, &state[i]);
}

/* Nothing is ever written behind a log buffer. */
static bool guards_intact(void)
{
    const uint8_t *byte;
    unsigned int i, j;

    for ( i = 0; i < NR_FILES; i++ )
    {
        byte = (const uint8_t *)data[i] + FILE_SIZE;
        for ( j = 0; j < GUARD; j++ )
            if ( byte[j] != 0xa5 )
                return false;
    }

    return true;
}

static void test_plain_row(void)
{
    const struct schedlog_plain_row *row = (void *)data[0];

    set_up();
    lcr[0] = PLAIN;
    route[1][EV] = VALID;
    test_tsc = 1234;
    schedlog_record(cpu, EV, 1, 2, 7);
    schedlog_record(cpu, EV, 1, 2, 8);

    CHECK(state[0].pos == 2 * sizeof(*row), "two events are two rows");
    CHECK(row[0].ids == schedlog_ids(EV, 1, 2), "a row has the three numbers");
    CHECK(row[0].counter == 7 && row[1].counter == 8, "and the counter");
    CHECK(row[0].tsc == 1234, "and the time");
}

static void test_no_row(void)
{
    set_up();
    lcr[0] = PLAIN;
    schedlog_record(cpu, EV, 1, 2, 1);
    CHECK(state[0].pos == 0, "without a route there is no row");
    route[1][EV] = VALID;
    schedlog_record(cpu, EV, 1, 1, 1);
    CHECK(state[0].pos == 0, "inside of an accounting domain neither");
    lcr[0] = 0;
    schedlog_record(cpu, EV, 1, 2, 1);
    CHECK(state[0].pos == 0, "nor if the register selects nothing");
}

static void test_threshold(void)
{
    unsigned int i;

    set_up();
    lcr[0] = PLAIN;
    route[1][EV] = VALID | 3;
    for ( i = 0; i < 9; i++ )
        schedlog_record(cpu, EV, 1, 2, 1);
    CHECK(state[0].pos == 3 * 16, "every third of nine events has a row");
}

static void test_wrap(void)
{
    const struct schedlog_plain_row *row = (void *)data[0];
    unsigned int i;

    set_up();
    lcr[0] = PLAIN;
    route[1][EV] = VALID;
    for ( i = 0; i <= FILE_SIZE / sizeof(*row); i++ )
        schedlog_record(cpu, EV, 1, 2, i);
    CHECK(row[0].counter == FILE_SIZE / sizeof(*row),
          "the newest row is where the oldest one was");
    CHECK(row[1].counter == 1, "and no other row is overwritten");
    CHECK(guards_intact(), "nothing is written behind the log buffer");
}

static void test_counters(void)
{
    const uint64_t *sum = (void *)data[0];

    set_up();
    lcr[0] = PLAIN;
    route[1][EV] = VALID;
    schedlog_record(cpu, EV, 1, 2, UINT64_MAX);
    CHECK(((struct schedlog_plain_row *)data[0])->counter == UINT32_MAX,
          "a counter saturates");

    set_up();
    memset(data, 0, FILE_SIZE);
    lcr[0] = XEN_SCHEDLOG_LCR_COUNTER | XEN_SCHEDLOG_LCR_COUNTER64 |
             XEN_SCHEDLOG_LCR_ADD;
    route[1][EV] = VALID;
    while ( state[0].pos < 2 * FILE_SIZE )
        schedlog_record(cpu, EV, 1, 2, 5);
    CHECK(sum[0] == 10, "with ADD, a row has the sum of its rounds");

    set_up();
    memset(data, 0, FILE_SIZE);
    lcr[0] = XEN_SCHEDLOG_LCR_COUNTER | XEN_SCHEDLOG_LCR_ADD;
    route[1][EV] = VALID;
    while ( state[0].pos < 2 * FILE_SIZE )
        schedlog_record(cpu, EV, 1, 2, UINT32_MAX - 1);
    CHECK((uint32_t)sum[0] == UINT32_MAX, "a sum saturates, too");
}

/* Every value of a word that a scheduler can write is harmless. */
static void test_any_bits(void)
{
    unsigned int i;
    uint64_t before = 0;

    set_up();
    srandom(1);
    for ( i = 0; i < 1000000; i++ )
    {
        unsigned int acct = random();

        lcr[random() % NR_FILES] = random() ^ ((uint32_t)random() << 16);
        /* The lower half is a threshold: most events would pass by. */
        route[random() % NR_ACCTS][EV] =
            VALID | (random() % 3) | ((uint64_t)random() << 32);
        schedlog_record(cpu, EV, acct, acct + 1, random());
        if ( state[0].pos < before || !guards_intact() )
            break;
        before = state[0].pos;
    }
    CHECK(before > 1000000, "there are rows");
    CHECK(i == 1000000, "positions only grow, and rows stay in their files");
}

int main(void)
{
    cpu = malloc(sizeof(*cpu) + NR_FILES * sizeof(cpu->file[0]));
    if ( !cpu )
        return 1;

    test_plain_row();
    test_no_row();
    test_threshold();
    test_wrap();
    test_counters();
    test_any_bits();

    printf("%s\n", nr_failed ? "some tests failed" : "all tests passed");

    return nr_failed ? 1 : 0;
}

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
