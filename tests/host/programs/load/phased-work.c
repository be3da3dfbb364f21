/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does the same work each time, in phases that have little in common, counted in units
 * (parts/work-count.h):
 *
 *   phased-work ROUNDS UNITS
 *
 * ROUNDS times: UNITS that compute, UNITS that read from /dev/xvda past the page cache, and UNITS
 * that go through 2 MiB in random order and sleep in between.  Units differ in length, and one unit
 * of one phase costs several of another.  The work begins after a sleep, in which the guest can be
 * saved.
 */
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "work-count.h"

#define BLOCK  4096U
#define BLOCKS 4096U
#define PLACES (2U * 1024 * 1024 / sizeof(uint32_t))

static uint32_t next[PLACES]; /* a ring through all places */
static uint64_t table[BLOCK / sizeof(uint64_t)];
static uint64_t lot = 42;
static volatile uint64_t result;
static void *buffer;
static int disk;

/* Returns a number below @below (Knuth's MMIX). */
static uint32_t draw(uint32_t below)
{
    lot = lot * 6364136223846793005ULL + 1442695040888963407ULL;

    return (lot >> 32) % below;
}

/* Returns between 0.7 and 1.3 times the number. */
static uint32_t about(uint32_t usual)
{
    return usual * 7 / 10 + draw(usual * 6 / 10);
}

static void compute(void)
{
    uint64_t x = 1;

    for (uint32_t left = about(100000); left; left--) {
        x = x * 6364136223846793005ULL + table[x >> 55];
        table[left % 512] ^= x;
    }
    result += x;
}

static void request(void)
{
    const uint64_t *words = buffer;

    for (uint32_t left = about(5); left; left--) {
        if (pread(disk, buffer, BLOCK, (off_t)draw(BLOCKS) * BLOCK) != BLOCK)
            err(1, "cannot read");
        for (uint32_t i = 0; i < BLOCK / sizeof(*words); i++)
            result += words[i];
    }
}

static void walk(void)
{
    static uint32_t at;

    for (uint32_t naps = 2; naps; naps--) {
        for (uint32_t left = about(4000); left; left--)
            at = next[at];
        usleep(200);
    }
    result += at;
}

/* Makes one ring, by Sattolo's shuffle. */
static void make_ring(void)
{
    for (uint32_t i = 0; i < PLACES; i++)
        next[i] = i;
    for (uint32_t i = PLACES - 1; i; i--) {
        uint32_t other = draw(i), place = next[i];

        next[i] = next[other];
        next[other] = place;
    }
}

int main(int argc, char **argv)
{
    static void (*const phases[])(void) = { compute, request, walk };
    unsigned int rounds, units;

    if (argc != 3)
        errx(2, "usage: phased-work ROUNDS UNITS");
    rounds = strtoul(argv[1], NULL, 10);
    units = strtoul(argv[2], NULL, 10);
    disk = open("/dev/xvda", O_RDONLY | O_DIRECT);
    if (disk < 0 || posix_memalign(&buffer, BLOCK, BLOCK))
        err(1, "no disk, or no memory");
    make_ring();
    work_begin();
    sleep(4);
    for (; rounds; rounds--)
        for (unsigned int phase = 0; phase < 3; phase++)
            for (unsigned int i = 0; i < units; i++) {
                work_unit();
                phases[phase]();
            }
    work_end();

    return 0;
}
