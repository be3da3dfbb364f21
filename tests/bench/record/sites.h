/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sites.h - what is measured: each function makes nr events, one after the
 * other, each by one call of a function which stands for a log site.
 */
#ifndef SITES_H
#define SITES_H

#include <stdint.h>

/* The accounting domains of the events: several in turn, as in real life. */
#define FIRST_ACCT 2
#define ACCTS_IN_TURN 4
#define OTHER_ACCT 8

struct schedlog_cpu;

/* A cyclic buffer, for the least that writing a row can cost. */
struct plain_buffer {
    uint8_t *data;
    uint64_t pos;
    uint64_t mask;
};

/* The floors.  The argument of those with void * isn't used. */
void run_empty(void *unused, unsigned int nr);
void run_disabled(void *unused, unsigned int nr);
void run_rdtsc(void *unused, unsigned int nr);
void run_memcpy_row(void *plain_buffer, unsigned int nr);

/* The record handler: schedlog_record(), with and without another domain. */
void run_record(void *schedlog_cpu, unsigned int nr);
void run_domain_skip(void *schedlog_cpu, unsigned int nr);

/* A chain of nr additions, which takes one cycle of the core for each. */
void run_core_cycles(void *unused, unsigned int nr);

/* Xen's trace(), with the TSC in each record and without. */
void xen_trace_set_up(void);
void run_xen_trace(void *unused, unsigned int nr);
void run_xen_trace_no_time(void *unused, unsigned int nr);

/* A tracepoint of LTTng.  Returns false if no session wants it. */
int lttng_is_on(void);
void run_lttng_ust(void *unused, unsigned int nr);

#endif /* SITES_H */
