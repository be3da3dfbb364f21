/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * governor.h - keeps the cost of logging within a budget.
 *
 * The cost is the daemon's own CPU time, and the producers' time for writing rows, which is known
 * from a benchmark.  If it exceeds the budget, the most frequent events, by event and accounting
 * domain, get fewer rows: thresholds are raised by powers of two until the rest is cheap enough.
 * They are lowered step by step, and later each time that this was too early, so a load that comes
 * and goes does not move them back and forth.
 *
 * It only decides: it reads no clock and sets no routes.
 */
#ifndef XENSCHED_DAEMON_GOVERNOR_H
#define XENSCHED_DAEMON_GOVERNOR_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/abi.h>
#include <xensched/reader.h>

/* The highest threshold. */
#define GOVERNOR_MAX_THRESHOLD 4096U

/* An event of an accounting domain. */
struct governor_pair {
    double rows;        /* number since the last step */
    double rate;        /* rows per second before the last step */
    uint32_t threshold; /* 0: the operator's */
};

struct governor {
    double budget;          /* in pCPUs; 0: no governor */
    const uint32_t *chosen; /* [event]: the operator's thresholds */
    double row_s;           /* cost of a row for its producer, in s */
    unsigned int nr_acct;
    struct governor_pair *pairs; /* [event][acct]; NULL: no governor */

    /* At the last step. */
    uint64_t at_ns, cpu_ns;
    bool begun;
    double overhead;   /* in pCPUs, smoothed */
    double own;        /* the daemon's part of it */
    double rate;       /* rows per second */
    bool fresh;        /* thresholds have changed, so smoothing restarts */
    bool stuck;        /* over the budget, but no threshold can be raised */
    unsigned int calm; /* consecutive steps within the budget */
    unsigned int patience; /* calm steps before a threshold is lowered */
    uint64_t lowered_ns;   /* when a threshold was lowered; 0: never */
};

/* @chosen has to stay valid. */
void governor_init(struct governor *g, double budget, const uint32_t *chosen,
                   unsigned int nr_acct);
void governor_free(struct governor *g);
/* Sets the frequency of the producers' TSC; 0: unknown. */
void governor_set_clock(struct governor *g, uint64_t tsc_khz);

/* The producer of a batch's rows: the domain that each row names, or one for all rows. */
#define GOVERNOR_AS_THEY_SAY 0xffffU

/* Counts the rows of a batch. */
void governor_count(struct governor *g, const struct xensched_batch *batch,
                    uint16_t acct);

struct governor_change {
    unsigned int event;
    uint16_t acct;
    uint32_t from, to; /* thresholds */
    double rate;       /* rows per second before the change */
};

/*
 * Call this once per second or less often.  @cpu_ns is the CPU time that the daemon has used so
 * far.  Returns the number of thresholds to change and, if there are any, *changes, which the
 * caller frees; the most frequent first.
 */
unsigned int governor_step(struct governor *g, uint64_t cpu_ns,
                           uint64_t now_ns, struct governor_change **changes);

/* The accounting domain has another domain now: it gets the operator's thresholds. */
void governor_forget(struct governor *g, uint16_t acct);
/* All get the operator's thresholds. */
void governor_forget_all(struct governor *g);

/* The present threshold. */
uint32_t governor_threshold(const struct governor *g, unsigned int event,
                            uint16_t acct);

#endif /* XENSCHED_DAEMON_GOVERNOR_H */
