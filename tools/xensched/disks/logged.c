/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * logged.c - see logged.h.
 *
 * Here nobody gives accounting domains: ours is WE, and each front end's its domid and
 * THEY.
 */
#include <errno.h>
#include <stdlib.h>

#include <xensched/source.h>

#include "ebpf/area-ebpf.h"
#include "logged.h"

#define WE      2U
#define THEY    3U
#define NR_ACCT 4U /* that have routes */

/* Three looks a second: 49,000 requests per second on each CPU. */
#define FILE_SIZE (256U << 10)

#define ROW (XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER | \
             XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT)

#define EVENT XEN_SCHEDLOG_EV_RING_PAGES

/* It has no lease that could end; the number is for who asks. */
#define LEASE_MS 3600000U

struct logged {
    struct xensched_area *area;
    struct xensched_source *source;
};

static void number_all(struct xensched_area *area, uint32_t own)
{
    uint32_t domid;

    for (domid = 0; domid < DOMID_FIRST_RESERVED; domid++)
        area_ebpf_set_number(area, domid, domid + THEY);
    area_ebpf_set_number(area, own, WE);
}

static int start(struct logged *l, uint32_t own, struct xensched_error *err)
{
    number_all(l->area, own);
    xensched_area_set_lcr(l->area, 0, ROW);
    xensched_area_set_route(l->area, WE, EVENT, 0, 1);

    /* To the library it is a log of the Linux below us. */
    return xensched_source_open("linux", l->area, &l->source, err) ?:
           xensched_area_events(l->area, 1U << EVENT, LEASE_MS, err);
}

int logged_open(uint32_t own, struct logged **logged,
                struct xensched_error *err)
{
    const uint32_t sizes[] = { FILE_SIZE };
    const struct xensched_geometry geometry = { NR_ACCT, 1, sizes };
    struct logged *l = calloc(1, sizeof(*l));
    int rc;

    if (!l)
        return xensched_fail(err, ENOMEM, "out of memory");
    rc = area_ebpf_setup(&geometry, own, &l->area, err);
    if (!rc)
        rc = start(l, own, err);
    if (rc) {
        logged_close(l);
        return rc;
    }
    *logged = l;

    return 0;
}

uint64_t logged_read(struct logged *logged,
                     void (*take)(void *arg, uint32_t domid, uint64_t pages),
                     void *arg)
{
    struct xensched_batch batch;
    struct xensched_error err;
    struct xensched_row row;
    uint64_t lost = 0;
    size_t i;

    while (xensched_source_next(logged->source, &batch, &err) ==
           XENSCHED_BATCH) {
        lost += batch.lost_rows;
        for (i = 0; i < xensched_batch_rows(&batch); i++) {
            xensched_batch_row(&batch, i, &row);
            if (row.counter && row.correspondent >= THEY)
                take(arg, row.correspondent - THEY, row.counter);
        }
    }

    return lost;
}

void logged_close(struct logged *logged)
{
    if (!logged)
        return;
    xensched_source_close(logged->source);
    xensched_area_close(logged->area);
    free(logged);
}
