/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * waits.h - records which domains wait for which: how long the vCPUs of each accounting
 * domain waited for a pCPU, and which accounting domain had that pCPU meanwhile.
 *
 * Each wait has a cause: how the vCPU began to wait.  The reasons of Xen's rows state what woke the
 * vCPU, or why it left its pCPU.  A wait that ended without a run counts, but is not in the
 * histogram and the quantiles.
 *
 * The latest hour is kept second by second, in memory of a fixed size.  A domain that waited takes
 * 16 bytes for each second in which it did, 8 for each domain for which it waited and each cause of
 * that, 8 for each cause but WAITS_WOKEN, 4 for each power of two of ns that its waits after
 * wake-ups lasted, and 8 each if it moved, was offline, or stopped waiting: about 96 bytes.  If this memory is full,
 * the oldest seconds are forgotten.
 *
 * A forgotten accounting domain keeps its name in the history: a report names guests that have
 * ended.
 */
#ifndef XENSCHED_MODEL_WAITS_H
#define XENSCHED_MODEL_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/reader.h>

#include "model/domain.h"
#include "model/matrix/matrix.h"
#include "waits-cause.h"

#define WAITS_SECONDS 3600U

/* Enough for an hour of 1,000 domains of which 90 wait in any one second. */
#define WAITS_BYTES (32U << 20)

/* Powers of two of ns: the last one has 34 s and more. */
#define WAITS_BUCKETS 36U

struct waits;

/* @m knows how many waits each row stands for.  @bytes is a power of two. */
struct waits *waits_new(const struct matrix *m, size_t bytes);
void waits_free(struct waits *w);

/* Does this use one of @events (mask)? */
bool waits_takes(uint32_t events);

/* Adds rows to the second of @now_ns, which never goes back. */
void waits_add_batch(struct waits *w, const struct xensched_batch *batch, uint64_t now_ns);
/*
 * Adds Xen's counts: the vCPUs of @acct waited for @ns, including waits that have not ended, and
 * could not run for @offline_ns.
 */
void waits_count(struct waits *w, uint16_t acct, uint64_t ns, uint64_t offline_ns,
                 uint64_t now_ns);
/* Ends the second before that of @now_ns, also without rows. */
void waits_pass(struct waits *w, uint64_t now_ns);

/* Sets the domain of an accounting domain. */
void waits_name(struct waits *w, uint16_t acct, uint32_t domid, const char *name);
/* Forgets @acct, because the number will mean another domain. */
void waits_forget(struct waits *w, uint16_t acct);

/* The identity of Xen, whose vCPUs have the pCPUs that idle. */
#define WAITS_XEN 1

/* A domain with its name at that time. */
struct waits_end {
    uint16_t identity;
    int64_t domid;    /* -1: Xen, or unknown */
    const char *name; /* NULL: no name yet */
};

struct waits_sum {
    uint64_t ns, nr;
};

struct waits_for {
    struct waits_end domain;
    struct waits_sum all, by[WAITS_CAUSES];
};

struct waits_of {
    struct waits_end domain;
    uint64_t ns;         /* all its waits */
    uint64_t counted_ns; /* the same by Xen's counts, with waits that have not ended */
    uint64_t offline_ns; /* likewise; not part of ns */
    uint64_t unknown_ns; /* part of ns without a known holder of the pCPU */
    struct waits_sum by[WAITS_CAUSES]; /* of ns, including unknown_ns; without numbers */
    uint64_t preempted_ns; /* part of ns from WAITS_PREEMPTED on */
    uint64_t cut_ns;     /* part of ns: waits after a wake-up that ended without a run */
    uint64_t moves;      /* of its vCPUs to another pCPU */
    uint64_t wakes;      /* number of waits after a wake-up */
    uint64_t bucket[WAITS_BUCKETS]; /* these waits by their length */
    unsigned int nr_culprits;
    struct waits_for *culprit; /* longest first */
};

struct waits_report {
    uint64_t first_s, seconds; /* the seconds of the query that are known */
    unsigned int nr;
    struct waits_of *of; /* longest first */
};

/* The oldest known second; that of @now_ns if there is none. */
uint64_t waits_oldest(const struct waits *w, uint64_t now_ns);

/*
 * Reports the waits of @seconds from @first_s on.  Names are valid until the next call of another
 * function.  waits_report_free() frees the report.
 */
void waits_ask(struct waits *w, uint64_t first_s, uint64_t seconds,
               struct waits_report *report);
void waits_report_free(struct waits_report *report);

/* The entry of @acct in a report, or NULL: it has not waited. */
const struct waits_of *waits_find(const struct waits *w,
                                  const struct waits_report *report, uint16_t acct);

/* Sorts the causes in @by that have at least @ns, the longest first.  Returns their number. */
unsigned int waits_order(const struct waits_sum by[WAITS_CAUSES], uint64_t ns,
                         enum waits_cause order[WAITS_CAUSES]);

/* The longest time, in ns, of the shortest @part (0 ... 1) of its waits after wake-ups. */
double waits_quantile(const struct waits_of *of, double part);

#endif /* XENSCHED_MODEL_WAITS_H */
