/* SPDX-License-Identifier: GPL-2.0-only */
/* Implements the two readers of the thesis, for comparison. */
#include <string.h>

#include "peers.h"

static bool consistent_copy(const struct harness *h, uint32_t size,
                            void *buffer)
{
    uint64_t pos = __atomic_load_n(&h->state[0].pos, __ATOMIC_ACQUIRE);

    memcpy(buffer, h->data[0], size);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);

    return __atomic_load_n(&h->state[0].pos, __ATOMIC_RELAXED) == pos;
}

unsigned int peer_retry(const struct produced *log, uint32_t size,
                        void *buffer)
{
    unsigned int attempts = 1;

    while (!consistent_copy(log->h, size, buffer) && attempts < PEER_GIVES_UP)
        attempts++;

    return attempts;
}

unsigned int peer_stop(const struct produced *log, uint32_t size,
                       void *buffer)
{
    uint32_t *lcr = &log->h->lcr[0];
    uint32_t selected = *lcr;
    unsigned int attempts = 1;

    while (!consistent_copy(log->h, size, buffer)) {
        __atomic_store_n(lcr, 0, __ATOMIC_RELEASE);
        attempts++;
    }
    __atomic_store_n(lcr, selected, __ATOMIC_RELEASE);

    return attempts;
}
