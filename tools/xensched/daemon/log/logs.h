/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * logs.h - what is logged: which events, of how many of them one makes a row,
 * and into which log files of whose log.
 */
#ifndef XENSCHED_DAEMON_LOGS_H
#define XENSCHED_DAEMON_LOGS_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/area.h>

/* What an operator has chosen. */
struct choice {
    uint32_t events; /* to be on; mask of 1 << XEN_SCHEDLOG_EV_* */
    uint32_t files;  /* have a log file, also those which are not on */
    bool all;        /* those that a producer does not have are not missed */
    /* Every Nth event makes a row. */
    uint32_t threshold[XEN_SCHEDLOG_NR_EVENTS];
    uint32_t size[XEN_SCHEDLOG_NR_EVENTS]; /* bytes, of its log file */
};

/* What the model is made of, each event; log files of the usual sizes. */
void choice_default(struct choice *choice);

/* Events that can be chosen: mask. */
uint32_t choice_possible(void);

/* Log @events (mask) as well, each. */
void choice_add(struct choice *choice, uint32_t events);

/*
 * "EVENT[:THRESHOLD],..." or "all" or "none".  Sizes stay as they are.  False: it
 * isn't one of these, and *choice is undefined.
 */
bool choice_parse(struct choice *choice, const char *text);

/*
 * "EVENT:SIZE,...", a size being bytes, or KiB with a K, MiB with an M: how large
 * a pCPU's log file with this event is, a power of two.  Of events that share a
 * log file the largest counts.  False: it isn't that, and *choice is as before.
 */
bool choice_parse_sizes(struct choice *choice, const char *text);

/* Whose log it is. */
enum producer { HYPERVISOR, LINUX, GUEST, NR_PRODUCERS };

/*
 * The events of @choice that @producer logs, without those of its preliminary log, which are
 * not a matter of choice.
 */
uint32_t choice_events(const struct choice *choice, enum producer producer);

#define LOGS_MAX 16 /* a power of two */

/* One producer's log files, the same ones on each pCPU. */
struct logs {
    struct xensched_geometry geometry; /* points into this structure */
    unsigned int nr; /* which are used; the geometry may have a few more */
    uint32_t events[LOGS_MAX]; /* mask */
    uint32_t lcr[LOGS_MAX];
    uint32_t sizes[LOGS_MAX];
    /*
     * A guest's rows about threads are completed in the guest, and what comes of
     * them is what we read.  Each of these events makes a row, or sums would be
     * wrong.
     */
    uint32_t preliminary; /* mask of events */
    uint32_t not_ours;    /* mask of log files: these are in there */
};

/* @nr_acct: numbers of accounting domains are below this. */
void logs_init(struct logs *logs, const struct choice *choice,
               enum producer producer, uint32_t nr_acct);

/*
 * Route @events (mask) of accounting domain @acct to their log files, each
 * with its threshold, or nowhere.
 */
void logs_route(const struct logs *logs, const struct choice *choice,
                struct xensched_area *area, uint16_t acct, uint32_t events,
                bool on);

/* Another threshold for an event that is routed; nothing if it has no file. */
void logs_set_threshold(const struct logs *logs, struct xensched_area *area,
                        uint16_t acct, unsigned int event,
                        uint32_t threshold);

/* All registers as they should be, and nothing routed. */
void logs_prepare(const struct logs *logs, struct xensched_area *area);

#endif /* XENSCHED_DAEMON_LOGS_H */
