/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Queries and changes a log area through its owner, Xen or Linux: repeats a call while the area is
 * busy, and explains failures.
 */
#include <errno.h>
#include <unistd.h>

#include "area-parts.h"

int area_while_busy(struct xensched_area *area,
                    int (*call)(struct xensched_area *area, const void *arg),
                    const void *arg)
{
    unsigned int try;

    for (try = 0; try < AREA_BUSY_TRIES; try++) {
        int code = call(area, arg);

        if (code != EBUSY)
            return code;
        usleep(AREA_BUSY_PAUSE_US);
    }

    return EBUSY;
}

int xensched_area_info(struct xensched_area *area,
                       struct xensched_area_info *info,
                       struct xensched_error *err)
{
    return area->ops->info(area, info, err);
}

int area_held(struct xensched_area *area, struct xensched_error *err)
{
    struct xensched_area_info info;
    int rc = xensched_area_info(area, &info, err);

    if (rc)
        return rc;

    return xensched_fail(err, EEXIST, "another scheduler holds the log (its "
                         "lease ends in %u ms unless renewed); stop it, or, "
                         "if it runs no more, try again when the lease has "
                         "ended", info.lease_left_ms);
}

int area_check_version(uint32_t version, const char *whose,
                       struct xensched_error *err)
{
    if (version == XEN_SCHEDLOG_ABI_VERSION)
        return 0;

    return xensched_fail(err, EPROTO, "%s has schedlog ABI version %u, this "
                         "program was built for version %u: install both from "
                         "the same build", whose, version,
                         XEN_SCHEDLOG_ABI_VERSION);
}
