/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vcpus.h - the state of each vCPU at each time: it ran, could have run, or slept.
 *
 * Rows name accounting domains, not vCPUs.  The vCPU of a stay follows from where each vCPU ran
 * last, and from the rows of migrate; without those, or if two ran last on one pCPU, it is a guess,
 * which is counted.  Two vCPUs of a domain that follow each other on a pCPU are one stay in the
 * log, and here.
 *
 * The spans of a vCPU have no gaps and do not overlap: the states add up to the time of the
 * recording.
 */
#ifndef XENSCHED_TIMELINE_VCPUS_H
#define XENSCHED_TIMELINE_VCPUS_H

#include "stays.h"

enum vcpu_state {
    VCPU_UNKNOWN,  /* its state is unknown; without rows of wake-delay: it did
                      not run */
    VCPU_RUNNING,
    VCPU_RUNNABLE,
    VCPU_BLOCKED,  /* asleep, or paused */
    VCPU_LOST,     /* rows were lost, so it may have run */
    VCPU_STATES,
};

extern const char *const vcpu_state_name[VCPU_STATES];

/* A state that lasts until the next span begins, or the recording ends. */
struct span {
    uint64_t begin;
    uint32_t cpu;   /* RUNNING: index of the pCPU; RUNNABLE: of the pCPU on which it is
                       going to run; otherwise NONE */
    uint8_t state;
};

struct vcpu {
    uint16_t acct;
    unsigned int number; /* within its accounting domain, from 0 */
    struct span *span;
    size_t nr, room;
    uint64_t ns[VCPU_STATES]; /* the sum of each state */
    uint64_t runs;
};

struct vcpus {
    struct vcpu *vcpu; /* by acct, then number */
    unsigned int nr;
    uint64_t end_ns;   /* of the recording */
    uint64_t guessed;  /* stays whose vCPU is uncertain */
    uint64_t overlaps; /* stays beyond the number of vCPUs */
    uint64_t early;    /* stays that began before their vCPU woke up */
    /* The vCPUs of acct are first[acct] ... first[acct + 1] - 1. */
    unsigned int *first;
};

/* Sets the vcpu of each of @stays. */
void vcpus_make(struct vcpus *vcpus, const struct rows *rows,
                struct stays *stays);
void vcpus_free(struct vcpus *vcpus);

/* Returns the span of @vcpu at @ns, or NULL; vcpus_end(): when span @i ends. */
const struct span *vcpus_at(const struct vcpu *vcpu, uint64_t ns);
uint64_t vcpus_end(const struct vcpus *vcpus, const struct vcpu *vcpu,
                   size_t i);

#endif /* XENSCHED_TIMELINE_VCPUS_H */
