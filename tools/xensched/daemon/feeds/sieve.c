/* SPDX-License-Identifier: GPL-2.0-only */
/* Validates rows of driver domains, Linux and guests. */
#include <stdlib.h>

#include "base/alloc.h"
#include "sieve.h"

void sieve_init(struct sieve *sieve, uint16_t own)
{
    sieve_clear(sieve);
    sieve->own = own;
}

void sieve_add_client(struct sieve *sieve, uint16_t acct)
{
    sieve->clients = need_more_memory(sieve->clients, sieve->nr + 1,
                                      sizeof(*sieve->clients));
    sieve->clients[sieve->nr++] = acct;
}

void sieve_clear(struct sieve *sieve)
{
    free(sieve->clients);
    sieve->clients = NULL;
    sieve->nr = 0;
}

bool sieve_has_client(const void *data, uint16_t acct)
{
    const struct sieve *sieve = data;
    unsigned int i;

    for (i = 0; i < sieve->nr; i++)
        if (sieve->clients[i] == acct)
            return true;

    return false;
}

int64_t sieve_most(const void *data, uint16_t event, uint16_t current,
                   uint16_t correspondent)
{
    const struct sieve *sieve = data;

    if (current != sieve->own)
        return -1;
    switch (event) {
    case XEN_SCHEDLOG_EV_RING_PAGES:
        return sieve_has_client(sieve, correspondent) ? SIEVE_MAX_PAGES : -1;
    /* A discard may be as large as the disk, and none of it is in the matrix. */
    case XEN_SCHEDLOG_EV_RING_SECTORS:
        return sieve_has_client(sieve, correspondent) ? INT64_MAX : -1;
    /* None of these is in the matrix. */
    case XEN_SCHEDLOG_EV_GUEST_RUNQ:
    case XEN_SCHEDLOG_EV_GUEST_SWITCH:
    case XEN_SCHEDLOG_EV_GUEST_WAKE:
    case XEN_SCHEDLOG_EV_GUEST_NAME:
        return INT64_MAX;
    default:
        return -1;
    }
}

bool sieve_believes_process(const struct sieve *sieve,
                            const struct xensched_row *row)
{
    const uint16_t all = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                         XENSCHED_ROW_CORRESPONDENT | XENSCHED_ROW_COUNTER;

    if ((row->valid & all) != all || row->event != XEN_SCHEDLOG_EV_PROCESS_IO ||
        row->current != sieve->own)
        return false;
    if (row->correspondent == XEN_SCHEDLOG_ACCT_NONE)
        return true;

    return sieve_has_client(sieve, row->correspondent) &&
           row->counter >> XEN_SCHEDLOG_SECTORS_SHIFT <= SIEVE_MAX_SECTORS;
}

unsigned int sieve_cap(const struct sieve *sieve, struct matrix *matrix,
                       uint64_t now_ns)
{
    unsigned int i, nr = 0;

    for (i = 0; i < sieve->nr; i++)
        nr += matrix_cap(matrix, XEN_SCHEDLOG_EV_RING_PAGES, sieve->own,
                         sieve->clients[i], XEN_SCHEDLOG_EV_EVTCHN_SEND,
                         (double)SIEVE_MAX_REQUESTS * SIEVE_MAX_PAGES, now_ns);

    return nr;
}
