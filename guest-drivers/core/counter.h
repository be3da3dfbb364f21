/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Returns the frequency in kHz of the counter that get_cycles() reads: the TSC on
 * x86, the virtual counter on arm64.
 */
#ifndef XENSCHED_COUNTER_H
#define XENSCHED_COUNTER_H

#ifdef CONFIG_X86

#include <asm/tsc.h>

#define xensched_counter_khz() tsc_khz

#else

#include <asm/arch_timer.h>

#define xensched_counter_khz() (arch_timer_get_cntfrq() / 1000)

#endif

#endif /* XENSCHED_COUNTER_H */
