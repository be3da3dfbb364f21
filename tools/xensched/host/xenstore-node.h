/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xenstore-node.h - declares what xenstore.c and xenstore-node.c share: the connection, and paths.
 */
#ifndef XENSCHED_HOST_XENSTORE_NODE_H
#define XENSCHED_HOST_XENSTORE_NODE_H

#include <xenstore.h>

#include "xenstore.h"

#define XENSTORE_PATH 96

/* Returns the connection, for a call that waits for xenstored's answer. */
struct xs_handle *xenstore_asked(const struct xenstore *xs);

/*
 * The ports of the domain that xenstore reported last; the caller overwrites them with
 * those that it reads.  Valid until the next call of any function.
 */
uint32_t *xenstore_known_ports(struct xenstore *xs, uint32_t domid);

/*
 * The name of the cpupool that xenstore reported last, after it reports @name; NULL:
 * xenstore has none.  "" for a name that is too long.  Valid as above.
 */
const char *xenstore_known_pool(struct xenstore *xs, uint32_t pool,
                                const char *name);

/* As printf(3). */
void xenstore_path(char path[XENSTORE_PATH], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif /* XENSCHED_HOST_XENSTORE_NODE_H */
