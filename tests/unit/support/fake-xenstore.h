/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fake-xenstore.h - a libxenstore whose xenstored is a table in this process,
 * for all connections.  Transactions are done at once and never undone.
 */
#ifndef FAKE_XENSTORE_H
#define FAKE_XENSTORE_H

#include <stdbool.h>
#include <stdint.h>

struct fake_xenstore {
    unsigned int open;      /* connections */
    unsigned int conflicts; /* transactions that end with EAGAIN first */
    unsigned int writes;    /* ever */
    unsigned int reads;     /* likewise */
    unsigned int dies_in;   /* reads, the last of which fails; 0: never */
    unsigned int transactions; /* begun, ever */
    const char *socket;     /* of xenstored; NULL: there is none */
    int refuse;             /* errno value of each connection, write */
    /* Called after each transaction which wrote, as xenstored's clients are. */
    void (*changed)(void);
};

extern struct fake_xenstore fake_xs;

/* Empty, without connections. */
void fake_xs_reset(void);

/* xenstored ends, and is started with what it knew.  All connections are closed. */
void fake_xs_die(void);

/* As another program: write, remove with all below it, read.  printf(3). */
void fake_xs_put(const char *value, const char *path, ...)
    __attribute__((format(printf, 2, 3)));
void fake_xs_put_bytes(const void *value, unsigned int length,
                       const char *path, ...)
    __attribute__((format(printf, 3, 4)));
void fake_xs_remove(const char *path, ...)
    __attribute__((format(printf, 1, 2)));
/* NULL: there is no such node. */
const char *fake_xs_get(const char *path, ...)
    __attribute__((format(printf, 1, 2)));
/* As xenstore-chmod has it: "n0r5"; "": as it was made. */
const char *fake_xs_permissions(const char *path, ...)
    __attribute__((format(printf, 1, 2)));

#endif /* FAKE_XENSTORE_H */
