/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints how many units of its work a guest has begun, and how many steps were of its kind
 * (parts/work-count.h).
 *
 * Usage: work-count DOMID
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <xengnttab.h>
#include <xenstore.h>

#include "work-count.h"

static uint32_t grant_of(uint32_t domid)
{
    struct xs_handle *xs = xs_open(0);
    char path[64], *text;
    unsigned int length;

    snprintf(path, sizeof(path), "/local/domain/%u/" WORK_NODE, domid);
    text = xs ? xs_read(xs, XBT_NULL, path, &length) : NULL;
    if (!text)
        err(1, "domain %u has not published its page", domid);

    return strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
    xengnttab_handle *xgt = xengnttab_open(NULL, 0);
    const volatile struct work_count *work;
    uint32_t domid;

    if (argc != 2)
        errx(2, "usage: work-count DOMID");
    domid = atoi(argv[1]);
    work = xgt ? xengnttab_map_grant_ref(xgt, domid, grant_of(domid), PROT_READ) :
                 NULL;
    if (!work)
        err(1, "the page of domain %u", domid);
    printf("%" PRIu64 " %" PRIu64 "\n", work->units, work->kind);

    return 0;
}
