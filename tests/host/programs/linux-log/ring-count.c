/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the rows that blkback logs while a command runs, from /dev/xensched-log, after the events
 * have been turned off again.
 *
 * Usage: ring-count on|off|THRESHOLD FRONTEND COMMAND [ARGUMENT...]
 *
 * "on" is threshold 1; "off": everything is set up, but no event is turned on.
 * FRONTEND is an accounting domain; 0 is that of the back end.
 * Prints one line, in which KIND is one of read, write, barrier, flush,
 * discard, other, each with the number of requests and their sectors:
 *
 *   pages ROWS SUM {KIND ROWS SUM}... others ROWS-THAT-DO-NOT-MATCH
 *
 * KINDs without rows are left out.  Exit code: 0, or that of COMMAND, or 99 if
 * a log buffer was too small.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenctrl.h>
#include <xensched/abi.h>

#include "linux-log.h"
#include "run-command.h"

#define BACKEND 0

/* As Xen numbers the operations of a ring: three bits. */
static const char *const kinds[8] = {
    "read", "write", "barrier", "flush", "other", "discard", "other", "other",
};

struct sum {
    uint64_t rows, amount;
};

struct counts {
    uint16_t frontend;
    struct sum pages, sectors[8];
    uint64_t others;
};

static void add(struct sum *sum, uint64_t amount)
{
    sum->rows++;
    sum->amount += amount;
}

static void count(uint32_t cpu, const struct linux_log_row *row, void *arg)
{
    struct counts *counts = arg;

    (void)cpu;
    if (row->current != BACKEND || row->correspondent != counts->frontend)
        counts->others++;
    else if (row->event == XEN_SCHEDLOG_EV_RING_PAGES)
        add(&counts->pages, row->counter);
    else if (row->event == XEN_SCHEDLOG_EV_RING_SECTORS)
        add(&counts->sectors[row->counter & 7], row->counter >> 3);
    else
        counts->others++;
}

static void print(const char *what, const struct sum *sum)
{
    printf("%s %llu %llu ", what, (unsigned long long)sum->rows,
           (unsigned long long)sum->amount);
}

int main(int argc, char **argv)
{
    struct counts counts = { 0 };
    bool fits;
    int code;

    if (argc < 4)
        errx(2, "usage: ring-count on|off|THRESHOLD FRONTEND COMMAND...");
    counts.frontend = atoi(argv[2]);

    linux_log_set_up();
    if (strcmp(argv[1], "off"))
        linux_log_turn_on(1U << XEN_SCHEDLOG_EV_RING_PAGES |
                          1U << XEN_SCHEDLOG_EV_RING_SECTORS);
    /* With routes, both events begin and end at almost the same time. */
    linux_log_route(BACKEND, atoi(argv[1]));
    code = run_command(argv + 3);
    linux_log_unroute(BACKEND);
    linux_log_turn_on(0);

    fits = linux_log_rows(count, &counts);
    if (!fits)
        warnx("a log buffer was too small");
    print("pages", &counts.pages);
    for (int i = 0; i < 8; i++)
        if (counts.sectors[i].rows)
            print(kinds[i], &counts.sectors[i]);
    printf("others %llu\n", (unsigned long long)counts.others);
    linux_log_release();

    return code ? code : fits ? 0 : 99;
}
