/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * linux-log.h - /dev/xensched-log for test programs: an area with one log buffer per CPU, and its
 * rows, without xensched's own library.  Every failure ends the program.
 */
#ifndef LINUX_LOG_H
#define LINUX_LOG_H

#include <stdbool.h>
#include <stdint.h>

#define LINUX_LOG_NR_ACCT 64

/* The fields of rows. */
struct linux_log_row {
    uint16_t event;
    uint16_t current;
    uint16_t correspondent;
    uint64_t counter;
    uint64_t tsc;
    uint64_t pad;
};

/* Makes a new area. */
void linux_log_set_up(void);

void linux_log_turn_on(uint32_t events);

/* Logs all events of accounting domain @acct, or none. */
void linux_log_route(uint16_t acct, uint32_t threshold);
void linux_log_unroute(uint16_t acct);

/* Reads rows while the events are off.  Returns false if rows were overwritten. */
bool linux_log_rows(void (*take)(uint32_t cpu, const struct linux_log_row *row,
                                 void *arg), void *arg);

void linux_log_release(void);

#endif /* LINUX_LOG_H */
