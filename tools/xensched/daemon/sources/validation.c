/* SPDX-License-Identifier: GPL-2.0-only */
/* Validates rows of driver domains, Linux and guests. */
#include <stdlib.h>

#include "base/alloc.h"
#include "validation.h"

void validation_init(struct validation *validation, uint16_t own)
{
    validation_clear(validation);
    validation->own = own;
}

void validation_add_client(struct validation *validation, uint16_t acct)
{
    validation->clients = need_more_memory(validation->clients, validation->nr + 1,
                                           sizeof(*validation->clients));
    validation->clients[validation->nr++] = acct;
}

void validation_clear(struct validation *validation)
{
    free(validation->clients);
    validation->clients = NULL;
    validation->nr = 0;
}

bool validation_has_client(const void *data, uint16_t acct)
{
    const struct validation *validation = data;
    unsigned int i;

    for (i = 0; i < validation->nr; i++)
        if (validation->clients[i] == acct)
            return true;

    return false;
}

int64_t validation_most(const void *data, uint16_t event, uint16_t current,
                        uint16_t correspondent)
{
    const struct validation *validation = data;

    if (current != validation->own)
        return -1;
    switch (event) {
    case XEN_SCHEDLOG_EV_RING_PAGES:
        return validation_has_client(validation, correspondent) ? VALIDATION_MAX_PAGES : -1;
    /* A discard may be as large as the disk, and none of it is in the matrix. */
    case XEN_SCHEDLOG_EV_RING_SECTORS:
        return validation_has_client(validation, correspondent) ? INT64_MAX : -1;
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

bool validation_believes_process(const struct validation *validation,
                                 const struct xensched_row *row)
{
    const uint16_t all = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                         XENSCHED_ROW_CORRESPONDENT | XENSCHED_ROW_COUNTER;

    if ((row->valid & all) != all || row->event != XEN_SCHEDLOG_EV_PROCESS_IO ||
        row->current != validation->own)
        return false;
    if (row->correspondent == XEN_SCHEDLOG_ACCT_NONE)
        return true;

    return validation_has_client(validation, row->correspondent) &&
           row->counter >> XEN_SCHEDLOG_SECTORS_SHIFT <= VALIDATION_MAX_SECTORS;
}

unsigned int validation_cap(const struct validation *validation, struct matrix *matrix,
                            uint64_t now_ns)
{
    unsigned int i, nr = 0;

    for (i = 0; i < validation->nr; i++)
        nr += matrix_cap(matrix, XEN_SCHEDLOG_EV_RING_PAGES, validation->own,
                         validation->clients[i], XEN_SCHEDLOG_EV_EVTCHN_SEND,
                         (double)VALIDATION_MAX_REQUESTS * VALIDATION_MAX_PAGES, now_ns);

    return nr;
}
