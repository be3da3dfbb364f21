/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * governor.h - keeps what logging costs within a budget.
 *
 * What is counted: the daemon's own CPU time, and what writing a row costs the
 * producers, which is known from a benchmark.  When it is more than the budget,
 * fewer of those events make a row of which there are the most, per event and
 * accounting domain: thresholds go up by powers of two until the rest is cheap
 * enough.  They come down again step by step, and later each time that this was
 * too early, so a load that comes and goes does not move them back and forth.
 *
 * It only decides: it reads no clock and writes no route.
 */
#ifndef XENSCHED_DAEMON_GOVERNOR_H
#define XENSCHED_DAEMON_GOVERNOR_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/abi.h>
#include <xensched/reader.h>

/* A threshold is never raised further than this. */
#define GOVERNOR_MAX_THRESHOLD 4096U

/* An event of an accounting domain. */
struct governor_pair {
    double rows;        /* since the last step */
    double rate;        /* rows per second before that */
    uint32_t threshold; /* 0: that which was chosen */
};

struct governor {
    double budget;          /* pCPUs; 0: no governor */
    const uint32_t *chosen; /* [event], by the operator */
    double row_s;           /* what a row costs its producer */
    unsigned int nr_acct;
    struct governor_pair *pairs; /* [event][acct]; NULL: no governor */

    /* As of the last step. */
    uint64_t at_ns, cpu_ns;
    bool begun;
    double overhead;   /* pCPUs, smoothed */
    double own;        /* of that, the daemon's */
    double rate;       /* rows per second */
    bool fresh;        /* thresholds have changed: restart smoothing */
    bool stuck;        /* more than the budget, and nothing to be raised */
    unsigned int calm; /* steps within the budget, in a row */
    unsigned int patience; /* quiet steps before a threshold is lowered */
    uint64_t lowered_ns;   /* when one came down; 0: never */
};

/* @chosen has to stay valid. */
void governor_init(struct governor *g, double budget, const uint32_t *chosen,
                   unsigned int nr_acct);
void governor_free(struct governor *g);
/* The frequency of the producers' TSC; 0: it is not known. */
void governor_set_clock(struct governor *g, uint64_t tsc_khz);

/* The producer of a batch's rows: the domain that each row names, or one for all rows. */
#define GOVERNOR_AS_THEY_SAY 0xffffU

/* Count the rows of a batch. */
void governor_count(struct governor *g, const struct xensched_batch *batch,
                    uint16_t acct);

struct governor_change {
    unsigned int event;
    uint16_t acct;
    uint32_t from, to; /* thresholds */
    double rate;       /* rows per second, before */
};

/*
 * Once per second or less often: @cpu_ns is the CPU time which the daemon has
 * used ever.  Returns how many thresholds are to be changed, and makes
 * *changes, to be freed, if any; the busiest first.
 */
unsigned int governor_step(struct governor *g, uint64_t cpu_ns,
                           uint64_t now_ns, struct governor_change **changes);

/* The accounting domain stands for another domain: it has what was chosen. */
void governor_forget(struct governor *g, uint16_t acct);
/* All have what was chosen. */
void governor_forget_all(struct governor *g);

/* What is in force. */
uint32_t governor_threshold(const struct governor *g, unsigned int event,
                            uint16_t acct);

#endif /* XENSCHED_DAEMON_GOVERNOR_H */
