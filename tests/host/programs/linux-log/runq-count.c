/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In a guest: counts what it logs of its run queues while a command runs.
 *
 * Usage: runq-count COMMAND [ARGUMENT...]
 *
 * Prints one line: the number of rows per length (the last one: or longer).
 *
 *   rows ROWS lengths OF-0 OF-1 OF-2 ... OF-7 others ROWS-THAT-DO-NOT-MATCH
 *
 * Exit code: 0, or that of COMMAND, or 99 if a log buffer was too small.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include <xenctrl.h>
#include <xensched/abi.h>

#include "linux-log.h"
#include "own-domid.h"
#include "run-command.h"

#define LENGTHS 8

struct counts {
    uint16_t self;
    uint64_t rows, length[LENGTHS], others;
};

static void count(uint32_t cpu, const struct linux_log_row *row, void *arg)
{
    struct counts *counts = arg;

    (void)cpu;
    if (row->current != counts->self ||
        row->event != XEN_SCHEDLOG_EV_GUEST_RUNQ ||
        row->correspondent != XEN_SCHEDLOG_ACCT_NONE) {
        counts->others++;
        return;
    }
    counts->rows++;
    counts->length[row->counter < LENGTHS ? row->counter : LENGTHS - 1]++;
}

int main(int argc, char **argv)
{
    struct counts counts = { 0 };
    bool fits;
    int code;

    if (argc < 2)
        errx(2, "usage: runq-count COMMAND [ARGUMENT...]");
    /* This domain is not bound, so its domid is its number. */
    counts.self = own_domid();

    linux_log_set_up();
    linux_log_route(counts.self % LINUX_LOG_NR_ACCT, 1);
    linux_log_turn_on(1U << XEN_SCHEDLOG_EV_GUEST_RUNQ);
    code = run_command(argv + 1);
    linux_log_turn_on(0);

    fits = linux_log_rows(count, &counts);
    if (!fits)
        warnx("a log buffer was too small");
    printf("rows %llu lengths", (unsigned long long)counts.rows);
    for (int i = 0; i < LENGTHS; i++)
        printf(" %llu", (unsigned long long)counts.length[i]);
    printf(" others %llu\n", (unsigned long long)counts.others);
    linux_log_release();

    return code ? code : fits ? 0 : 99;
}
