/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counters.h - counters of pCPUs and domains over time, rates of events, and counts in guests'
 * marks.
 */
#ifndef XENSCHED_TIMELINE_COUNTERS_H
#define XENSCHED_TIMELINE_COUNTERS_H

#include "timeline/rows/rows.h"
#include "timeline/marks/marks.h"

/* The most counters that are shown. */
#define COUNTERS_MOST 256U
#define RATES_MOST    16U  /* in addition to these */
#define COUNTS_MOST   64U  /* in addition to both */

enum counter_kind {
    COUNTER_RUNQ,   /* id: the run queue; runnable units */
    COUNTER_MEMORY, /* id: the accounting domain; bytes */
    COUNTER_RATE,   /* id: the sender; to: the receiver; per second */
    COUNTER_MARK,   /* id: the accounting domain; the count in its mark */
};

/* A value, which holds until the next one. */
struct counter_value {
    uint64_t ns;
    uint64_t value;
    bool known; /* false: rows were lost from then on */
};

struct counter {
    enum counter_kind kind;
    uint16_t id, to;
    const char *name; /* of a COUNTER_MARK */
    struct counter_value *value; /* by time */
    size_t nr, room;
};

struct counters {
    struct counter *counter; /* by kind; then by id, rates by frequency, marks by their
                                first occurrence */
    unsigned int nr;
    unsigned int left_out;
};

/* Makes counters of run queues and memory; the functions below add the others. */
void counters_make(struct counters *counters, const struct rows *rows);
void counters_free(struct counters *counters);

/*
 * Returns a name such as "run queue 4", "memory of disk", "disk notifies Domain-0", "disk: jobs";
 * valid until the next call.
 */
const char *counters_name(const struct rows *rows,
                          const struct counter *counter);

/* Adds rates of the pairs that communicate most, at most RATES_MOST. */
void rates_make(struct counters *counters, const struct rows *rows);

/* Adds the counts in @marks after the other counters.  @marks has to stay valid. */
void counts_make(struct counters *counters, const struct rows *rows,
                 const struct marks *marks);

#endif /* XENSCHED_TIMELINE_COUNTERS_H */
