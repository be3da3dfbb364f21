/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the record handler needs from its surroundings, for a test with one
 * thread, which sets the time itself.
 */
#ifndef SCHEDLOG_ENV_H
#define SCHEDLOG_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xen/schedlog.h>

#define ACCESS_ONCE(x) (*(volatile typeof(x) *)&(x))
#define always_inline inline __attribute__((__always_inline__))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define smp_wmb() asm volatile ( "" ::: "memory" )

extern uint64_t test_tsc;
#define schedlog_tsc() test_tsc

#endif /* SCHEDLOG_ENV_H */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
