/* SPDX-License-Identifier: GPL-2.0-only */
/* Instructions for measurements, on x86 and on arm64. */
#ifndef XENSCHED_CALIBRATE_PROCESSOR_H
#define XENSCHED_CALIBRATE_PROCESSOR_H

/* Starts to remove the line at @address from all caches. */
static inline void flush_line(const void *address)
{
#ifdef __x86_64__
    __builtin_ia32_clflush(address);
#else
    __asm__ volatile ("dc civac, %0" :: "r" (address) : "memory");
#endif
}

/* Returns when the lines are removed. */
static inline void finish_flush(void)
{
#ifdef __x86_64__
    __builtin_ia32_mfence();
#else
    __asm__ volatile ("dsb sy" ::: "memory");
#endif
}

/* For a loop that waits. */
static inline void spin_hint(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#else
    __asm__ volatile ("yield");
#endif
}

#endif /* XENSCHED_CALIBRATE_PROCESSOR_H */
