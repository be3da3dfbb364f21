/* SPDX-License-Identifier: GPL-2.0-only */
/* Converts time stamps of rows to the host's clock. */
#include <stdlib.h>
#include <string.h>

#include <xensched/read-log.h>

#include "base/alloc.h"
#include "source-clocks.h"

/* Extends 32-bit time stamps to 64 bits. */

static bool is_whole(const struct xensched_layout *layout)
{
    return layout->time_size == 8 && xensched_layout_tsc_shift(layout) >= 0;
}

static uint64_t whole_cycles(const struct xensched_batch *batch, size_t i)
{
    struct xensched_row row;

    xensched_batch_row(batch, i, &row);

    return row.time << xensched_layout_tsc_shift(&batch->layout);
}

void stamps_learn_from_source(struct stamps *stamps,
                              struct xensched_source *source)
{
    struct xensched_batch batch;

    while (xensched_source_next(source, &batch, NULL) == XENSCHED_BATCH) {
        if (!is_whole(&batch.layout) || !xensched_batch_rows(&batch) ||
            batch.source)
            continue;
        stamps->reference = whole_cycles(&batch, 0);
        stamps->known = true;
        return;
    }
}

static void learn_from_file(struct stamps *stamps,
                            const struct xensched_area *area, uint32_t cpu,
                            uint32_t file)
{
    const struct xen_schedlog_state *state;
    struct xensched_reader reader;
    struct xensched_batch batch;
    const void *data;
    void *buffer;
    uint32_t size;
    size_t nr;

    state = xensched_area_state(area, cpu, file);
    data = xensched_area_data(area, cpu, file, &size);
    buffer = state && data ? malloc(size + XEN_SCHEDLOG_MAX_ROW_SIZE) : NULL;
    if (!buffer)
        return;
    xensched_reader_init(&reader, state, data, size, XENSCHED_BEGIN_OLDEST);
    if (xensched_reader_read(&reader, buffer, size + XEN_SCHEDLOG_MAX_ROW_SIZE,
                             &batch) >= 0) {
        nr = xensched_batch_rows(&batch);
        if (nr && is_whole(&batch.layout) &&
            whole_cycles(&batch, nr - 1) >= stamps->reference) {
            stamps->reference = whole_cycles(&batch, nr - 1);
            stamps->known = true;
        }
    }
    free(buffer);
}

void stamps_learn_from_area(struct stamps *stamps,
                            const struct xensched_area *area)
{
    uint32_t cpu, file;

    for (cpu = 0; cpu < xensched_area_cpus(area); cpu++)
        for (file = 0; file < xensched_area_files(area); file++)
            learn_from_file(stamps, area, cpu, file);
}

uint64_t stamp_cycles(struct stamps *stamps,
                      const struct xensched_layout *layout,
                      const struct xensched_row *row)
{
    unsigned int shift = xensched_layout_tsc_shift(layout);
    uint64_t cycles = row->time << shift;
    uint64_t span = 1ULL << (32 + shift % 32); /* of a 32-bit stamp */

    if (layout->time_size == 4 && shift < 32 && stamps->known) {
        /* The distance after the reference; half a span or more means before it. */
        uint64_t after = (cycles - stamps->reference) & (span - 1);

        cycles = stamps->reference + after;
        if (after >= span / 2 && cycles >= span)
            cycles -= span;
    }
    stamps->known = true;
    stamps->reference = cycles;

    return cycles;
}

/* The clocks of a guest. */

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

/* Returns the clock of a vCPU, else the first one's, else the host's. */
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
