/* SPDX-License-Identifier: GPL-2.0-only */
/* Converts the times of a guest's rows with the guest's clocks. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "source-clocks.h"

void source_clocks_learn(struct source_clocks *clocks,
                         const struct xensched_clock *clock)
{
    struct xensched_clock *c;

    if (clock->vcpu >= XENSCHED_MAX_VCPUS)
        return;
    if (clock->vcpu >= clocks->nr) {
        clocks->clock = need_more_memory(clocks->clock, clock->vcpu + 1,
                                         sizeof(*clocks->clock));
        memset(&clocks->clock[clocks->nr], 0,
               (clock->vcpu + 1 - clocks->nr) * sizeof(*clocks->clock));
        clocks->nr = clock->vcpu + 1;
    }
    c = &clocks->clock[clock->vcpu];
    *c = *clock;
    if (!c->host_khz || !c->guest_khz)
        c->host_khz = c->guest_khz = 1;
}

/* A vCPU without a clock has that of the first one; a source without has the host's. */
static const struct xensched_clock *clock_of(const struct source_clocks *clocks,
                                             uint32_t cpu)
{
    if (cpu < clocks->nr && clocks->clock[cpu].host_khz)
        return &clocks->clock[cpu];

    return clocks->nr && clocks->clock[0].host_khz ? &clocks->clock[0] : NULL;
}

void source_clocks_know_time(struct source_clocks *clocks, uint32_t cpu,
                             const struct stamps *host)
{
    const struct xensched_clock *clock = clock_of(clocks, cpu);

    if (clocks->stamps.known || !host->known)
        return;
    clocks->stamps.known = true;
    clocks->stamps.reference =
        clock ? xensched_clock_to_guest(clock, host->reference)
              : host->reference;
}

uint64_t source_clocks_cycles(struct source_clocks *clocks, uint32_t cpu,
                              const struct xensched_layout *layout,
                              const struct xensched_row *row)
{
    const struct xensched_clock *clock = clock_of(clocks, cpu);
    uint64_t cycles = stamp_cycles(&clocks->stamps, layout, row);

    return clock ? xensched_clock_to_host(clock, cycles) : cycles;
}

void source_clocks_free(struct source_clocks *clocks)
{
    free(clocks->clock);
    memset(clocks, 0, sizeof(*clocks));
}
