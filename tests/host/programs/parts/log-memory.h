/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * log-memory.h - the shared memory of the log, for test programs that play the scheduler.  It uses
 * libxenctrl only, and none of xensched's own library, which these programs test.
 *
 * All functions end the program with a message if they fail.
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

/* Returns one more than the highest pCPU with an area. */
uint32_t log_nr_cpus(void);

/* Returns the place of a log buffer in the region DATA. */
xen_schedlog_file_t log_file(uint32_t nr);

/* Returns the routes of an accounting domain: [XEN_SCHEDLOG_NR_EVENTS]. */
volatile uint64_t *log_routes(uint32_t acct);

/* Converts an event's name into its number, and back. */
int log_event(const char *name);
const char *log_event_name(int event);

#endif /* LOG_MEMORY_H */
