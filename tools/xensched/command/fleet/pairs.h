/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pairs.h - finds guests of different hosts that communicate, how much and since when, from the
 * metrics in a Prometheus.
 */
#ifndef XENSCHED_COMMAND_PAIRS_H
#define XENSCHED_COMMAND_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>
#include <xensched/error.h>

/* A day, in the steps of "since". */
#define PAIRS_STEP_S  300
#define PAIRS_STEPS   288

struct pair {
    /* Both ends, sorted by UUID; the series own the texts. */
    struct pair_end {
        const char *uuid, *name, *host;
        double sends;  /* to the other end, bytes per second */
        double all;    /* to any guest; below 0: unknown */
    } end[2];
    double bytes_per_s; /* in both directions */
    int64_t since;      /* Unix time since when the rate was at least @least */
    float at[PAIRS_STEPS + 1]; /* in both directions, per step */
};

struct pairs {
    struct pair *pair;
    size_t nr;
    int64_t now;
    json_object *series, *totals;
};

/* Finds pairs with @least bytes per second or more, the most first.  The caller frees them. */
int pairs_find(const char *url, double least, struct pairs *pairs,
               struct xensched_error *err);
void pairs_free(struct pairs *pairs);

#endif /* XENSCHED_COMMAND_PAIRS_H */
