/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two domains notify each other in turn, each waiting for the other.
 *
 * With both on one pCPU a round trip is two notifications and two context switches.  In exact mode
 * each of these is an exact number of instructions, some with an interrupt among them.  The program
 * prints a short round, not the shortest: once in thousands of rounds Xen happens to have less to
 * do.
 *
 * Usage: pingpong ping DOMID ROUNDS    in dom0; prints: round-trip CYCLES
 *        pingpong pong                 in the guest DOMID; ends with it
 *
 * ping writes the port into pong's own folder in xenstore.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xenevtchn.h>
#include <xenstore.h>

#include "ticks.h"

static struct xs_handle *xs;
static xenevtchn_handle *xce;

static void open_all(void)
{
    xs = xs_open(0);
    if (!xs)
        err(1, "cannot talk to xenstore");
    xce = xenevtchn_open(NULL, 0);
    if (!xce)
        err(1, "cannot open /dev/xen/evtchn");
}

static void wait_for_notification(void)
{
    xenevtchn_port_or_error_t port = xenevtchn_pending(xce);

    if (port < 0 || xenevtchn_unmask(xce, port) < 0)
        err(1, "cannot receive a notification");
}

static int compare(const void *a, const void *b)
{
    const uint64_t *one = a, *other = b;

    return (*one > *other) - (*one < *other);
}

/* Returns a value below which one of 200 lies.  Sorts the values. */
static uint64_t short_one(uint64_t *value, int nr)
{
    qsort(value, nr, sizeof(*value), compare);

    return value[nr / 200];
}

static int ping(int domid, int rounds)
{
    uint64_t *took = calloc(rounds, sizeof(*took));
    char path[64], value[16];
    int port;

    if (!took)
        err(1, "no memory for %d rounds", rounds);
    open_all();
    port = xenevtchn_bind_unbound_port(xce, domid);
    if (port < 0)
        err(1, "cannot make an event channel for domain %d", domid);

    snprintf(path, sizeof(path), "/local/domain/%d/pingpong", domid);
    snprintf(value, sizeof(value), "%d", port);
    if (!xs_write(xs, XBT_NULL, path, value, strlen(value)))
        err(1, "cannot write %s", path);

    /* The other side sends the first one when it is ready. */
    wait_for_notification();
    for (int i = 0; i < rounds; i++) {
        uint64_t begin = ticks();

        if (xenevtchn_notify(xce, port) < 0)
            err(1, "cannot notify");
        wait_for_notification();
        took[i] = ticks() - begin;
    }
    printf("round-trip %llu\n", (unsigned long long)short_one(took, rounds));
    free(took);

    return 0;
}

static int pong(void)
{
    char *value = NULL;
    int port;

    open_all();
    while (!value) {
        unsigned int length;

        value = xs_read(xs, XBT_NULL, "pingpong", &length);
        if (!value)
            usleep(100000);
    }
    port = xenevtchn_bind_interdomain(xce, 0, atoi(value));
    if (port < 0)
        err(1, "cannot connect to dom0's event channel %s", value);
    free(value);

    for (;;) {
        if (xenevtchn_notify(xce, port) < 0)
            err(1, "cannot notify");
        wait_for_notification();
    }
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "ping") && atoi(argv[3]) > 0)
        return ping(atoi(argv[2]), atoi(argv[3]));
    if (argc == 2 && !strcmp(argv[1], "pong"))
        return pong();

    errx(2, "usage: pingpong ping DOMID ROUNDS | pingpong pong");
}
