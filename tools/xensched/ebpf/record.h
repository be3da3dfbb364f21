/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record.h - the record handler once more, as the kernel's verifier of programs takes
 * it: no pointer may be kept in memory, and each index has to have a bound.
 *
 * It writes what schedlog-record.h would, byte by byte; test-ebpf-record.c holds the two
 * against each other.  The program's calls do not nest: while one runs on a CPU, Linux
 * leaves another one out, and counts it.
 *
 * Who includes this has defined RINGS_NOW_NS(), and rings_inline.
 */
#ifndef XENSCHED_EBPF_RECORD_H
#define XENSCHED_EBPF_RECORD_H

#include <stdbool.h>

#include "rings.h"

#define RINGS_ONCE(x) (*(volatile typeof(x) *)&(x))

/* Stores stay in their order on x86, if the compiler leaves them in it. */
#define rings_wmb() asm volatile("" ::: "memory")

/* Of the clock of rows with TIME_TICK: 10 ms. */
#define RINGS_TICK_NS 10000000ULL

static rings_inline uint32_t rings_append(uint32_t *end, uint32_t size)
{
    uint32_t offset = (*end + size - 1) & ~(size - 1);

    *end = offset + size;

    return offset;
}

static rings_inline bool rings_has_time(uint32_t lcr)
{
    return (lcr & XEN_SCHEDLOG_LCR_TIME_MASK) != XEN_SCHEDLOG_LCR_TIME_NONE;
}

/* The power of two which is not below @size, at most MAX_ROW_SIZE.  0 stays 0. */
static rings_inline uint32_t rings_round_up(uint32_t size, uint32_t pad)
{
    uint32_t rounded = 1U << (pad < 6 ? pad : 6);
    unsigned int i;

    for (i = 0; i < 6; i++)
        if (rounded < size)
            rounded <<= 1;

    return size ? rounded : 0;
}

static rings_inline void rings_work_out(struct rings_file *file, uint32_t lcr)
{
    uint32_t end = 0;

    if (lcr & XEN_SCHEDLOG_LCR_EVENT)
        rings_append(&end, sizeof(uint16_t));
    if (lcr & XEN_SCHEDLOG_LCR_CURRENT)
        rings_append(&end, sizeof(uint16_t));
    if (lcr & XEN_SCHEDLOG_LCR_CORRESPONDENT)
        rings_append(&end, sizeof(uint16_t));
    if (lcr & XEN_SCHEDLOG_LCR_COUNTER)
        file->counter_offset =
            rings_append(&end, lcr & XEN_SCHEDLOG_LCR_COUNTER64 ? 8 : 4);
    if (rings_has_time(lcr))
        file->time_offset =
            rings_append(&end, lcr & XEN_SCHEDLOG_LCR_TIME64 ? 8 : 4);
    end = rings_round_up(end, (lcr & XEN_SCHEDLOG_LCR_PAD_MASK) >>
                              XEN_SCHEDLOG_LCR_PAD_SHIFT);
    file->lcr = lcr;
    file->row_size = end <= file->mask + 1 ? end : 0;
    file->tsc_shift = (lcr & XEN_SCHEDLOG_LCR_TSC_MASK) >>
                      XEN_SCHEDLOG_LCR_TSC_SHIFT;
}

static rings_inline void rings_set_layout(struct rings_file *file,
                                           struct xen_schedlog_state *state,
                                           uint32_t lcr)
{
    uint32_t gap = 0;

    rings_work_out(file, lcr);
    if (file->row_size)
        gap = -(uint32_t)file->pos & (file->row_size - 1);
    file->pos += gap;

    RINGS_ONCE(state->layout_seq) = ++file->layout_seq;
    rings_wmb();
    RINGS_ONCE(state->layout_pos) = file->pos;
    RINGS_ONCE(state->layout_gap) = gap;
    RINGS_ONCE(state->lcr) = lcr;
    RINGS_ONCE(state->row_size) = file->row_size;
    rings_wmb();
    RINGS_ONCE(state->layout_seq) = ++file->layout_seq;
    rings_wmb();
    RINGS_ONCE(state->pos) = file->pos;
}

static rings_inline void rings_write_ids(uint8_t *row, uint32_t lcr,
                                          uint64_t ids)
{
    const uint32_t all = XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |
                         XEN_SCHEDLOG_LCR_CORRESPONDENT;
    uint16_t *id = (uint16_t *)row;

    if ((lcr & all) == all) {
        *(uint64_t *)row = ids; /* such a row has at least 8 bytes */
        return;
    }
    if (lcr & XEN_SCHEDLOG_LCR_EVENT)
        *id++ = ids;
    if (lcr & XEN_SCHEDLOG_LCR_CURRENT)
        *id++ = ids >> 16;
    if (lcr & XEN_SCHEDLOG_LCR_CORRESPONDENT)
        *id = ids >> 32;
}

/* Counters saturate. */
static rings_inline void rings_write_counter(uint8_t *at, uint32_t lcr,
                                              uint64_t count)
{
    uint64_t most = lcr & XEN_SCHEDLOG_LCR_COUNTER64 ? UINT64_MAX : UINT32_MAX;
    uint64_t amount = count < most ? count : most, sum = amount;

    if (lcr & XEN_SCHEDLOG_LCR_COUNTER64) {
        if (lcr & XEN_SCHEDLOG_LCR_ADD)
            sum += *(uint64_t *)at;
        *(uint64_t *)at = sum >= amount ? sum : most;
        return;
    }
    if (lcr & XEN_SCHEDLOG_LCR_ADD)
        sum += *(uint32_t *)at;
    *(uint32_t *)at = sum <= most ? sum : most;
}

/* There is no way to the TSC from here: Linux' clock, in ns, stands for it. */
static rings_inline void rings_write_time(struct rings_cpu *cpu,
                                           uint32_t tsc_shift, uint8_t *at,
                                           uint32_t lcr)
{
    const uint32_t source = lcr & XEN_SCHEDLOG_LCR_TIME_MASK;
    uint64_t now;

    if (source == XEN_SCHEDLOG_LCR_TIME_TSC)
        now = RINGS_NOW_NS() >> (tsc_shift & 63);
    else if (source == XEN_SCHEDLOG_LCR_TIME_TICK)
        now = RINGS_NOW_NS() / RINGS_TICK_NS;
    else
        now = cpu->virtual_time++;

    if (lcr & XEN_SCHEDLOG_LCR_TIME64)
        *(uint64_t *)at = now;
    else
        *(uint32_t *)at = now;
}

/* Is this the threshold-th event since the last one that passed? */
static rings_inline bool rings_passes(struct rings_cpu *cpu, uint64_t route)
{
    const uint32_t threshold = route;

    if (threshold <= 1)
        return true;
    if (cpu->skipped + 1 < threshold) {
        cpu->skipped++;
        return false;
    }
    cpu->skipped = 0;

    return true;
}

/* @data has @bytes, and SPARE more. */
static rings_inline void rings_write_row(struct rings_cpu *cpu,
                                          struct rings_file *file,
                                          struct xen_schedlog_state *state,
                                          uint8_t *data, uint32_t bytes,
                                          uint64_t ids, uint64_t count)
{
    const uint32_t lcr = file->lcr;
    uint64_t pos = file->pos, at = file->offset + (pos & file->mask);
    uint8_t *row;

    if (!file->row_size || at >= bytes)
        return;
    row = data + at;
    pos += file->row_size;
    file->pos = pos;

    rings_write_ids(row, lcr, ids);
    if (lcr & XEN_SCHEDLOG_LCR_COUNTER)
        rings_write_counter(row + (file->counter_offset & 63), lcr, count);
    if (rings_has_time(lcr))
        rings_write_time(cpu, file->tsc_shift, row + (file->time_offset & 63),
                         lcr);
    rings_wmb();
    RINGS_ONCE(state->pos) = pos;
    rings_wmb();
}

/*
 * An event happened which @route is about.  @cpu is an entry of own, @shared the same
 * CPU's of cpus.
 */
static rings_inline void rings_record(const volatile struct rings_facts *facts,
                                       struct rings_cpu *cpu, uint8_t *shared,
                                       uint64_t route, uint64_t ids,
                                       uint64_t count)
{
    struct xen_schedlog_state *state = (void *)(shared + facts->state_at);
    uint32_t *registers = (uint32_t *)shared;
    struct rings_file *file;
    uint32_t nr, lcr;

    if (!(route & XEN_SCHEDLOG_ROUTE_VALID) || !rings_passes(cpu, route))
        return;
    nr = (route >> XEN_SCHEDLOG_ROUTE_FILE_SHIFT) & facts->file_mask;
    file = &cpu->file[nr];
    lcr = RINGS_ONCE(registers[nr]);
    if (lcr != file->lcr)
        rings_set_layout(file, &state[nr], lcr);
    rings_write_row(cpu, file, &state[nr], shared + facts->data_at,
                    facts->data_bytes, ids, count);
}

#endif /* XENSCHED_EBPF_RECORD_H */
