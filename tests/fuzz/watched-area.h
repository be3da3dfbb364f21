/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * watched-area.h - a pCPU's log area in user space, with the hypervisor's own record
 * handler, every access of which to shared memory can be watched.
 *
 * - Control words (registers and routes) are poisoned for the address
 *   sanitizer.  Only ACCESS_ONCE() gets at them, and it is counted: a second
 *   read of a word, or one without ACCESS_ONCE(), is found out.
 * - Before each access to shared memory, and at each write barrier,
 *   area_moment() is called: the fuzz target can change any control word, or
 *   read the log, just then.
 * - State and rows are allocated to the byte.
 *
 * There is one area at a time, and one thread.
 */
#ifndef WATCHED_AREA_H
#define WATCHED_AREA_H

#include <stddef.h>
#include <stdint.h>

/* The time that the handler sees. */
extern uint64_t area_tsc;
#define schedlog_tsc() area_tsc

#include "schedlog-env.h"

const volatile void *area_access(const volatile void *address);
void area_barrier(void);

#undef ACCESS_ONCE
#define ACCESS_ONCE(x) (*(volatile typeof(x) *)area_access(&(x)))
#undef smp_wmb
#define smp_wmb() area_barrier()

#include "schedlog-record.h"

#define AREA_NR_ACCT 4U
#define AREA_NR_FILES 4U
#define AREA_NR_ROUTES (AREA_NR_ACCT * XEN_SCHEDLOG_NR_EVENTS)

/* Control words which the handler read since area_begin(). */
struct area_seen {
    unsigned int nr_routes, nr_lcrs;
    unsigned int route_index, lcr_index;
    uint64_t route;
    uint32_t lcr;
};

struct area {
    struct schedlog_cpu *cpu;
    struct xen_schedlog_state *state; /* [AREA_NR_FILES] */
    uint8_t *data[AREA_NR_FILES];
    uint32_t size[AREA_NR_FILES];
    struct area_seen seen;
};

extern struct area area;

/* Supplied by the fuzz target. */
enum area_moment {
    AREA_READS_ROUTE, /* @index says which one */
    AREA_READS_LCR,
    AREA_WRITES_STATE,
    AREA_BARRIER,
};
void area_moment(enum area_moment moment, unsigned int index);

/* Log buffers of 16 << (2 bits of @sizes each) bytes; all else is 0. */
void area_make(uint8_t sizes);
void area_free(void);

/* An event begins: forget what was seen. */
void area_begin(void);

/* The scheduler writes. */
void area_set_lcr(unsigned int file, uint32_t lcr);
void area_set_route(unsigned int index, uint64_t route);

#endif /* WATCHED_AREA_H */
