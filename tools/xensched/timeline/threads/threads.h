/* SPDX-License-Identifier: GPL-2.0-only */
/* threads.h - what threads of guests did. */
#ifndef XENSCHED_TIMELINE_THREADS_H
#define XENSCHED_TIMELINE_THREADS_H

#include "timeline/rows/linux-rows.h"
#include "timeline/vcpus.h"

/*
 * What the threads of guests, of driver domains and of dom0 did:
 * on which vCPU each ran, when it waited for one or slept, and what woke it.
 *
 * That a thread runs says that it has its vCPU, not that this has a pCPU: vcpus.h
 * knows that.  A PID that is given again is another thread.  As with vCPUs the
 * spans of a thread have no gaps, and where rows are missing nothing is guessed.
 */

#define THREAD_NONE (~0U)
#define THREAD_NAME 16U

struct thread_span {
    uint64_t begin;
    uint32_t place; /* RUNNING: where; else NONE */
    uint8_t state;  /* enum vcpu_state; UNKNOWN also before and after its life */
    char why;       /* BLOCKED: the letter that ps(1) has, or 0 */
};

struct thread {
    uint32_t pid, process; /* process: its PID; 0: not told */
    uint16_t source;       /* index in linux_rows */
    char name[THREAD_NAME];
    struct thread_span *span;
    size_t nr, room;
    uint64_t ns[VCPU_STATES];
    uint64_t runs, woken;
    uint32_t home;         /* the place on which it ran most, or NONE */
};

/* A vCPU, as its Linux numbers it. */
struct thread_place {
    uint32_t cpu;
    uint32_t vcpu;         /* index in vcpus, or NONE: not known which it is */
    uint16_t source;
};

struct thread_wake {
    uint64_t ns, ran;      /* ran: NEVER, if that is not known */
    uint32_t from, to;     /* indices; from: NONE if it was an interrupt */
    uint32_t place;        /* where the thread that woke it ran */
};

struct threads {
    struct thread *thread; /* by home, those that ran most first */
    size_t nr, room;
    struct thread_place *place;
    size_t nr_places, places_room;
    struct thread_wake *wake; /* by ns */
    size_t nr_wakes, wakes_room;
    uint64_t strange;      /* rows of more threads or vCPUs than are told apart */
    uint64_t gaps;         /* switches that have no row, by those around them */
    uint64_t checked;      /* rows that could be held against Xen's; ... */
    uint64_t absent;       /* of these, written while their vCPU did not run */
    uint64_t absent_ns;    /* the most that one was away from a run */
    uint64_t end_ns;
};

/* All but home and vcpu, which thread-home.h finds, and the order. */
void threads_make(struct threads *threads, const struct linux_rows *rows,
                  uint64_t end_ns);
void threads_free(struct threads *threads);

/* When span @i of @thread ends. */
uint64_t threads_end(const struct threads *threads, const struct thread *thread,
                     size_t i);

/* As "cp 123".  See text_format(). */
const char *threads_name(const struct thread *thread);

#endif /* XENSCHED_TIMELINE_THREADS_H */
