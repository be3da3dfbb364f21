/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * processes.h - which processes of a guest request I/O from which back ends, and how much: a row of
 * the matrix, by process.
 *
 * All of this is reported by the guest and untrusted.  So it is kept apart from the data about
 * domains, for each guest separately, and limited to PROCESSES_MAX pairs of a process and a back
 * end.  Each pair has PROCESSES_WAYS possible places; if others have them all, it replaces the pair
 * that was silent for the longest time.  So each row takes the same time.
 *
 * Numbers are as in the matrix (matrix.h): a decaying sum, read as a rate, and a total.  They are
 * sectors of 512 bytes.
 */
#ifndef XENSCHED_MODEL_PROCESSES_H
#define XENSCHED_MODEL_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#define PROCESSES_MAX  512U
#define PROCESSES_WAYS 16U

/* 15 bytes and a terminating byte, as in Linux. */
#define PROCESS_NAME_TEXT 16U

/* The I/O that a process requests from a back end. */
struct process_io {
    uint32_t pid;
    uint16_t back_end; /* accounting domain */
    double sum;        /* decayed to at_ns */
    uint64_t total;
    uint64_t at_ns; /* 0: this place is free */
};

struct process_name {
    uint32_t pid;
    uint64_t at_ns; /* likewise */
    char name[PROCESS_NAME_TEXT];   /* printable ASCII */
    char coming[PROCESS_NAME_TEXT]; /* a name of which not all parts have come */
};

struct processes {
    uint64_t half_life_ns;
    uint64_t replaced; /* number of pairs that others have replaced */
    struct process_io io[PROCESSES_MAX];
    struct process_name names[PROCESSES_MAX];
};

void processes_init(struct processes *p, uint64_t half_life_ns);

/*
 * Adds a row of process-io with this counter: a request to @back_end, or a part of a name if
 * @back_end is XEN_SCHEDLOG_ACCT_NONE.  @now_ns is not 0.
 */
void processes_add(struct processes *p, uint16_t back_end, uint64_t counter,
                   uint64_t now_ns);

/* Removes the pairs for whose back end @stays returns false. */
void processes_keep(struct processes *p,
                    bool (*stays)(const void *arg, uint16_t back_end),
                    const void *arg);

/* Sectors per second. */
double processes_rate(const struct processes *p, const struct process_io *io,
                      uint64_t now_ns);

/* "": the guest has not reported it. */
const char *processes_name(const struct processes *p, uint32_t pid);

#endif /* XENSCHED_MODEL_PROCESSES_H */
