/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stays.h - which accounting domain had a pCPU when, by the rows of service-ns;
 * and what wake-delay and migrate say of the beginning of each stay.
 *
 * Stays of a pCPU are in order and do not overlap.  Between two of them nothing
 * is known: the first one's row was lost, or not logged.  (The idle vCPU is not
 * logged either, usually, but a vCPU that leaves for it is.)
 *
 * The counter of a row is exact; its time stamp is taken a little later than the
 * moment that it tells of, and much later where the machine itself is kept from
 * running.  So where stays follow each other, a stay ends at the earliest time
 * that all of them allow.
 */
#ifndef XENSCHED_TIMELINE_STAYS_H
#define XENSCHED_TIMELINE_STAYS_H

#include "timeline/rows/rows.h"

#define STAY_NONE (~0U)
#define STAY_NEVER UINT64_MAX

/* pCPUs that are told apart; rows of others are counted and left out. */
#define STAYS_MAX_CPUS 4096U

struct stay {
    uint64_t begin, end;
    uint64_t said;   /* time stamp of its last row */
    uint64_t opened; /* of its first row, if the pCPU was idle before; else NEVER */
    uint64_t woken;  /* when it became runnable; NEVER: it was not asleep */
    uint64_t off;    /* counter of its row of off-cpu; NEVER: there is none */
    uint32_t from;   /* index of the pCPU it ran on before; NONE: this one */
    uint32_t vcpu;   /* index, filled in by vcpus.c; NONE: the idle vCPU */
    uint16_t acct;
    uint16_t next;   /* the one that got the pCPU then */
    bool woken_lost; /* whether it slept, if @woken is NEVER, is unknown: a row of that
                        was lost, or contradicts the stays */
    bool joined;     /* begins when the one before ends */
    bool split;      /* another vCPU of the same domain than the one before */
};

struct stays_cpu {
    uint32_t id;
    struct stay *stay;
    size_t nr, room;
};

struct stays {
    struct stays_cpu *cpu; /* by id */
    unsigned int nr;
    uint64_t rows;         /* of service-ns */
    uint64_t late;         /* of these, their stamp came too late */
    uint64_t late_ns;      /* the most that one did */
    uint64_t overlaps;     /* stays which began before the last one's end */
    uint64_t unplaced;     /* rows of wake-delay whose stay is not there */
    uint64_t strange;      /* rows of pCPUs above STAYS_MAX_CPUS */
    bool wakes;            /* is wake-delay logged? */
    bool migrates;
};

/* How far two rows about one moment can be from each other. */
uint64_t stays_tolerance(const struct rows *rows);

void stays_make(struct stays *stays, const struct rows *rows);
void stays_free(struct stays *stays);

/* The index of the pCPU @id, or STAY_NONE. */
uint32_t stays_cpu(const struct stays *stays, uint32_t id);

/* The last stay of @cpu that begins at @ns or before, or NULL. */
const struct stay *stays_at(const struct stays_cpu *cpu, uint64_t ns);

#endif /* XENSCHED_TIMELINE_STAYS_H */
