/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The doorbell: the scheduler need not look at logs which have nothing to say.
 *
 * For each log file of each pCPU it has set a mark in shared memory.  The tick
 * looks whether one was reached, so writing a row costs nothing for it.  A mark
 * is read once per look and compared, nothing else.
 *
 * It rings until the mark is set anew: a ring which comes while the scheduler
 * is reading isn't lost, and one more than is needed does no harm.
 */

#include <xen/event.h>

#include "area.h"

static bool is_reached(const struct schedlog_pcpu *pcpu, unsigned int nr)
{
    const uint64_t mark = ACCESS_ONCE(pcpu->mark[nr]);

    return mark && pcpu->cpu.file[nr].pos >= mark;
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
