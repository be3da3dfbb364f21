/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics.h - writes metrics to a file in the OpenMetrics text format, for the textfile
 * collector of node_exporter.
 *
 * The daemon has no port of its own.  It needs no network, and node_exporter controls access
 * to its metrics as to all others of the host.
 */
#ifndef XENSCHED_DAEMON_METRICS_H
#define XENSCHED_DAEMON_METRICS_H

#include "daemon/sources/log-sources.h"

/* Scrapers come every 15 s or more. */
#define METRICS_EVERY_NS 5000000000ULL

struct metrics {
    const char *path;    /* NULL: no metrics */
    uint64_t written_ns; /* time of the last write */
    bool failed;         /* logged already */
    const char *root;    /* the folder with the host's files; NULL: "" */
};

/*
 * Writes a new file if it is time.  The file is replaced in one step, so a reader sees the
 * old or the new one.  If it cannot be written, the daemon logs that once and continues.
 */
void metrics_write(struct metrics *metrics, const struct core *core,
                   const struct log_sources *sources, uint64_t now_ns);

/* Removes the file when the daemon ends, because its numbers are no longer valid. */
void metrics_remove(const struct metrics *metrics);

#endif /* XENSCHED_DAEMON_METRICS_H */
