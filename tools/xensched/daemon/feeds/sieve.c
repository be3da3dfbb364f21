/* SPDX-License-Identifier: GPL-2.0-only */
/* sieve.c - see sieve.h. */
#include <stdlib.h>

#include "model/memory.h"
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

static bool is_client(const struct sieve *sieve, uint16_t acct)
{
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
        return is_client(sieve, correspondent) ? SIEVE_MAX_PAGES : -1;
    case XEN_SCHEDLOG_EV_RING_SECTORS:
        return is_client(sieve, correspondent) ? INT64_MAX : -1;
    case XEN_SCHEDLOG_EV_GUEST_RUNQ:
        return INT64_MAX;
    default:
        return -1;
    }
}
