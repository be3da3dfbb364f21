/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shared memory of the log, as test programs see it which play the
 * scheduler's part.  It uses libxenctrl only, and none of xensched's own
 * library, which it is to judge.
 *
 * Everything here ends the program with a message when it fails.
 */

#ifndef LOG_MEMORY_H
#define LOG_MEMORY_H

#include <stdint.h>

#include <xenctrl.h>
#include <xensched/abi.h>

/* To be called first. */
xc_interface *log_open(void);

/* Maps a region (XEN_SCHEDLOG_REGION_*).  NULL: that pCPU has no area. */
void *log_map(uint32_t region, uint32_t cpu, int prot);

/* One more than the highest pCPU with an area. */
uint32_t log_nr_cpus(void);

/* Where a log file is in the region DATA. */
xen_schedlog_file_t log_file(uint32_t nr);

/* The routes of an accounting domain: [XEN_SCHEDLOG_NR_EVENTS]. */
volatile uint64_t *log_routes(uint32_t acct);

/* An event's number, and the other way round. */
int log_event(const char *name);
const char *log_event_name(int event);

#endif /* LOG_MEMORY_H */
