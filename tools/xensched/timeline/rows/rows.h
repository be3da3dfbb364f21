/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rows.h - all rows of the hypervisor in a recording on one clock, in order: what every part of
 * the timeline is made of.
 *
 * Times are ns of the host since the first row.  Rows of one log file keep
 * their order; which of two rows of different files came first is known as far
 * as @granule_ns tells.
 */
#ifndef XENSCHED_TIMELINE_ROWS_H
#define XENSCHED_TIMELINE_ROWS_H

#include <stdint.h>

#include <xensched/abi.h>
#include <xensched/error.h>
#include <xensched/row.h>

#include "cuts.h"
#include "linux-rows.h"
#include "names.h"
#include "host-notes.h"

/* Of a row that does not say its event. */
#define ROWS_NO_EVENT XEN_SCHEDLOG_NR_EVENTS

struct timeline_row {
    uint64_t ns;
    uint64_t counter;
    uint32_t cpu;
    uint16_t event;         /* ROWS_NO_EVENT, or anything: look before use */
    uint16_t current;       /* accounting domains; NONE: not in the row */
    uint16_t correspondent;
    uint16_t file;
};

/* Nothing is known of a log file between these two times. */
struct timeline_loss {
    uint64_t begin_ns, end_ns;
    uint64_t rows, bytes;
    uint32_t cpu;
    uint16_t file;
    uint32_t events; /* mask of those which the log file is known to have */
};

/* Xen's system time. */
struct timeline_system_time {
    uint64_t ns;        /* may be before time 0: it wraps */
    uint64_t system_ns;
};

struct rows {
    struct timeline_row *row;
    size_t nr, room;
    struct timeline_loss *loss;
    size_t nr_losses, losses_room;
    uint64_t lost_rows;
    uint64_t untimed;    /* rows without TSC, which are left out */
    struct linux_rows linux_rows; /* those of others than the hypervisor */
    struct timeline_system_time *system_time;
    size_t nr_system_times, system_times_room;
    struct cuts cuts;
    struct windows cut;  /* times in which the host's clock went back */
    uint64_t utc_ns;     /* at time 0, ns since 1970; 0: not known */
    uint64_t begin_ns;   /* of the host's clock, at time 0 */
    uint64_t end_ns;     /* time of the last row */
    uint64_t granule_ns; /* of the coarsest time stamps */
    uint64_t read_ns;    /* CLOCK_MONOTONIC at time 0, not before that;
                            0: not known */
    uint64_t tsc_khz;    /* 0: times are cycles, not ns */
    bool one_tsc;        /* Xen found no difference between the TSCs of pCPUs */
    uint32_t events;     /* mask of those which there are */
    struct names names;
    struct notes notes;
    char defect[400];    /* why there is nothing more; "": it is whole */
};

/*
 * Read the recording @path.  Returns 0 also if it is damaged or cut off, with
 * what came before that; a negative errno value if it cannot be read at all.
 */
int rows_read(struct rows *rows, const char *path, struct xensched_error *err);
void rows_free(struct rows *rows);

/* Times of rows and losses were changed. */
void rows_sort(struct rows *rows);

#endif /* XENSCHED_TIMELINE_ROWS_H */
