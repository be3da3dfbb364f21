/* SPDX-License-Identifier: GPL-2.0-only */
/* threads.h - the states of guests' threads over time. */
#ifndef XENSCHED_TIMELINE_THREADS_H
#define XENSCHED_TIMELINE_THREADS_H

#include "timeline/rows/linux-rows.h"
#include "timeline/vcpus.h"

/*
 * What the threads of guests, of driver domains and of dom0 did: on which vCPU each ran, when it
 * waited for one or slept, and what woke it.
 *
 * A running thread has its vCPU, but that vCPU need not have a pCPU: vcpus.h has that.  A PID that
 * is reused is another thread.  As with vCPUs the spans of a thread have no gaps, and nothing is
 * guessed where rows are missing.
 */

#define THREAD_NONE (~0U)
#define THREAD_NAME 16U

struct thread_span {
    uint64_t begin;
    uint32_t place; /* RUNNING: where; otherwise NONE */
    uint8_t state;  /* enum vcpu_state; UNKNOWN also before and after its life */
    char why;       /* BLOCKED: the letter of ps(1), or 0 */
};

struct thread {
    uint32_t pid, process; /* process: its PID; 0: unknown */
    uint16_t source;       /* index in linux_rows */
    char name[THREAD_NAME];
    struct thread_span *span;
    size_t nr, room;
    uint64_t ns[VCPU_STATES];
    uint64_t runs, woken;
    uint32_t home;         /* the place on which it ran most, or NONE */
};

/* A vCPU, with its Linux's number. */
struct thread_place {
    uint32_t cpu;
    uint32_t vcpu;         /* index in vcpus, or NONE: unknown */
    uint16_t source;
};

struct thread_wake {
    uint64_t ns, ran;      /* ran: NEVER if unknown */
    uint32_t from, to;     /* indices; from: NONE for an interrupt */
    uint32_t place;        /* where the waking thread ran */
};

struct threads {
    struct thread *thread; /* by home, those that ran most first */
    size_t nr, room;
    struct thread_place *place;
    size_t nr_places, places_room;
    struct thread_wake *wake; /* by ns */
    size_t nr_wakes, wakes_room;
    uint64_t strange;      /* rows of threads or vCPUs beyond the limits */
    uint64_t gaps;         /* switches without a row, according to their neighbours */
    uint64_t checked;      /* rows that were compared with Xen's ... */
    uint64_t absent;       /* ... of these, written while their vCPU did not run */
    uint64_t absent_ns;    /* the greatest distance of one from a run */
    uint64_t end_ns;
};

/* Makes all but home and vcpu, which thread-home.h finds, and the order. */
void threads_make(struct threads *threads, const struct linux_rows *rows,
                  uint64_t end_ns);
void threads_free(struct threads *threads);

/* Returns when span @i of @thread ends. */
uint64_t threads_end(const struct threads *threads, const struct thread *thread,
                     size_t i);

/* Returns a name such as "cp 123".  See text_format(). */
const char *threads_name(const struct thread *thread);

#endif /* XENSCHED_TIMELINE_THREADS_H */
