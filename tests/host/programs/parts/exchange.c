/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rendezvous of two test programs.  It polls, because a watch would need a thread or a select
 * loop in programs that do one thing only.
 */

#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <xenstore.h>

#include "exchange.h"

#define POLL_US  20000
#define WAIT_S   60

static struct xs_handle *xs;
static const char *exchange_node;

static char *key_path(const char *key)
{
    char *path;

    if (asprintf(&path, "%s/%s", exchange_node, key) < 0)
        err(1, "no memory");

    return path;
}

static char *key_read(const char *key)
{
    char *path = key_path(key);
    char *value = xs_read(xs, XBT_NULL, path, NULL);

    if (!value && errno != ENOENT)
        err(1, "xenstore %s", path);
    free(path);

    return value;
}

void exchange_open(const char *node)
{
    exchange_node = node;
    xs = xs_open(0);
    if (!xs)
        err(1, "xenstore");
}

void exchange_put(const char *key, const char *value)
{
    char *path = key_path(key);

    if (!xs_write(xs, XBT_NULL, path, value, strlen(value)))
        err(1, "xenstore %s", path);
    free(path);
}

static time_t seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);

    return now.tv_sec;
}

char *exchange_wait(const char *key)
{
    /* Counting polls would not do: in an emulator one can take a second. */
    time_t end = seconds() + WAIT_S;

    do {
        char *value = key_read(key);

        if (value)
            return value;
        usleep(POLL_US);
    } while (seconds() <= end);
    errx(1, "%s/%s was not written within %d s", exchange_node, key, WAIT_S);
}

int exchange_has(const char *key)
{
    char *value = key_read(key);

    free(value);

    return value != NULL;
}

unsigned long number(const char *text, const char *name)
{
    char *end;
    unsigned long value = strtoul(text, &end, 0);

    if (end == text || *end)
        errx(2, "%s has to be a number, not '%s'", name, text);

    return value;
}
