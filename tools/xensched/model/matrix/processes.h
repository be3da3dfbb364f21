/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * processes.h - which processes of one guest ask whose back ends for how much: a
 * row of the matrix, in parts.
 *
 * All of it is the guest's own word.  So it is kept apart from what is known of
 * domains, a guest's by itself, and there is room for PROCESSES_MAX pairs of a
 * process and a back end, whatever it says.  Each has PROCESSES_WAYS places where
 * it can be: if others have them, the one goes that was silent the longest.  So a
 * row takes the same time, however many there are.
 *
 * Numbers are as in the matrix (matrix.h): a sum that forgets, given as a rate, and
 * a total.  They are sectors of 512 bytes.
 */
#ifndef XENSCHED_MODEL_PROCESSES_H
#define XENSCHED_MODEL_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#define PROCESSES_MAX  512U
#define PROCESSES_WAYS 16U

/* 15 bytes and an end, as Linux has it. */
#define PROCESS_NAME_TEXT 16U

/* What a process asks a back end for. */
struct process_io {
    uint32_t pid;
    uint16_t back_end; /* accounting domain */
    double sum;        /* as of at_ns */
    uint64_t total;
    uint64_t at_ns; /* 0: this place is free */
};

struct process_name {
    uint32_t pid;
    uint64_t at_ns; /* likewise */
    char name[PROCESS_NAME_TEXT];   /* printable ASCII */
    char coming[PROCESS_NAME_TEXT]; /* of which not all parts have come */
};

struct processes {
    uint64_t half_life_ns;
    uint64_t replaced; /* those for which there was no room any more */
    struct process_io io[PROCESSES_MAX];
    struct process_name names[PROCESSES_MAX];
};

void processes_init(struct processes *p, uint64_t half_life_ns);

/*
 * @now_ns is not 0.  The counter of a row of process-io, which is a request to @back_end; or, if that
 * is XEN_SCHEDLOG_ACCT_NONE, a part of a name.
 */
void processes_add(struct processes *p, uint16_t back_end, uint64_t counter,
                   uint64_t now_ns);

/* Only those of which @stays says so stay. */
void processes_keep(struct processes *p,
                    bool (*stays)(const void *arg, uint16_t back_end),
                    const void *arg);

/* Sectors per second. */
double processes_rate(const struct processes *p, const struct process_io *io,
                      uint64_t now_ns);

/* "": it was not said. */
const char *processes_name(const struct processes *p, uint32_t pid);

#endif /* XENSCHED_MODEL_PROCESSES_H */
