/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Supplies the surroundings of Xen's record handler in user space.
 *
 * The handler's own files (xen/include/xen/schedlog-record.h and xen/common/schedlog/record.c) are
 * compiled unchanged; this header has the definitions that their #else needs.  A program that
 * controls the time defines schedlog_tsc() before it includes this header.
 */
#ifndef SCHEDLOG_ENV_H
#define SCHEDLOG_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xensched/abi.h>

#define ACCESS_ONCE(x) (*(volatile typeof(x) *)&(x))
#define always_inline inline __attribute__((__always_inline__))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* x86 keeps the order of stores and that of loads, but compilers do not. */
#if defined(__x86_64__)
#define smp_wmb() asm volatile ("" ::: "memory")
#else
#define smp_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#endif
#ifndef smp_rmb
#if defined(__x86_64__)
#define smp_rmb() asm volatile ("" ::: "memory")
#else
#define smp_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#endif
#endif

#ifndef schedlog_tsc
#define schedlog_tsc() __builtin_ia32_rdtsc()
#endif

#endif /* SCHEDLOG_ENV_H */
