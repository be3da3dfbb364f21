/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xenstore.h - what xenstore knows of domains: names, and which of them serve
 * backends to others.
 *
 * Nothing is polled: each domain that is asked about is watched from then on,
 * and read again when something changes.
 */
#ifndef XENSCHED_DAEMON_XENSTORE_H
#define XENSCHED_DAEMON_XENSTORE_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/error.h>

struct xenstore;

struct xenstore_domain {
    const char *name; /* printable ASCII; "" when it has none */
    bool driver;      /* has backends for somebody */
};

/* Connect, and watch domains come and go. */
int xenstore_open(struct xenstore **xs, struct xensched_error *err);
void xenstore_close(struct xenstore *xs);

/* Readable when something has changed. */
int xenstore_fd(const struct xenstore *xs);

/*
 * Take in all changes.  Returns true when domains may have come or gone, or a
 * name or a backend has changed.
 */
bool xenstore_changed(struct xenstore *xs);

/* What is known of a domain; valid until the next call of any function. */
struct xenstore_domain xenstore_domain(struct xenstore *xs, uint32_t domid);

/* Forget all domains which were not asked about since the last call of this. */
void xenstore_forget_others(struct xenstore *xs);

#endif /* XENSCHED_DAEMON_XENSTORE_H */
