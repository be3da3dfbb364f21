/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the statistics of dom0's disks where their requests are not logged. */
#include "disks.h"

/* Three looks a second, and fewer where there are many disks: each is two files. */
#define LOOK_NS          300000000ULL
#define LOOK_PER_DISK_NS 1000000ULL

void disks_init(struct disks *disks)
{
    *disks = (struct disks){ 0 };
    vbds_init(&disks->vbds);
}

void disks_free(struct disks *disks)
{
    vbds_free(&disks->vbds);
}

void disks_forget(struct disks *disks)
{
    vbds_forget(&disks->vbds);
}

struct read_schedule {
    const struct domains *domains;
    struct matrix *matrix;
    uint64_t now_ns;
};

static void take(void *arg, uint32_t domid, uint64_t pages)
{
    const struct read_schedule *look = arg;
    const struct domain *dom0 = domains_find(look->domains, 0);
    const struct domain *client = domains_find(look->domains, domid);

    if (dom0 && client)
        disks_add(look->matrix, dom0->acct, client->acct, pages, look->now_ns);
}

void disks_add(struct matrix *matrix, uint16_t server, uint16_t client,
               uint64_t pages, uint64_t now_ns)
{
    struct xensched_row row = {
        .event = XEN_SCHEDLOG_EV_RING_PAGES, .current = server,
        .correspondent = client, .counter = pages,
        .valid = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                 XENSCHED_ROW_CORRESPONDENT | XENSCHED_ROW_COUNTER,
    };

    if (server >= XEN_SCHEDLOG_ACCT_FIRST && client >= XEN_SCHEDLOG_ACCT_FIRST)
        matrix_add(matrix, &row, now_ns);
}

void disks_read(struct disks *disks, const struct domains *domains,
                struct matrix *matrix, uint64_t now_ns)
{
    struct read_schedule look = { domains, matrix, now_ns };

    if (now_ns < disks->again_ns)
        return;
    vbds_read(&disks->vbds, take, &look);
    disks->again_ns = now_ns + LOOK_NS + disks->vbds.nr * LOOK_PER_DISK_NS;
}
