/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vcpus.h - what each vCPU did at each time: it ran, could have run, or slept.
 *
 * Rows name accounting domains, not vCPUs.  Which vCPU of several a stay was
 * follows from where each ran last, and from the rows of migrate; without those,
 * or where two ran last on one pCPU, it is a guess, which is counted.  Two vCPUs of a domain
 * that follow each other on a pCPU are one stay in the log, and here.
 *
 * The spans of a vCPU have no gaps and do not overlap: the sum of all states is
 * the time of the recording.
 */
#ifndef XENSCHED_TIMELINE_VCPUS_H
#define XENSCHED_TIMELINE_VCPUS_H

#include "stays.h"

enum vcpu_state {
    VCPU_UNKNOWN,  /* nothing says what it did; without rows of wake-delay:
                      it did not run */
    VCPU_RUNNING,
    VCPU_RUNNABLE,
    VCPU_BLOCKED,  /* asleep, or paused */
    VCPU_LOST,     /* it may have run: rows were lost */
    VCPU_STATES,
};

extern const char *const vcpu_state_name[VCPU_STATES];

/* It lasts until the next one begins; the last one until the end. */
struct span {
    uint64_t begin;
    uint32_t cpu;   /* RUNNING: index of the pCPU; RUNNABLE: of that where it is
                       going to run; else NONE */
    uint8_t state;
};

struct vcpu {
    uint16_t acct;
    unsigned int number; /* of those of its accounting domain, from 0 */
    struct span *span;
    size_t nr, room;
    uint64_t ns[VCPU_STATES]; /* the sum of each state */
    uint64_t runs;
};

struct vcpus {
    struct vcpu *vcpu; /* by acct, then number */
    unsigned int nr;
    uint64_t end_ns;   /* of the recording */
    uint64_t guessed;  /* stays of which it is not sure whose they are */
    uint64_t overlaps; /* stays that were more than there are vCPUs */
    uint64_t early;    /* stays of a vCPU that began before it woke up */
    /* The vCPUs of acct are first[acct] ... first[acct + 1] - 1. */
    unsigned int *first;
};

/* Fills in the vcpu of each of @stays. */
void vcpus_make(struct vcpus *vcpus, const struct rows *rows,
                struct stays *stays);
void vcpus_free(struct vcpus *vcpus);

/* The span of @vcpu at @ns, or NULL; vcpus_end(): when span @i ends. */
const struct span *vcpus_at(const struct vcpu *vcpu, uint64_t ns);
uint64_t vcpus_end(const struct vcpus *vcpus, const struct vcpu *vcpu,
                   size_t i);

#endif /* XENSCHED_TIMELINE_VCPUS_H */
