/* SPDX-License-Identifier: LGPL-2.1-only */
/* Writes the threads to watch to xenstore. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/guest-watch.h>

#include "xenstore-open.h"

#define PATH_TEXT 64

/* The folder has several uses; only the nodes in it are for the guest to read. */
static bool write_lines(struct xs_handle *xs, uint32_t domid, const char *path,
                        const char *lines)
{
    struct xs_permissions perms[2] = {
        { .id = 0, .perms = XS_PERM_NONE },
        { .id = domid, .perms = XS_PERM_READ },
    };

    return xs_write(xs, XBT_NULL, path, lines, strlen(lines)) &&
           xs_set_permissions(xs, XBT_NULL, path, perms, 2);
}

/* Nodes of a domain that does not exist would stay for ever. */
static bool is_there(struct xs_handle *xs, uint32_t domid)
{
    char path[PATH_TEXT], *name;
    unsigned int length;

    snprintf(path, sizeof(path), "/local/domain/%u/domid", domid);
    name = xs_read(xs, XBT_NULL, path, &length);
    free(name);

    return name;
}

int xensched_guest_watch(uint32_t domid, const char *lines,
                         struct xensched_error *err)
{
    struct xs_handle *xs = xensched_xenstore_open(err);
    char path[PATH_TEXT];
    int rc = 0;

    if (!xs)
        return err->code;
    snprintf(path, sizeof(path), "/local/domain/%u/schedlog/watch", domid);
    if (lines && !is_there(xs, domid))
        rc = xensched_fail(err, ESRCH, "domain %u is not in xenstore", domid);
    else if (lines ? !write_lines(xs, domid, path, lines)
                   : !xs_rm(xs, XBT_NULL, path) && errno != ENOENT)
        rc = xensched_fail(err, errno, "cannot change '%s' in xenstore: %s",
                           path, strerror(errno));
    xs_close(xs);

    return rc;
}
