/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * recorder-sink.h - where a recorder writes its header, packs and end mark: a file
 * (recorder-file.c) or the memory of a flight recorder (recorder-ring.c).
 */
#ifndef XENSCHED_LIB_RECORDER_SINK_H
#define XENSCHED_LIB_RECORDER_SINK_H

#include <xensched/recording.h>

#include "pack.h"
#include "recording-format.h"

struct recorder_sink_ops {
    /* Writes a pack: @chunks, and the same @compressed.  Keeps neither. */
    int (*pack)(void *sink, uint64_t time_ns, const struct pack_bytes *chunks,
                const struct pack_bytes *compressed,
                struct xensched_error *err);
    uint64_t (*bytes)(const void *sink);
    /* Writes the recording to @path; NULL: it is in a file already. */
    int (*save)(void *sink, const char *path, struct xensched_error *err);
    /* @complete: writes an end mark.  The sink is invalid afterwards in any case. */
    int (*close)(void *sink, bool complete, struct xensched_error *err);
};

extern const struct recorder_sink_ops recorder_file_ops;
extern const struct recorder_sink_ops recorder_ring_ops;

int recorder_file_open(const char *path, const struct recording_header *header,
                       void **sink, struct xensched_error *err);
int recorder_ring_open(uint64_t bytes, double seconds,
                       const struct recording_header *header, void **sink,
                       struct xensched_error *err);

#endif /* XENSCHED_LIB_RECORDER_SINK_H */
