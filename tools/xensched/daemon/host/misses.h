/* SPDX-License-Identifier: GPL-2.0-only */
/* misses.h - how cache misses are counted on this machine's processors. */
#ifndef XENSCHED_DAEMON_MISSES_H
#define XENSCHED_DAEMON_MISSES_H

#include <stdint.h>

/*
 * The event select, as <xen/sysctl.h> has it, of what Linux calls
 * "cache-misses" in perf(1); 0: it isn't known for these.
 */
uint64_t misses_select(void);

/* The same for a vendor and a family, as CPUID says them. */
uint64_t misses_select_of(const char *vendor, unsigned int family);

#endif /* XENSCHED_DAEMON_MISSES_H */
