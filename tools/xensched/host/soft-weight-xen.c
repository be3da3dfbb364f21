/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads and writes the credit2-soft-weight of cpupools by libxenhypfs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenhypfs.h>

#include "soft-weight-xen.h"

#define POOLS "/cpupool"
#define WEIGHT "credit2-soft-weight"

static int failed(struct xensched_error *err, const char *what)
{
    int code = errno ? errno : EIO;

    /* A Xen without hypfs has no call at all. */
    if (code == ENOSYS || code == EOPNOTSUPP)
        code = ENOENT;

    return xensched_fail(err, code, "cannot %s Xen's " WEIGHT ": %s", what,
                         strerror(code));
}

static int read_pool(struct xenhypfs_handle *handle, const char *pool,
                     uint32_t *percent)
{
    char path[64], *text;

    snprintf(path, sizeof(path), POOLS "/%s/" WEIGHT, pool);
    text = xenhypfs_read(handle, path);
    if (!text)
        return -1;
    *percent = strtoul(text, NULL, 0);
    free(text);

    return 0;
}

static int write_pool(struct xenhypfs_handle *handle, const char *pool,
                      uint32_t percent)
{
    char path[64], text[16];

    snprintf(path, sizeof(path), POOLS "/%s/" WEIGHT, pool);
    snprintf(text, sizeof(text), "%" PRIu32, percent);

    return xenhypfs_write(handle, path, text);
}

int soft_weight_read(void *data, uint32_t *percent,
                     struct xensched_error *err)
{
    struct xenhypfs_handle *handle = xenhypfs_open(NULL, 0);
    int rc = 0;

    (void)data;
    if (!handle || read_pool(handle, "0", percent))
        rc = failed(err, "read");
    xenhypfs_close(handle);

    return rc;
}

/* Pool 0 comes first.  A pool that ends meanwhile is no failure. */
static int write_pools(struct xenhypfs_handle *handle, uint32_t percent)
{
    struct xenhypfs_dirent *pools;
    unsigned int i, nr = 0;
    uint32_t before, now;

    if (read_pool(handle, "0", &before) || write_pool(handle, "0", percent))
        return -1;
    pools = xenhypfs_readdir(handle, POOLS, &nr);
    for (i = 0; pools && i < nr; i++)
        if (!read_pool(handle, pools[i].name, &now) && now == before)
            write_pool(handle, pools[i].name, percent);
    free(pools);

    return 0;
}

int soft_weight_write(void *data, uint32_t percent,
                      struct xensched_error *err)
{
    struct xenhypfs_handle *handle = xenhypfs_open(NULL, 0);
    int rc = 0;

    (void)data;
    if (!handle || write_pools(handle, percent))
        rc = failed(err, "change");
    xenhypfs_close(handle);

    return rc;
}
