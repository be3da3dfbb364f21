/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In a guest: a thread that asks another one, which asks the disk, so that three parties wait for
 * each other.
 *
 * Usage: ask-disk DEVICE TIMES MILLISECONDS
 *
 * The thread "asker" passes the turn to "reader" through a pipe; reader reads 4 KiB past the page
 * cache and passes the turn back; then asker sleeps for MILLISECONDS.  Prints the longest time that
 * asker waited, in us.
 */
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define BLOCK 4096
#define BLOCKS 1024

static int disk, to_reader[2], to_asker[2];

static void *serve(void *unused)
{
    void *block;
    off_t at = 0;
    char word;

    prctl(PR_SET_NAME, "reader");
    if (posix_memalign(&block, BLOCK, BLOCK))
        errx(1, "out of memory");
    while (read(to_reader[0], &word, 1) == 1) {
        at = (at + 7) % BLOCKS;
        if (pread(disk, block, BLOCK, at * BLOCK) != BLOCK)
            err(1, "read");
        if (write(to_asker[1], &word, 1) != 1)
            err(1, "write");
    }
    free(block);

    return unused;
}

static double now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);

    return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
    double longest = 0, begin;
    pthread_t reader;
    char word = 0;
    int i;

    if (argc != 4)
        errx(2, "usage: ask-disk DEVICE TIMES MILLISECONDS");
    disk = open(argv[1], O_RDONLY | O_DIRECT);
    if (disk < 0 || pipe(to_reader) || pipe(to_asker))
        err(1, "%s", argv[1]);
    prctl(PR_SET_NAME, "asker");
    if (pthread_create(&reader, NULL, serve, NULL))
        errx(1, "no thread");
    for (i = 0; i < atoi(argv[2]); i++) {
        begin = now_us();
        if (write(to_reader[1], &word, 1) != 1 ||
            read(to_asker[0], &word, 1) != 1)
            err(1, "pipe");
        if (now_us() - begin > longest)
            longest = now_us() - begin;
        usleep(atoi(argv[3]) * 1000);
    }
    printf("%.0f\n", longest);

    return 0;
}
