/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In a guest: measures what marks cost the program that makes them.
 *
 * Usage: mark-cost ROUNDS
 *
 * Prints the TSC ticks of an invocation, the fewest and the median: "none" without a mark, "region"
 * with a begin and an end that have a name, "code" with two codes, "count" with one count.  In
 * exact mode of the box a tick is an instruction.
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uapi/xensched_mark.h"

#include "ticks.h"

#define MOST 10000

static int fd, name;

static int none(void)
{
    return 0;
}

static int region(void)
{
    int rc = xensched_mark_begin(fd, name);

    return rc ? rc : xensched_mark_end(fd, name);
}

static int code(void)
{
    int rc = xensched_mark(fd, 1);

    return rc ? rc : xensched_mark(fd, 2);
}

static int count(void)
{
    return xensched_mark_count(fd, name, 5);
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static void measure(const char *what, int (*invocation)(void), unsigned int n)
{
    static uint64_t took[MOST];

    for (unsigned int i = 0; i < n; i++) {
        uint64_t start = ticks();
        int rc = invocation();

        took[i] = ticks() - start;
        if (rc)
            errx(1, "%s: %s", what, strerror(rc));
    }
    qsort(took, n, sizeof(took[0]), compare);
    printf("%s %llu %llu\n", what, (unsigned long long)took[0],
           (unsigned long long)took[n / 2]);
}

int main(int argc, char **argv)
{
    unsigned int n = argc == 2 ? atoi(argv[1]) : 0;

    if (!n || n > MOST)
        errx(2, "usage: mark-cost ROUNDS");
    fd = open(XENSCHED_MARK_DEVICE, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        err(1, XENSCHED_MARK_DEVICE);
    name = xensched_mark_name(fd, "cost");
    if (name < 0)
        errx(1, "name: %s", strerror(-name));

    measure("none", none, n);
    measure("region", region, n);
    measure("code", code, n);
    measure("count", count, n);

    return 0;
}
