/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rows.h - reads all rows of the hypervisor from a recording, on one clock and in order.  Every
 * part of the timeline is made from them.
 *
 * Times are ns of the host since the first row.  Rows of one log buffer keep their order; the
 * order of rows of two log buffers is exact to @granule_ns.
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

/* The event of a row without one. */
#define ROWS_NO_EVENT XEN_SCHEDLOG_NR_EVENTS

struct timeline_row {
    uint64_t ns;
    uint64_t counter;
    uint32_t cpu;
    uint16_t event;         /* ROWS_NO_EVENT, or any number: check it before use */
    uint16_t current;       /* accounting domain; NONE: not in the row */
    uint16_t correspondent;
    uint16_t file;
};

/* Rows of a log buffer between these two times are lost. */
struct timeline_loss {
    uint64_t begin_ns, end_ns;
    uint64_t rows, bytes;
    uint32_t cpu;
    uint16_t file;
    uint32_t events; /* mask of the events that the log buffer is known to have */
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
    struct linux_rows linux_rows; /* rows of all other sources */
    struct timeline_system_time *system_time;
    size_t nr_system_times, system_times_room;
    struct cuts cuts;
    struct windows cut;  /* times in which the host's clock went back */
    uint64_t utc_ns;     /* ns since 1970 at time 0; 0: unknown */
    uint64_t begin_ns;   /* the host's clock at time 0 */
    uint64_t end_ns;     /* time of the last row */
    uint64_t granule_ns; /* of the coarsest time stamps */
    uint64_t read_ns;    /* CLOCK_MONOTONIC at time 0 or shortly after it; 0: unknown */
    uint64_t tsc_khz;    /* 0: times are cycles, not ns */
    bool one_tsc;        /* Xen found no difference between the TSCs of pCPUs */
    uint32_t events;     /* mask of the recorded events */
    struct names names;
    struct notes notes;
    char defect[400];    /* why the recording ends early; "": it is complete */
};

/*
 * Reads the recording @path.  If it is damaged or cut off, returns 0 with the rows before the
 * damage.  Returns a negative errno value if it cannot be read at all.
 */
int rows_read(struct rows *rows, const char *path, struct xensched_error *err);
void rows_free(struct rows *rows);

/* Sorts rows and losses again after their times have changed. */
void rows_sort(struct rows *rows);

#endif /* XENSCHED_TIMELINE_ROWS_H */
