/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sends an exact number of event channel notifications from one domain to
 * another.
 *
 *   evtchn-ping listen NODE DOMID    in the receiving domain; DOMID sends
 *   evtchn-ping send   NODE DOMID N  in the other; N notifications to DOMID
 *
 * NODE is the xenstore node where the two meet.  Each notification is one
 * EVTCHNOP_send, so the sender's count is exact.  The receiver's need not be:
 * what comes while an event is pending is the same event.
 */

#include <err.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenevtchn.h>

#include "exchange.h"

#define POLL_MS 50

static xenevtchn_handle *xce;

/* Takes one event; false when there was none for POLL_MS. */
static bool take_event(void)
{
    struct pollfd fd = { .fd = xenevtchn_fd(xce), .events = POLLIN };
    xenevtchn_port_or_error_t port;
    int ready = poll(&fd, 1, POLL_MS);

    if (ready < 0)
        err(1, "poll");
    if (!ready)
        return false;

    port = xenevtchn_pending(xce);
    if (port < 0 || xenevtchn_unmask(xce, port) < 0)
        err(1, "event channel");

    return true;
}

static void listen_to(uint32_t domid)
{
    xenevtchn_port_or_error_t port = xenevtchn_bind_unbound_port(xce, domid);
    unsigned long received = 0;
    char text[16];

    if (port < 0)
        err(1, "no port for domain %u", domid);
    snprintf(text, sizeof(text), "%d", port);
    exchange_put("port", text);

    for (;;) {
        if (take_event())
            received++;
        else if (exchange_has("sent"))
            break;
    }
    printf("received %lu\n", received);
}

/* Connects to the port of the other side. */
static evtchn_port_t connect_port(uint32_t domid)
{
    xenevtchn_port_or_error_t port;
    char *text = exchange_wait("port");

    port = xenevtchn_bind_interdomain(xce, domid, number(text, "port"));
    if (port < 0)
        err(1, "no channel to port %s of domain %u", text, domid);
    free(text);

    return port;
}

static void send_to(uint32_t domid, unsigned long n)
{
    evtchn_port_t port = connect_port(domid);
    char text[24];

    for (unsigned long i = 0; i < n; i++)
        if (xenevtchn_notify(xce, port) < 0)
            err(1, "notify");

    snprintf(text, sizeof(text), "%lu", n);
    exchange_put("sent", text);
    printf("sent %lu\n", n);
}

int main(int argc, char **argv)
{
    bool sender = argc == 5 && !strcmp(argv[1], "send");
    bool listener = argc == 4 && !strcmp(argv[1], "listen");
    uint32_t domid;

    if (!sender && !listener) {
        fprintf(stderr, "usage: evtchn-ping listen NODE DOMID\n"
                        "       evtchn-ping send NODE DOMID N\n");
        return 2;
    }

    exchange_open(argv[2]);
    domid = number(argv[3], "DOMID");
    xce = xenevtchn_open(NULL, 0);
    if (!xce)
        err(1, "/dev/xen/evtchn");

    if (sender)
        send_to(domid, number(argv[4], "N"));
    else
        listen_to(domid);

    return 0;
}
