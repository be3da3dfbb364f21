/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that rows have the accounting domains that were assigned before the events were turned on,
 * from the first row.  Assigns a number to dom0 and to a front end whose disk is busy, turns
 * blkback's events on at once, and off; again and again.
 *
 * Usage: ring-numbers FRONTEND ROUNDS
 *
 * Prints "wrong ROWS": how many rows name another domain.  Exit code: 0, or 1 if nothing was
 * logged, or too much.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <xenctrl.h>
#include <xensched/abi.h>
#include <xenstore.h>

#include "linux-log.h"

#define NODE "/local/domain/0/schedlog/acct"
#define BACKEND_NUMBER 41
#define FRONTEND_NUMBER 40

struct rows {
    unsigned long all, wrong;
};

static void sleep_ms(unsigned int ms)
{
    struct timespec time = { ms / 1000, ms % 1000 * 1000000L };

    nanosleep(&time, NULL);
}

static void give(struct xs_handle *xs, unsigned int domid, unsigned int number)
{
    char path[64], value[16];

    snprintf(path, sizeof(path), NODE "/%u", domid);
    snprintf(value, sizeof(value), "%u", number);
    if (!xs_write(xs, XBT_NULL, path, value, strlen(value)))
        err(1, "%s", path);
}

static void take(uint32_t cpu, const struct linux_log_row *row, void *arg)
{
    struct rows *rows = arg;

    (void)cpu;
    rows->all++;
    rows->wrong += row->current != BACKEND_NUMBER ||
                   row->correspondent != FRONTEND_NUMBER;
}

/* Domids are numbers again after a moment; then come numbers, and events at once. */
static void log_with_numbers(struct xs_handle *xs, unsigned int frontend)
{
    xs_rm(xs, XBT_NULL, NODE);
    sleep_ms(200);
    give(xs, 0, BACKEND_NUMBER);
    give(xs, frontend, FRONTEND_NUMBER);
    linux_log_turn_on(1U << XEN_SCHEDLOG_EV_RING_PAGES);
    sleep_ms(100);
    linux_log_turn_on(0);
}

int main(int argc, char **argv)
{
    struct xs_handle *xs = xs_open(0);
    struct rows rows = { 0 };
    bool fits;

    if (argc != 3)
        errx(2, "usage: ring-numbers FRONTEND ROUNDS");
    if (!xs)
        err(1, "xenstore");

    linux_log_set_up();
    linux_log_route(0, 1);
    linux_log_route(BACKEND_NUMBER, 1);
    for (int i = 0; i < atoi(argv[2]); i++)
        log_with_numbers(xs, atoi(argv[1]));
    xs_rm(xs, XBT_NULL, NODE);
    fits = linux_log_rows(take, &rows);
    linux_log_release();
    xs_close(xs);

    printf("wrong %lu\n", rows.wrong);
    if (!fits || !rows.all)
        errx(1, "%lu rows%s", rows.all, fits ? "" : ", and more");

    return 0;
}
