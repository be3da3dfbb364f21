/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * producer.h - a thread on a CPU of its own which writes log rows with the
 * hypervisor's record handler: as fast as it can until told otherwise, or a
 * given number of rows and then nothing.
 */
#ifndef PRODUCER_H
#define PRODUCER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness.h"

/* Event and accounting domains of all rows. */
#define PRODUCER_EVENT XEN_SCHEDLOG_EV_EVTCHN_SEND
#define PRODUCER_CURRENT 2
#define PRODUCER_CORRESPONDENT 3

/*
 * A log buffer, and how many events there were; their number is the counter.
 * In cache lines of its own: the producer writes to it all the time.
 */
struct produced {
    struct harness *h;
    uint64_t events;
} __attribute__((aligned(128)));

struct producer {
    pthread_t thread;
    int cpu;
    struct produced *log;  /* what to write to */
    uint64_t limit;        /* events; UINT64_MAX: until it is stopped */
    bool quit;
    bool stop;             /* finish the present request at once */
    unsigned int request;  /* grows with each; the thread follows */
    unsigned int started;
    unsigned int finished;
};

/* A log buffer of @size bytes, all rows as @lcr says; as in an area, in pages. */
void producer_log(struct produced *log, uint32_t size, uint32_t lcr);

void producer_start(struct producer *producer, int cpu);
/* From now on, at full rate.  Returns when it is running. */
void producer_run(struct producer *producer, struct produced *log);
/* Writes this number of events.  Returns when the producer is idle. */
void producer_fill(struct producer *producer, struct produced *log,
                   uint64_t events);
void producer_pause(struct producer *producer);
void producer_quit(struct producer *producer);

/* Run the calling thread on @cpu alone. */
void pin_to_cpu(int cpu);

#endif /* PRODUCER_H */
