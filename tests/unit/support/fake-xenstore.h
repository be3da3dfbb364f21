/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fake-xenstore.h - a libxenstore whose xenstored is a table in this process, shared by all
 * connections.  Transactions take effect at once and are never undone.
 */
#ifndef FAKE_XENSTORE_H
#define FAKE_XENSTORE_H

#include <stdbool.h>
#include <stdint.h>

struct fake_xenstore {
    unsigned int open;      /* number of connections */
    unsigned int conflicts; /* number of transactions that end with EAGAIN first */
    unsigned int writes;    /* number of writes, ever */
    unsigned int reads;     /* number of reads, ever */
    unsigned int dies_in;   /* number of reads, of which the last fails; 0: never */
    unsigned int transactions; /* number of transactions, ever */
    const char *socket;     /* path of xenstored's socket; NULL: none */
    int refuse;             /* errno value of each connection and write; 0: success */
    /* Called after each transaction that wrote, in place of xenstored's clients. */
    void (*changed)(void);
};

extern struct fake_xenstore fake_xs;

/* Makes an empty xenstored without connections. */
void fake_xs_reset(void);

/* Restarts xenstored with its contents.  All connections are closed. */
void fake_xs_die(void);

/* Writes, removes (with all nodes below) and reads as another program.  The path is printf(3)'s. */
void fake_xs_put(const char *value, const char *path, ...)
    __attribute__((format(printf, 2, 3)));
void fake_xs_put_bytes(const void *value, unsigned int length,
                       const char *path, ...)
    __attribute__((format(printf, 3, 4)));
void fake_xs_remove(const char *path, ...)
    __attribute__((format(printf, 1, 2)));
/* Returns NULL if there is no such node. */
const char *fake_xs_get(const char *path, ...)
    __attribute__((format(printf, 1, 2)));
/* Returns permissions as xenstore-chmod writes them: "n0r5"; "" if they were never changed. */
const char *fake_xs_permissions(const char *path, ...)
    __attribute__((format(printf, 1, 2)));

#endif /* FAKE_XENSTORE_H */
