/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sampled-guest.h - the sampled guest, and its rows in an interval: the number of each event, and
 * with which domain.
 */
#ifndef XENSCHED_COMMAND_SAMPLED_GUEST_H
#define XENSCHED_COMMAND_SAMPLED_GUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <json-c/json.h>
#include <xenctrl.h>

#include <xensched/error.h>
#include <xensched/reader.h>

#include "command/rows/acct-names.h"

struct target {
    uint32_t domid;
    unsigned int vcpus;
    xc_interface *xch;
    pid_t guard; /* lets the guest continue after this process died */
    int alive;   /* closed when this process ends, for the guard */
};

/* Returns -ESRCH if the guest is gone or shuts down. */
int target_open(struct target *t, uint32_t domid, struct xensched_error *err);
void target_close(struct target *t);

/* Reads the guest's service time since its creation, in ns.  Returns -ESRCH if it has ended. */
int target_service(struct target *t, uint64_t *ns, struct xensched_error *err);

struct cell {
    uint16_t event, other; /* XEN_SCHEDLOG_ACCT_NONE: no partner */
    bool outward;          /* the guest is the current domain */
    uint64_t rows, sum;    /* number of rows, sum of their counters */
};

struct interval {
    uint16_t acct; /* the guest's number */
    unsigned int nr;
    struct cell *cell;
    uint64_t rows;      /* rows with the guest as the current domain */
    uint64_t lost_rows; /* of any domain */
};

void interval_begin(struct interval *i, uint16_t acct);
void interval_add(struct interval *i, const struct xensched_batch *batch);
void interval_free(struct interval *i);

/* Returns { "evtchn-send>Domain-0": {"rows":N,"sum":N}, ... }. */
json_object *interval_json(const struct interval *i,
                           const struct acct_names *names);

#endif /* XENSCHED_COMMAND_SAMPLED_GUEST_H */
