/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks parts of a host's work for the machine model (parts/region-mark.c), where the whole would
 * take too long.  Repeats until it is ended:
 *
 *   samples ID WARM-US COUNT-US PAUSE-US
 *
 * region 63 for WARM-US, which fills caches, then region ID for COUNT-US, and nothing for PAUSE-US.
 * SIGTERM ends the program and the region.  One process does all this, so that it hardly counts
 * itself.
 */
#include <err.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "region.h"

#define WARMING 63

static volatile sig_atomic_t ended;

static void end(int signal)
{
    (void)signal;
    ended = 1;
}

static long microseconds(const char *text)
{
    char *rest;
    long us = strtol(text, &rest, 10);

    if (rest == text || *rest || us < 0)
        errx(2, "%s: not a number of microseconds", text);

    return us;
}

/* A signal ends the sleep early. */
static void wait_for(long us)
{
    struct timespec time = { us / 1000000, us % 1000000 * 1000 };

    if (!ended)
        nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
    const struct sigaction action = { .sa_handler = end };
    long warm, count, pause;
    unsigned int id;

    if (argc != 5)
        errx(2, "usage: samples ID WARM-US COUNT-US PAUSE-US");
    id = region_id(argv[1]);
    warm = microseconds(argv[2]);
    count = microseconds(argv[3]);
    pause = microseconds(argv[4]);
    if (sigaction(SIGTERM, &action, NULL))
        err(1, "sigaction");
    while (!ended) {
        wait_for(pause);
        if (ended)
            break;
        region(WARMING);
        wait_for(warm);
        region(id);
        wait_for(count);
        region(0);
    }

    return 0;
}
