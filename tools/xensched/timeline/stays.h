/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stays.h - which accounting domain had a pCPU and when, from the rows of service-ns; and what rows
 * of wake-delay and migrate report about the beginning of each stay.
 *
 * Stays of a pCPU are in order and do not overlap.  The time between two stays is unknown: the
 * first one's row was lost, or not logged.  (The idle vCPU is usually not logged either, but a vCPU
 * that leaves for it is.)
 *
 * The counter of a row is exact; its time stamp is a little later than the moment that it reports,
 * and much later if the machine itself could not run.  So where stays follow each other, a stay
 * ends at the earliest time that all of them allow.
 */
#ifndef XENSCHED_TIMELINE_STAYS_H
#define XENSCHED_TIMELINE_STAYS_H

#include "timeline/rows/rows.h"

#define STAY_NONE (~0U)
#define STAY_NEVER UINT64_MAX

/* The most pCPUs; rows of others are counted and left out. */
#define STAYS_MAX_CPUS 4096U

struct stay {
    uint64_t begin, end;
    uint64_t said;   /* time stamp of its last row */
    uint64_t opened; /* time stamp of its first row, if the pCPU was idle before; else NEVER */
    uint64_t woken;  /* when it became runnable; NEVER: it had not slept */
    uint64_t off;    /* counter of its row of off-cpu; NEVER: none */
    uint32_t from;   /* index of the previous pCPU; NONE: this one */
    uint32_t vcpu;   /* index, set by vcpus.c; NONE: the idle vCPU */
    uint16_t acct;
    uint16_t next;   /* the domain that got the pCPU then */
    bool woken_lost; /* if @woken is NEVER: whether it slept is unknown, because a row was
                        lost, or contradicts the stays */
    bool joined;     /* begins when the previous stay ends */
    bool split;      /* another vCPU of the same domain than the previous stay */
};

struct stays_cpu {
    uint32_t id;
    struct stay *stay;
    size_t nr, room;
};

struct stays {
    struct stays_cpu *cpu; /* by id */
    unsigned int nr;
    uint64_t rows;         /* number of rows of service-ns */
    uint64_t late;         /* number of these with a late stamp */
    uint64_t late_ns;      /* the greatest delay of a stamp */
    uint64_t overlaps;     /* stays that began before the previous one's end */
    uint64_t unplaced;     /* rows of wake-delay without a stay */
    uint64_t strange;      /* rows of pCPUs above STAYS_MAX_CPUS */
    bool wakes;            /* wake-delay is logged */
    bool migrates;
};

/* Returns how far apart two rows about one moment can be. */
uint64_t stays_tolerance(const struct rows *rows);

void stays_make(struct stays *stays, const struct rows *rows);
void stays_free(struct stays *stays);

/* Returns the index of the pCPU @id, or STAY_NONE. */
uint32_t stays_cpu(const struct stays *stays, uint32_t id);

/* Returns the last stay of @cpu that begins at @ns or before, or NULL. */
const struct stay *stays_at(const struct stays_cpu *cpu, uint64_t ns);

#endif /* XENSCHED_TIMELINE_STAYS_H */
