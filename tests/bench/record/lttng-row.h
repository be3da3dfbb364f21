/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lttng-row.h - a tracepoint of LTTng with the contents of a row.  The time is
 * added by LTTng, as with every tracepoint.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER xensched_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng-row.h"

#if !defined(LTTNG_ROW_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define LTTNG_ROW_H

#include <stdint.h>
#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(
    xensched_bench, row,
    LTTNG_UST_TP_ARGS(uint16_t, event, uint16_t, acct, uint16_t, other,
                      uint32_t, count),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint16_t, event, event)
        lttng_ust_field_integer(uint16_t, current, acct)
        lttng_ust_field_integer(uint16_t, correspondent, other)
        lttng_ust_field_integer(uint32_t, counter, count)
    )
)

#endif /* LTTNG_ROW_H */

#include <lttng/tracepoint-event.h>
