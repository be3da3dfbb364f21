/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Notifies the scheduler when log buffers fill up, so that it need not poll.
 *
 * The scheduler sets a watermark in shared memory for each log buffer of each
 * pCPU.  The tick compares it with the position, so writing a row costs nothing
 * for it.  Each tick reads a watermark once and compares it, nothing else.
 *
 * Each tick notifies the scheduler again until it has moved the watermark: a
 * notification that comes while the scheduler reads is not lost, and one more
 * than necessary does no harm.
 */

#include <xen/event.h>

#include "area.h"

static bool is_reached(const struct schedlog_pcpu *pcpu, unsigned int nr)
{
    const uint64_t watermark = ACCESS_ONCE(pcpu->mark[nr]);

    return watermark && pcpu->cpu.file[nr].pos >= watermark;
}

bool schedlog_ring(const struct schedlog_pcpu *pcpu)
{
    unsigned int nr = 0;

    while ( nr <= pcpu->cpu.file_mask && !is_reached(pcpu, nr) )
        nr++;

    if ( nr > pcpu->cpu.file_mask )
        return false;

    send_global_virq(VIRQ_SCHEDLOG);

    return true;
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
