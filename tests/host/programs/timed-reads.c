/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long reads of a disk take, by the clock of whoever runs this: COUNT times
 * 4 KiB, one after the other, past the page cache.
 *
 * Usage: timed-reads DEVICE COUNT [REGION]
 *
 * Prints: MEAN MEDIAN P99, in ns.  With REGION the reads are a region of the
 * machine model (region.h).
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "region.h"

#define BYTES 4096

static int64_t now(void)
{
    struct timespec time;

    if (clock_gettime(CLOCK_MONOTONIC, &time))
        err(1, "CLOCK_MONOTONIC");

    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int64_t read_block(int fd, void *buffer, long i)
{
    int64_t begin = now();

    if (pread(fd, buffer, BYTES, (off_t)i * BYTES) != BYTES)
        err(1, "cannot read block %ld", i);

    return now() - begin;
}

static int by_value(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void print(int64_t *times, long count)
{
    int64_t sum = 0;

    for (long i = 0; i < count; i++)
        sum += times[i];
    qsort(times, count, sizeof(*times), by_value);
    printf("%lld %lld %lld\n", (long long)(sum / count),
           (long long)times[count / 2],
           (long long)times[(count * 99 + 99) / 100 - 1]);
}

int main(int argc, char **argv)
{
    long count = argc >= 3 ? atol(argv[2]) : 0;
    void *buffer;
    int64_t *times;
    int fd;

    if (argc < 3 || argc > 4 || count <= 0)
        errx(2, "usage: timed-reads DEVICE COUNT [REGION]");
    fd = open(argv[1], O_RDONLY | O_DIRECT);
    if (fd < 0)
        err(1, "cannot open '%s'", argv[1]);
    times = calloc(count, sizeof(*times));
    if (!times || posix_memalign(&buffer, BYTES, BYTES))
        errx(1, "no memory for %ld times", count);
    if (argc == 4)
        region(region_id(argv[3]));
    for (long i = 0; i < count; i++)
        times[i] = read_block(fd, buffer, i);
    if (argc == 4)
        region(0);
    print(times, count);

    return 0;
}
