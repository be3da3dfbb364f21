/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lease.h - the daemon's lease of the log.
 *
 * The daemon holds the log for the time of its lease, which it renews.  If it stands still for
 * longer, Xen turns all events off, and another program may take the log.  These functions detect
 * that, and decide how long a starting daemon waits while another program holds the log.
 *
 * They have no clock, and reach Xen only through struct host.
 */
#ifndef XENSCHED_DAEMON_LEASE_H
#define XENSCHED_DAEMON_LEASE_H

#include "host/host.h"

struct lease {
    uint64_t lease_ns;   /* 0: the daemon does not hold the log */
    uint64_t renewed_ns; /* the last time at which it held the log for certain */
    uint64_t asked_ns;   /* time of the last query to Xen */
};

/* A random number by which Xen recognises the daemon; never 0. */
uint64_t lease_new_cookie(void);

/* Begins the lease. */
void lease_begin(struct lease *h, uint32_t lease_ms, uint64_t now_ns);

/*
 * Call this before each renewal.  Returns 0 if the daemon still holds the log, or never did;
 * -ESTALE once after it has lost the log, with the reason in the text; or an error of the host.
 */
int lease_check(struct lease *h, const struct host *host, uint64_t now_ns,
                struct xensched_error *err);

/* How to proceed while another program has the lease. */
enum lease_advice {
    LEASE_FREE,   /* the lease has ended */
    LEASE_WAIT,   /* the lease may end */
    LEASE_REFUSE, /* the lease is being renewed: its holder is alive */
};

struct lease_wait {
    uint32_t left_ms;        /* at the last call */
    uint64_t deadline_ns;    /* 0: before the first call */
    unsigned int looks_anew; /* calls that set the deadline: the first, and if left_ms grew */
};

/*
 * @lease_ms and @left_ms are Xen's current values.  @w is zeroed before the first call.  LEASE_WAIT
 * ends soon after the end that the lease had at the first call.
 */
enum lease_advice lease_wait(struct lease_wait *w, uint32_t lease_ms,
                             uint32_t left_ms, uint64_t now_ns);

#endif /* XENSCHED_DAEMON_LEASE_H */
