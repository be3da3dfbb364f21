/* SPDX-License-Identifier: GPL-2.0-only */
/* stop.c - see stop.h. */
#include <signal.h>
#include <stddef.h>

#include "stop.h"

static volatile sig_atomic_t count;

static void on_signal(int number)
{
    (void)number;
    if (count < 100)
        count++;
}

void stop_catch_signals(void)
{
    struct sigaction action = { .sa_handler = on_signal };

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

int stop_count(void)
{
    return count;
}
