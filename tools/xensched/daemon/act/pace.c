/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits the changes of affinities per minute. */
#include "pace.h"

bool pace_allows(const struct pace *pace, unsigned int bound, uint64_t now_ns)
{
    if (!bound || pace->nr < bound)
        return true;

    return now_ns - pace->at_ns[(pace->nr - bound) % PACE_MAX] >=
           PACE_MINUTE_NS;
}

void pace_note(struct pace *pace, uint64_t now_ns)
{
    pace->at_ns[pace->nr++ % PACE_MAX] = now_ns;
}
