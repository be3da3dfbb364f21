/* SPDX-License-Identifier: GPL-2.0-only */
/* LTTng's tracepoint, called as the record handler is. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng-row.h"

#include "sites.h"

int lttng_is_on(void)
{
    return lttng_ust_tracepoint_enabled(xensched_bench, row);
}

static __attribute__((__noinline__, __noipa__))
void trace_row(uint32_t acct, uint32_t other, uint64_t nr)
{
    lttng_ust_tracepoint(xensched_bench, row, 4, acct, other, nr);
}

void run_lttng_ust(void *unused, unsigned int nr)
{
    (void)unused;
    for (unsigned int i = 0; i < nr; i++)
        trace_row(FIRST_ACCT + i % ACCTS_IN_TURN, OTHER_ACCT, 1);
}
