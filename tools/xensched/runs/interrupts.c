/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts signals that interrupt an experiment. */
#include <stddef.h>

#include "interrupts.h"

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

void stop_hold_signals(sigset_t *before)
{
    sigset_t held;

    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    sigprocmask(SIG_BLOCK, &held, before);
}

int stop_count(void)
{
    return count;
}
