/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the program's own domid from xenstore. */
#include <err.h>
#include <stdlib.h>

#include <xenstore.h>

#include "own-domid.h"

uint16_t own_domid(void)
{
    struct xs_handle *xs = xs_open(0);
    char *domid = xs ? xs_read(xs, XBT_NULL, "domid", NULL) : NULL;

    if (!domid)
        err(1, "xenstore does not say who this is");

    return atoi(domid);
}
