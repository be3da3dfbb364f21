/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * log-sources-world.h - the daemon with synthetic sources: a driver domain with memory of its own,
 * which answers through xenstore and writes rows with the hypervisor's record handler, and dom0's
 * Linux, a device of the same kind.
 */
#ifndef TESTS_UNIT_LOG_SOURCES_WORLD_H
#define TESTS_UNIT_LOG_SOURCES_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "fake-host.h"

#include "daemon/sources/log-sources.h"

#define SECOND 1000000000ULL

#define DRIVER 3U
#define CLIENT 4U
#define OTHER  5U
#define OTHER_DRIVER 6U

/* Accounting domains follow the order of domids, from 2 on. */
#define DOM0_ACCT   2U
#define DRIVER_ACCT 3U
#define CLIENT_ACCT 4U
#define OTHER_ACCT  5U

#define EV(NAME) XEN_SCHEDLOG_EV_##NAME
#define PAGES EV(RING_PAGES)
#define FILE_SIZE (256U << 10)

/* The driver domain's memory: its pages, and their contents. */
#define FRAMES    4096U
#define GLOBAL    10U
#define DIRECTORY 100U
#define CPU_PAGES 66U /* 1 CONTROL, 1 STATE, 64 DATA */
#define CPU_FRAME(cpu) (200U + 300U * (cpu)) /* leaves space for a test's own frames */
#define NO_FRAME  UINT64_MAX

extern unsigned int mapped; /* number of mapped regions of that memory */

extern struct fake_host host;
extern struct core core;
extern struct core_settings settings;
extern struct log_sources sources;
extern struct xenstore *xs;
extern struct xensched_source *hypervisor;
extern uint64_t now;

/* The device of dom0's Linux. */
struct made_up_device {
    bool there, rings;
    bool no_numbers; /* xenstore does not have the numbers */
    unsigned int calls; /* number of calls, ever */
    uint32_t nr_acct, nr_files, size, events, built, lease_ms, tsc_khz;
    uint64_t cookie;
};

extern struct made_up_device device;

int setup(void **state);
int teardown(void **state); /* fails if something is still mapped or open */

/*
 * Rows are written to the first log buffer.  The sizes are CPU_PAGES and FILE_SIZE at first, and
 * are reset when a test ends.
 */
extern unsigned int cpu_pages, first_size;
extern const char *events_built;

/* The driver domain. */
uint8_t *page(unsigned int frame);
const char *request(const char *node);
void advertise(const char *node, const char *value);
void answer(void); /* acts as an honest driver domain with two CPUs */
void take_back(void);
void emit(unsigned int cpu, unsigned int event, uint16_t current,
          uint16_t correspondent, uint64_t counter);

/* dom0's Linux. */
void emit_dom0(uint16_t correspondent, uint64_t counter);

/* The daemon. */
const struct log_source *source_named(const char *name);
const struct log_source *driver(void);
void start_log_sources(const char *log);
void look(void);
void read_rows(void);
void wait_for(unsigned int seconds);
uint64_t total_of(unsigned int event, uint16_t current,
                  uint16_t correspondent);
/* Makes an honest driver domain that the daemon reads. */
void get_it_to_log(void);
void refused_with(const char *words);

#define log_sources_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif /* TESTS_UNIT_LOG_SOURCES_WORLD_H */
