/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pairs.h - which guests of different hosts communicate, how much and since when, from the
 * metrics in a Prometheus.
 */
#ifndef XENSCHED_COMMAND_PAIRS_H
#define XENSCHED_COMMAND_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>
#include <xensched/error.h>

/* A day, in the steps in which "since" is known. */
#define PAIRS_STEP_S  300
#define PAIRS_STEPS   288

struct pair {
    /* Both ends, in the order of their UUIDs; text is the series'. */
    struct pair_end {
        const char *uuid, *name, *host;
        double sends;  /* to the other end, bytes per second */
        double all;    /* that it sends to any guest; below 0: unknown */
    } end[2];
    double bytes_per_s; /* of both */
    int64_t since;      /* Unix time; as long as they did at least @least */
    float at[PAIRS_STEPS + 1]; /* of both, then */
};

struct pairs {
    struct pair *pair;
    size_t nr;
    int64_t now;
    json_object *series, *totals;
};

/* Those with @least bytes per second or more, the most first.  To be freed. */
int pairs_find(const char *url, double least, struct pairs *pairs,
               struct xensched_error *err);
void pairs_free(struct pairs *pairs);

#endif /* XENSCHED_COMMAND_PAIRS_H */
