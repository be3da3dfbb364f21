/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record handler's slow half: the layout of rows.
 *
 * A log control register can change under the producer's hands at any time,
 * to any bit pattern.  The handler compares it with the one which it knows,
 * and comes here when they differ.  From then on it uses what is worked out
 * here and kept in private memory.
 *
 * Knows nothing of Xen: see xen/schedlog-record.h.
 */

#ifdef __XEN__
#include <xen/schedlog-row.h>
#else
#include "schedlog-row.h"
#endif

/* Append an entry of @size bytes at its natural alignment. */
static unsigned int append(unsigned int *end, unsigned int size)
{
    unsigned int offset = (*end + size - 1) & ~(size - 1);

    *end = offset + size;

    return offset;
}

/* The power of two which is not below @size.  0 stays 0. */
static unsigned int round_up_size(unsigned int size, unsigned int pad)
{
    unsigned int rounded = 1U << (pad < 6 ? pad : 6);

    if ( !size )
        return 0;

    while ( rounded < size )
        rounded <<= 1;

    return rounded;
}

/* Are rows of this register, of @size bytes, struct schedlog_plain_row? */
static bool is_plain(uint32_t lcr, unsigned int size)
{
    const uint32_t plain =
        XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |
        XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER |
        XEN_SCHEDLOG_LCR_TIME_TSC;
    const uint32_t other =
        XEN_SCHEDLOG_LCR_COUNTER64 | XEN_SCHEDLOG_LCR_ADD |
        XEN_SCHEDLOG_LCR_TIME_MASK | XEN_SCHEDLOG_LCR_TIME64;

    return size == sizeof(struct schedlog_plain_row) &&
           (lcr & (plain | other)) == plain;
}

static void work_out_layout(struct schedlog_file *file, uint32_t lcr)
{
    unsigned int end = 0;

    if ( lcr & XEN_SCHEDLOG_LCR_EVENT )
        append(&end, sizeof(uint16_t));
    if ( lcr & XEN_SCHEDLOG_LCR_CURRENT )
        append(&end, sizeof(uint16_t));
    if ( lcr & XEN_SCHEDLOG_LCR_CORRESPONDENT )
        append(&end, sizeof(uint16_t));
    if ( lcr & XEN_SCHEDLOG_LCR_COUNTER )
        file->counter_offset =
            append(&end, (lcr & XEN_SCHEDLOG_LCR_COUNTER64) ? 8 : 4);
    if ( schedlog_has_time(lcr) )
        file->time_offset =
            append(&end, (lcr & XEN_SCHEDLOG_LCR_TIME64) ? 8 : 4);

    end = round_up_size(end, (lcr & XEN_SCHEDLOG_LCR_PAD_MASK) >>
                             XEN_SCHEDLOG_LCR_PAD_SHIFT);

    file->lcr = lcr;
    file->row_size = end <= file->mask + 1 ? end : 0;
    file->tsc_shift = (lcr & XEN_SCHEDLOG_LCR_TSC_MASK) >>
                      XEN_SCHEDLOG_LCR_TSC_SHIFT;
    file->plain = is_plain(lcr, file->row_size);
}

void schedlog_set_layout(struct schedlog_file *file, uint32_t lcr)
{
    struct xen_schedlog_state *state = file->state;
    unsigned int gap = 0;

    work_out_layout(file, lcr);

    /* Rows don't straddle the end of the log buffer. */
    if ( file->row_size )
        gap = -file->pos & (file->row_size - 1);
    file->pos += gap;

    ACCESS_ONCE(state->layout_seq) = ++file->layout_seq;
    smp_wmb();
    ACCESS_ONCE(state->layout_pos) = file->pos;
    ACCESS_ONCE(state->layout_gap) = gap;
    ACCESS_ONCE(state->lcr) = lcr;
    ACCESS_ONCE(state->row_size) = file->row_size;
    smp_wmb();
    ACCESS_ONCE(state->layout_seq) = ++file->layout_seq;
    smp_wmb();
    ACCESS_ONCE(state->pos) = file->pos;
}

void schedlog_write_first_row(struct schedlog_cpu *cpu,
                              struct schedlog_file *file, uint32_t lcr,
                              uint64_t ids, uint64_t count)
{
    schedlog_set_layout(file, lcr);
    schedlog_write_row(cpu, file, lcr, ids, count);
}

void schedlog_init_file(struct schedlog_file *file, void *data, uint32_t size,
                        struct xen_schedlog_state *state)
{
    *file = (struct schedlog_file){
        .data = data,
        .mask = size - 1,
        .state = state,
    };
}

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
