/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes requests of known number and size to a block device, past the page cache and from
 * page-aligned memory, so that each uses as few pages as possible.
 *
 * Usage: disk-io DEVICE write|read|discard BYTES COUNT [FIRST [PAUSE]]
 *        disk-io DEVICE flush COUNT
 *
 * Request i is about BYTES at (FIRST + i) * BYTES.  Written data depend on the place, and "read"
 * verifies them.  One request at a time, with PAUSE us after each.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void fill(uint64_t *words, size_t bytes, uint64_t place)
{
    for (size_t i = 0; i < bytes / sizeof(*words); i++)
        words[i] = (place + i * sizeof(*words)) * 0x9e3779b97f4a7c15ULL;
}

static void write_one(int fd, void *buffer, size_t bytes, uint64_t place)
{
    fill(buffer, bytes, place);
    if (pwrite(fd, buffer, bytes, place) != (ssize_t)bytes)
        err(1, "cannot write");
}

static void read_one(int fd, void *buffer, size_t bytes, uint64_t place,
                     void *wanted)
{
    if (pread(fd, buffer, bytes, place) != (ssize_t)bytes)
        err(1, "cannot read");
    fill(wanted, bytes, place);
    if (memcmp(buffer, wanted, bytes))
        errx(1, "wrong data at %llu", (unsigned long long)place);
}

static void discard_one(int fd, size_t bytes, uint64_t place)
{
    uint64_t range[2] = { place, bytes };

    if (ioctl(fd, BLKDISCARD, range))
        err(1, "cannot discard");
}

static void flush(int fd, unsigned long count)
{
    while (count--)
        if (fsync(fd))
            err(1, "cannot flush");
}

int main(int argc, char **argv)
{
    unsigned long count, first, pause;
    void *buffer, *wanted;
    size_t bytes;
    int fd;

    if (argc < 4 || argc > 7)
        errx(2, "usage: disk-io DEVICE OPERATION BYTES COUNT [FIRST [PAUSE]]");
    fd = open(argv[1], O_RDWR | O_DIRECT);
    if (fd < 0)
        err(1, "%s", argv[1]);
    if (argc == 4) {
        flush(fd, strtoul(argv[3], NULL, 10));
        return 0;
    }

    bytes = strtoul(argv[3], NULL, 10);
    count = strtoul(argv[4], NULL, 10);
    first = argc > 5 ? strtoul(argv[5], NULL, 10) : 0;
    pause = argc > 6 ? strtoul(argv[6], NULL, 10) : 0;
    if (posix_memalign(&buffer, 4096, bytes) ||
        posix_memalign(&wanted, 4096, bytes))
        errx(1, "no memory");

    for (unsigned long i = first; i < first + count; i++) {
        if (!strcmp(argv[2], "write"))
            write_one(fd, buffer, bytes, i * bytes);
        else if (!strcmp(argv[2], "read"))
            read_one(fd, buffer, bytes, i * bytes, wanted);
        else if (!strcmp(argv[2], "discard"))
            discard_one(fd, bytes, i * bytes);
        else
            errx(2, "%s: no such operation", argv[2]);
        if (pause)
            usleep(pause);
    }

    return 0;
}
