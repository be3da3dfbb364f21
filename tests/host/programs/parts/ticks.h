/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ticks.h - the processor's counter, a loop of a known number of instructions, and the instruction
 * for loops that wait, on x86 and on arm64.
 *
 * QEMU emulates all pCPUs in turn.  On arm64 a pCPU loses its turn whenever it flushes a TLB, so
 * dom0 hardly starts a program while a guest computes, unless the guest calls end_turn() often.
 */
#ifndef TICKS_H
#define TICKS_H

#include <stdint.h>

#ifdef __x86_64__

/* The time stamp counter. */
static inline uint64_t ticks(void)
{
    return __builtin_ia32_rdtsc();
}

/* Two instructions per round. */
static inline void loop(uint64_t rounds)
{
    __asm__ volatile ("1: dec %0; jnz 1b" : "+r" (rounds) :: "cc");
}

static inline void spin_hint(void)
{
    __builtin_ia32_pause();
}

static inline void end_turn(void)
{
}

#else

/* The virtual counter. */
static inline uint64_t ticks(void)
{
    uint64_t now;

    __asm__ volatile ("isb; mrs %0, cntvct_el0" : "=r" (now) :: "memory");

    return now;
}

/* Two instructions per round. */
static inline void loop(uint64_t rounds)
{
    __asm__ volatile ("1: subs %0, %0, #1; b.ne 1b" : "+r" (rounds) :: "cc");
}

static inline void spin_hint(void)
{
    __asm__ volatile ("yield");
}

static inline void end_turn(void)
{
    spin_hint();
}

#endif

#endif /* TICKS_H */
