/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lease.h - the daemon's lease of the log.
 *
 * The daemon has the log for the time of its lease, which it renews.  When it
 * stood still for longer than that, Xen has turned all events off, and
 * another program may have the log by now.  Here it is found out that this has
 * happened, and how long it is worth waiting when another program holds the log
 * as the daemon starts.
 *
 * It knows no clock, and nothing of Xen but what struct host tells.
 */
#ifndef XENSCHED_DAEMON_LEASE_H
#define XENSCHED_DAEMON_LEASE_H

#include "host/host.h"

struct lease {
    uint64_t lease_ns;   /* 0: the log isn't held */
    uint64_t renewed_ns; /* when it was known to be held */
    uint64_t asked_ns;   /* when Xen was asked whether it is */
};

/* A random number by which Xen is to know the daemon; never 0. */
uint64_t lease_new_cookie(void);

/* The lease begins. */
void lease_begin(struct lease *h, uint32_t lease_ms, uint64_t now_ns);

/*
 * Call this before each renewal.  Returns 0 if the log is held still, or if it
 * never was; -ESTALE, and the text says why, if it is not, once; or an error
 * of the host.
 */
int lease_check(struct lease *h, const struct host *host, uint64_t now_ns,
                struct xensched_error *err);

/* What to do about the lease of another program. */
enum lease_advice {
    LEASE_FREE,   /* there is none any more */
    LEASE_WAIT,   /* it may come to its end */
    LEASE_REFUSE, /* it is being renewed: its holder is alive */
};

struct lease_wait {
    uint32_t left_ms;        /* at the last look */
    uint64_t deadline_ns;    /* 0: before the first one */
    unsigned int looks_anew; /* the first look, and when it became longer */
};

/*
 * @lease_ms and @left_ms are what Xen says now.  @w is zeroed before the first
 * call; LEASE_WAIT ends not long after the lease's end at that time.
 */
enum lease_advice lease_wait(struct lease_wait *w, uint32_t lease_ms,
                             uint32_t left_ms, uint64_t now_ns);

#endif /* XENSCHED_DAEMON_LEASE_H */
