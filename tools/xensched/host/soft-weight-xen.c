/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads and writes credit2_soft_weight by libxenhypfs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenhypfs.h>

#include "soft-weight-xen.h"

#define PARAMETER "/params/credit2_soft_weight"

static int failed(struct xensched_error *err, const char *what)
{
    int code = errno ? errno : EIO;

    /* A Xen without hypfs has no call at all. */
    if (code == ENOSYS || code == EOPNOTSUPP)
        code = ENOENT;

    return xensched_fail(err, code, "cannot %s Xen's " PARAMETER ": %s", what,
                         strerror(code));
}

int soft_weight_read(void *data, uint32_t *percent,
                     struct xensched_error *err)
{
    struct xenhypfs_handle *handle = xenhypfs_open(NULL, 0);
    char *text = handle ? xenhypfs_read(handle, PARAMETER) : NULL;
    int rc = text ? 0 : failed(err, "read");

    (void)data;
    if (text)
        *percent = strtoul(text, NULL, 0);
    free(text);
    xenhypfs_close(handle);

    return rc;
}

int soft_weight_write(void *data, uint32_t percent,
                      struct xensched_error *err)
{
    struct xenhypfs_handle *handle = xenhypfs_open(NULL, 0);
    char text[16];
    int rc = 0;

    (void)data;
    snprintf(text, sizeof(text), "%u", percent);
    if (!handle || xenhypfs_write(handle, PARAMETER, text))
        rc = failed(err, "change");
    xenhypfs_close(handle);

    return rc;
}
