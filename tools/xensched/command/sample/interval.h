/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * interval.h - what a guest did in an interval, by the rows about it: how much of
 * each event, and with which domain.
 */
#ifndef XENSCHED_SAMPLE_INTERVAL_H
#define XENSCHED_SAMPLE_INTERVAL_H

#include <json-c/json.h>

#include <xensched/reader.h>

#include "command/rows/acct-names.h"

struct cell {
    uint16_t event, other; /* XEN_SCHEDLOG_ACCT_NONE: no partner */
    bool outward;          /* the guest is the current one */
    uint64_t rows, sum;    /* of the counters */
};

struct interval {
    uint16_t acct; /* the guest's */
    unsigned int nr;
    struct cell *cell;
    uint64_t rows;      /* in which the guest is the current one */
    uint64_t lost_rows; /* of anybody */
};

void interval_begin(struct interval *i, uint16_t acct);
void interval_add(struct interval *i, const struct xensched_batch *batch);
void interval_free(struct interval *i);

/* { "evtchn-send>Domain-0": {"rows":N,"sum":N}, ... } */
json_object *interval_json(const struct interval *i,
                           const struct acct_names *names);

#endif /* XENSCHED_SAMPLE_INTERVAL_H */
