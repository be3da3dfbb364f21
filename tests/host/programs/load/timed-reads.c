/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a disk, and measures each read by the clock of the domain in which this program
 * runs.
 *
 * Usage: timed-reads DEVICE BYTES DEPTH RATE SEED START MS [REGION]
 *
 * If RATE is 0, DEPTH direct reads of BYTES are in flight at any time.  Otherwise RATE
 * reads per second are due, at times that SEED draws: gaps are uniform between 0 and twice
 * the mean.  A read that is due while DEPTH are in flight is submitted later.  SEED also
 * draws the blocks, so the nth read is the same however long the reads before it take.
 *
 * The program starts at START, in seconds of CLOCK_REALTIME (0: at once), and discards
 * the first 5 ms; then it counts for MS ms.  Programs in several guests that have the
 * same START count in the same period.  SEED adds up to 1 ms to START.
 *
 * Prints: REQUESTS MEAN MEDIAN P99, the last three in ns from when a read is due to its
 * completion.
 * With REGION the counted time is a region of the machine model (region.h).
 */
#include <err.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "open-loop.h"
#include "region.h"

#define MAX_DEPTH 64

struct loop {
    int fd;
    aio_context_t context;
    size_t bytes;
    uint64_t blocks;
    unsigned int depth;
    struct arrivals arrivals;
    struct iocb requests[MAX_DEPTH];
    int64_t due[MAX_DEPTH];
    unsigned int idle[MAX_DEPTH];   /* slots without a request */
    unsigned int nr_idle;
};

static void prepare(struct loop *loop, unsigned int slot)
{
    struct iocb *request = &loop->requests[slot];
    void *buffer;

    if (posix_memalign(&buffer, 4096, loop->bytes))
        errx(1, "no memory for a buffer of %zu bytes", loop->bytes);
    *request = (struct iocb){
        .aio_data = slot,
        .aio_lio_opcode = IOCB_CMD_PREAD,
        .aio_fildes = loop->fd,
        .aio_buf = (uintptr_t)buffer,
        .aio_nbytes = loop->bytes,
    };
}

static void open_loop(struct loop *loop, char **argv)
{
    off_t size;

    loop->fd = open(argv[1], O_RDONLY | O_DIRECT);
    size = loop->fd < 0 ? -1 : lseek(loop->fd, 0, SEEK_END);
    if (size < 0)
        err(1, "cannot open '%s'", argv[1]);
    loop->bytes = strtoul(argv[2], NULL, 10);
    loop->depth = strtoul(argv[3], NULL, 10);
    arrivals_init(&loop->arrivals, atol(argv[4]), strtoull(argv[5], NULL, 10));
    if (!loop->bytes || loop->bytes % 512 || loop->depth < 1 ||
        loop->depth > MAX_DEPTH || (size_t)size < loop->bytes)
        errx(2, "BYTES: a multiple of 512, at most the disk; DEPTH: 1 to %d", MAX_DEPTH);
    loop->blocks = size / loop->bytes;
    for (unsigned int slot = 0; slot < loop->depth; slot++) {
        prepare(loop, slot);
        loop->idle[loop->nr_idle++] = slot;
    }
    if (syscall(SYS_io_setup, loop->depth, &loop->context))
        err(1, "io_setup");
}

/* Is there a read to submit? */
static bool is_due(const struct loop *loop, int64_t time)
{
    return loop->nr_idle && (!loop->arrivals.gap || loop->arrivals.next <= time);
}

static struct iocb *next_request(struct loop *loop, int64_t time)
{
    unsigned int slot = loop->idle[--loop->nr_idle];

    loop->due[slot] = arrivals_take(&loop->arrivals, time);
    loop->requests[slot].aio_offset = arrivals_draw(&loop->arrivals) % loop->blocks * loop->bytes;

    return &loop->requests[slot];
}

static void submit_due(struct loop *loop, int64_t time)
{
    struct iocb *requests[MAX_DEPTH];
    unsigned int nr = 0;

    while (is_due(loop, time))
        requests[nr++] = next_request(loop, time);
    for (unsigned int done = 0; done < nr;) {
        int rc = syscall(SYS_io_submit, loop->context, nr - done, requests + done);

        if (rc <= 0)
            err(1, "io_submit");
        done += rc;
    }
}

/*
 * Waits for a completion, or until the next read is due and has a slot.  Returns the number
 * of completions; their slots are in @slots.
 */
static unsigned int reap(struct loop *loop, int64_t time, unsigned int *slots)
{
    const struct arrivals *arrivals = &loop->arrivals;
    int64_t wait = arrivals->next > time ? arrivals->next - time : 0;
    struct timespec timeout = {
        .tv_sec = wait / (1000 * MS_NS),
        .tv_nsec = wait % (1000 * MS_NS),
    };
    struct io_event events[MAX_DEPTH];
    int nr = syscall(SYS_io_getevents, loop->context, 1, loop->depth, events,
                     arrivals->gap && loop->nr_idle ? &timeout : NULL);

    if (nr < 0)
        err(1, "io_getevents");
    for (int i = 0; i < nr; i++) {
        slots[i] = events[i].data;
        if (events[i].res != (int64_t)loop->bytes)
            errx(1, "a read failed: %lld", (long long)events[i].res);
    }

    return nr;
}

/* Submits reads until @end.  @times gets those that complete, or is NULL. */
static void run_until(struct loop *loop, int64_t end, struct times *times)
{
    int64_t time = clock_ns(CLOCK_MONOTONIC);
    unsigned int slots[MAX_DEPTH], nr;

    while (time < end) {
        submit_due(loop, time);
        nr = reap(loop, time, slots);
        time = clock_ns(CLOCK_MONOTONIC);
        for (unsigned int i = 0; i < nr; i++) {
            if (times)
                times_add(times, time - loop->due[slots[i]]);
            loop->idle[loop->nr_idle++] = slots[i];
        }
    }
}

int main(int argc, char **argv)
{
    struct times times = { 0 };
    struct loop loop = { 0 };
    int64_t begin;

    if (argc < 8 || argc > 9)
        errx(2, "usage: timed-reads DEVICE BYTES DEPTH RATE SEED START MS [REGION]");
    open_loop(&loop, argv);
    arrivals_sleep_until(&loop.arrivals, atol(argv[6]));
    begin = clock_ns(CLOCK_MONOTONIC) + WARM_NS;
    loop.arrivals.next = begin - WARM_NS;
    run_until(&loop, begin, NULL);
    if (argc == 9)
        region(region_id(argv[8]));
    run_until(&loop, begin + atol(argv[7]) * MS_NS, &times);
    if (argc == 9)
        region(0);
    times_print(&times);

    return 0;
}
