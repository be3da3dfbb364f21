/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fake-calibrate.c - memory of nodes, which belongs to this process, and event channels that take
 * 5 us.  FAKE_CALIBRATE=no-domain: no domain can be created; =stop: the measurement hangs, until it
 * is interrupted.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate/node-memory.h"
#include "calibrate/latency-probes.h"

static char pages[NODE_MEMORY_BYTES];

static int is(const char *what)
{
    const char *mode = getenv("FAKE_CALIBRATE");

    return mode && !strcmp(mode, what);
}

int node_memory_begin(struct node_memory **memory, unsigned int nr,
                      struct xensched_error *err)
{
    (void)nr;
    *memory = NULL;

    return is("no-domain") ? xensched_fail(err, ENOMEM, "cannot make a domain")
                           : 0;
}

void node_memory_end(struct node_memory *memory)
{
    (void)memory;
}

void *node_memory_map(const struct node_memory *memory, unsigned int node)
{
    (void)memory;
    (void)node;

    return pages;
}

double notification_ns(unsigned int a, unsigned int b)
{
    (void)a;
    (void)b;
    while (is("stop"))
        pause();

    return 5000;
}
