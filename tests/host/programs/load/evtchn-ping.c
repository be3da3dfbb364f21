/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sends an exact number of event channel notifications from one domain to another one.
 *
 *   evtchn-ping listen NODE DOMID    in the receiving domain; DOMID sends
 *   evtchn-ping hold   NODE DOMID    the same, but receives none of them
 *   evtchn-ping answer NODE DOMID    the same, and answers each one
 *   evtchn-ping send   NODE DOMID N  in the other; N notifications to DOMID
 *   evtchn-ping ask    NODE DOMID N  the same, each when the last is answered
 *
 * NODE is the xenstore node where the two meet.  Each notification is one EVTCHNOP_send, so the
 * sender's count is exact.  The receiver's is exact only if it answers: notifications while an
 * event is pending are one event.
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

/* Receives one event; returns false after POLL_MS without one. */
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

/* Opens a port for the other side, and writes it to the node. */
static evtchn_port_t offer_port(uint32_t domid)
{
    xenevtchn_port_or_error_t port = xenevtchn_bind_unbound_port(xce, domid);
    char text[16];

    if (port < 0)
        err(1, "no port for domain %u", domid);
    snprintf(text, sizeof(text), "%d", port);
    exchange_put("port", text);

    return port;
}

static void notify(evtchn_port_t port)
{
    if (xenevtchn_notify(xce, port) < 0)
        err(1, "notify");
}

static void listen_to(uint32_t domid, bool answer)
{
    evtchn_port_t port = offer_port(domid);
    unsigned long received = 0;

    for (;;) {
        if (take_event()) {
            received++;
            if (answer)
                notify(port);
        } else if (exchange_has("sent"))
            break;
    }
    printf("received %lu\n", received);
}

/* Linux masks the port at the first event, until this program receives it. */
static void hold(uint32_t domid)
{
    offer_port(domid);
    free(exchange_wait("sent"));
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

static void send_to(uint32_t domid, unsigned long n, bool ask)
{
    evtchn_port_t port = connect_port(domid);
    char text[24];

    /* A new channel may have an event pending that was not sent. */
    while (ask && take_event())
        ;
    for (unsigned long i = 0; i < n; i++) {
        notify(port);
        while (ask && !take_event())
            ;
    }

    snprintf(text, sizeof(text), "%lu", n);
    exchange_put("sent", text);
    printf("sent %lu\n", n);
}

static int usage(void)
{
    fprintf(stderr, "usage: evtchn-ping listen|hold|answer NODE DOMID\n"
                    "       evtchn-ping send|ask NODE DOMID N\n");

    return 2;
}

int main(int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "";
    uint32_t domid;

    if (argc != 4 && argc != 5)
        return usage();

    exchange_open(argv[2]);
    domid = number(argv[3], "DOMID");
    xce = xenevtchn_open(NULL, 0);
    if (!xce)
        err(1, "/dev/xen/evtchn");

    if (argc == 5 && (!strcmp(command, "send") || !strcmp(command, "ask")))
        send_to(domid, number(argv[4], "N"), command[0] == 'a');
    else if (argc == 4 && !strcmp(command, "hold"))
        hold(domid);
    else if (argc == 4 &&
             (!strcmp(command, "listen") || !strcmp(command, "answer")))
        listen_to(domid, command[0] == 'a');
    else
        return usage();

    return 0;
}
