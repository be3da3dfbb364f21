/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * waits.h - records which domains wait for which: how long the vCPUs of each accounting
 * domain waited for a pCPU, and which accounting domain had that pCPU meanwhile.
 *
 * Each wait has a cause as well: how the vCPU came to wait.  The reasons of Xen's rows
 * state what woke the vCPU, or why it left.  A wait that ended without a run counts as well,
 * but is not among those that the histogram and the quantiles have.
 *
 * The latest hour is kept second by second, in memory of a fixed size.  One domain that
 * waited takes 16 bytes for each second in which it did, 8 for each domain that it waited
 * for and each cause of that, 8 for each cause but WAITS_WOKEN, 4 for each power of two of
 * ns that its waits after wake-ups lasted, and 8 each if it moved and was offline: some 96
 * bytes.  If this memory is full, the oldest seconds are forgotten.
 *
 * An accounting domain that is forgotten keeps its name in the past: a report names guests
 * that are gone.
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

/* Is one of @events (mask) about waits, or moves to another pCPU? */
bool waits_takes(uint32_t events);

/* Seconds are those of @now_ns, which never goes back. */
void waits_add_batch(struct waits *w, const struct xensched_batch *batch, uint64_t now_ns);
/*
 * Xen has counted that vCPUs of @acct waited for @ns, also in waits that go on, and that it
 * did not let them run for @offline_ns.
 */
void waits_count(struct waits *w, uint16_t acct, uint64_t ns, uint64_t offline_ns,
                 uint64_t now_ns);
/* The second before that of @now_ns is over, also if no row came. */
void waits_pass(struct waits *w, uint64_t now_ns);

/* The domain that the accounting domain stands for. */
void waits_name(struct waits *w, uint16_t acct, uint32_t domid, const char *name);
/* The number will be used for another domain. */
void waits_forget(struct waits *w, uint16_t acct);

/* The identity of Xen, whose vCPUs have a pCPU that idles. */
#define WAITS_XEN 1

/* A domain, as it was called then. */
struct waits_end {
    uint16_t identity;
    int64_t domid;    /* -1: Xen, or not known */
    const char *name; /* NULL: it has none yet */
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
    uint64_t ns;         /* all that it waited */
    uint64_t counted_ns; /* the same as Xen counts it, waits that go on included */
    uint64_t offline_ns; /* likewise; not of ns */
    uint64_t unknown_ns; /* part of ns without a known holder */
    struct waits_sum by[WAITS_CAUSES]; /* of ns, also of what is unknown; without numbers */
    uint64_t preempted_ns; /* of ns, from WAITS_PREEMPTED on */
    uint64_t moves;      /* of its vCPUs, to another pCPU */
    uint64_t wakes;      /* waits after a wake-up */
    uint64_t bucket[WAITS_BUCKETS]; /* of these, by how long they lasted */
    unsigned int nr_culprits;
    struct waits_for *culprit; /* longest first */
};

struct waits_report {
    uint64_t first_s, seconds; /* that are known, of those asked for */
    unsigned int nr;
    struct waits_of *of; /* longest first */
};

/* The oldest second that is known; that of @now_ns if there is none. */
uint64_t waits_oldest(const struct waits *w, uint64_t now_ns);

/*
 * What was waited from @first_s on, in @seconds of them.  Names are valid until the next
 * call of another function.  To be freed with waits_report_free().
 */
void waits_ask(struct waits *w, uint64_t first_s, uint64_t seconds,
               struct waits_report *report);
void waits_report_free(struct waits_report *report);

/* What @acct has of a report, or NULL: it has not waited. */
const struct waits_of *waits_find(const struct waits *w,
                                  const struct waits_report *report, uint16_t acct);

/* Those of @by that have at least @ns, the longest first.  Returns how many there are. */
unsigned int waits_order(const struct waits_sum by[WAITS_CAUSES], uint64_t ns,
                         enum waits_cause order[WAITS_CAUSES]);

/* How long the shortest @part (0 ... 1) of its waits after wake-ups lasted at most, in ns. */
double waits_quantile(const struct waits_of *of, double part);

#endif /* XENSCHED_MODEL_WAITS_H */
