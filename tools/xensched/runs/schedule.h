/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * schedule.h - sums up the recording of one run: how long each domain ran and waited, where, and
 * which domain ran instead; sums, and on demand every span.
 */
#ifndef XENSCHED_RUNS_SCHEDULE_H
#define XENSCHED_RUNS_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xensched/error.h>

/* Domains below are indices of these. */
struct schedule_domain {
    char *name;
    uint64_t running_ns, waiting_ns, asleep_ns, unknown_ns;
    uint64_t moves; /* how often it ran on another pCPU than before */
};

struct schedule_place {
    unsigned int domain, pcpu;
    uint64_t ns; /* run time there */
};

struct schedule_pair {
    unsigned int from, to;
    uint64_t notifications;
    uint64_t median_ns, p99_ns; /* from notification to run */
};

struct schedule_instead {
    unsigned int domain, other;
    uint64_t ns; /* time that @other ran where @domain waited */
};

/* pCPU time per unit of a guest's work; see model/work.h. */
struct schedule_cost {
    unsigned int domain;
    double us;
    const char *per;
};

struct schedule_span {
    unsigned int domain, vcpu;
    uint64_t begin_ns, ns;
    const char *state;
    int pcpu; /* -1: none, or unknown */
};

struct schedule {
    struct schedule_domain *domain;
    size_t nr_domains;
    struct schedule_place *place;
    size_t nr_places;
    struct schedule_pair *pair;
    size_t nr_pairs;
    struct schedule_instead *instead;
    size_t nr_insteads;
    struct schedule_cost *cost;
    size_t nr_costs;
    struct schedule_span *span;
    size_t nr_spans;
    uint64_t rows, lost_rows, length_ns;
};

/* @full: with each span.  The caller frees @s if 0 is returned. */
int schedule_read(struct schedule *s, const char *recording, bool full,
                  struct xensched_error *err);
void schedule_free(struct schedule *s);

#endif /* XENSCHED_RUNS_SCHEDULE_H */
