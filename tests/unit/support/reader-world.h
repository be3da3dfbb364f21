/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reader-world.h - a producer and its reader, which notices missing rows.
 *
 * Each row has a serial number as its counter, so a row that is missing, doubled or half
 * overwritten is found.  The reader is compiled with a slow copy: the producer continues between
 * the bytes that it copies.  Otherwise a test would meet the few nanoseconds in which a row can be
 * torn once in a thousand runs.
 */
#ifndef TESTS_UNIT_READER_WORLD_H
#define TESTS_UNIT_READER_WORLD_H

#include <stdint.h>
#include <string.h>

#include "harness.h"

void *slow_memcpy(void *to, const void *from, size_t bytes);

#define memcpy slow_memcpy
#include <xensched/read-log.h>
#undef memcpy

#define EVENT XEN_SCHEDLOG_EV_EVTCHN_SEND

#define PLAIN (XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT | \
               XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER)

/* Rows of 4, 8, 16, 32 and 64 bytes, all with a counter. */
#define NR_REGISTERS 5U
extern const uint32_t registers[NR_REGISTERS];

extern uint32_t serial_of_next_row; /* the producer's next row has this number */
void produce(struct harness *h, unsigned int rows);

/* Called in the middle of a copy; may be NULL. */
extern void (*meanwhile)(void *arg);
extern void *meanwhile_arg;

struct interference {
    struct harness *h;
    uint64_t seed;
    uint32_t chance; /* 1 in this number of copied words */
};

void interfere(void *arg);

extern uint8_t *buffer;
void setup_reader(struct harness **h, struct xensched_reader *r,
                  uint32_t size);
void teardown(struct harness *h);

/* Checks serial numbers: every gap has to be a counted loss. */
struct checker {
    uint32_t next_serial;
    uint64_t rows;
};

void check(struct checker *c, const struct xensched_batch *b);

/* Reads until no more rows come. */
void drain(struct xensched_reader *r, size_t room, struct checker *c);

#endif /* TESTS_UNIT_READER_WORLD_H */
