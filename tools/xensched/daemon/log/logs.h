/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * logs.h - what is logged: the events, how many of them make a row, and the log buffers of each
 * producer.
 */
#ifndef XENSCHED_DAEMON_LOGS_H
#define XENSCHED_DAEMON_LOGS_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/area.h>

/* The operator's choice. */
struct choice {
    uint32_t events; /* the events to turn on; mask of 1 << XEN_SCHEDLOG_EV_* */
    uint32_t files;  /* events with a log buffer, also those that are off */
    bool all;        /* events that a producer lacks are no error */
    /* Every Nth event makes a row. */
    uint32_t threshold[XEN_SCHEDLOG_NR_EVENTS];
    uint32_t size[XEN_SCHEDLOG_NR_EVENTS]; /* of its log buffer, in bytes */
};

/* Each event that the model uses, with log buffers of the usual sizes. */
void choice_default(struct choice *choice);

/* The mask of events that can be chosen. */
uint32_t choice_possible(void);

/* Also logs each of @events (mask). */
void choice_add(struct choice *choice, uint32_t events);

/*
 * Parses "EVENT[:THRESHOLD],...", "all" or "none".  Sizes do not change.  Returns false, with
 * *choice undefined, for another text.
 */
bool choice_parse(struct choice *choice, const char *text);

/*
 * Parses "EVENT:SIZE,...": the size of a pCPU's log buffer for this event, a power of two, in
 * bytes, or in KiB with a K, MiB with an M.  Events that share a log buffer get the largest size.
 * Returns false, with *choice unchanged, for another text.
 */
bool choice_parse_sizes(struct choice *choice, const char *text);

/* The producer of a log. */
enum producer { HYPERVISOR, LINUX, GUEST, NR_PRODUCERS };

/*
 * The events of @choice that @producer logs, without those of its preliminary log, which cannot be
 * chosen.
 */
uint32_t choice_events(const struct choice *choice, enum producer producer);

#define LOGS_MAX 16 /* a power of two */

/* The log buffers of one producer, the same on each pCPU. */
struct logs {
    struct xensched_geometry geometry; /* points into this structure */
    unsigned int nr; /* used log buffers; the geometry may have a few more */
    uint32_t events[LOGS_MAX]; /* mask */
    uint32_t lcr[LOGS_MAX]; /* of a fast counter, see logs_register() */
    uint32_t sizes[LOGS_MAX];
    /*
     * A guest completes its rows about threads itself, and the daemon reads the results.  Each of
     * these events makes a row, or sums would be wrong.
     */
    uint32_t preliminary; /* mask of events */
    uint32_t not_ours;    /* mask of log buffers with these events */
};

/* @nr_acct: numbers of accounting domains are below this. */
void logs_init(struct logs *logs, const struct choice *choice,
               enum producer producer, uint32_t nr_acct);

/*
 * Routes @events (mask) of accounting domain @acct to their log buffers, each with its threshold,
 * or to none.
 */
void logs_route(const struct logs *logs, const struct choice *choice,
                struct xensched_area *area, uint16_t acct, uint32_t events,
                bool on);

/*
 * Routes the events of Xen's own accounting domain: run queues belong to Xen, and interrupts of an
 * idle pCPU delay a vCPU that wakes there.
 */
void logs_route_xen(const struct logs *logs, const struct choice *choice,
                    struct xensched_area *area);

/* Changes the threshold of a routed event; no effect if it has no log buffer. */
void logs_set_threshold(const struct logs *logs, struct xensched_area *area,
                        uint16_t acct, unsigned int event,
                        uint32_t threshold);

/*
 * The register of log buffer @file where the counter has @tsc_khz (0: unknown).  Times of short rows
 * are in units of at most 1024 ticks, and at most 1024 ns.
 */
uint32_t logs_register(const struct logs *logs, unsigned int file, uint64_t tsc_khz);

/* Sets all registers, and removes all routes. */
void logs_prepare(const struct logs *logs, struct xensched_area *area);

#endif /* XENSCHED_DAEMON_LOGS_H */
