/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * recording.h - writes batches of one or several sources to a file, and reads them.
 *
 * docs/internals/recording-format.md describes the format.  A complete recording has an end mark.
 * If a recording is cut off or damaged, everything before the damage can be read, and the error
 * names the offset.
 *
 * Rows in the order of one clock come from merge.h; a program that needs no order
 * opens the source "recording:FILE".
 */
#ifndef XENSCHED_RECORDING_H
#define XENSCHED_RECORDING_H

#include <xensched/clock.h>
#include <xensched/error.h>
#include <xensched/reader.h>

#define XENSCHED_RECORDING_VERSION 2

/* Ids of sources in a recording are below this. */
#define XENSCHED_MAX_SOURCES 1024U
#define XENSCHED_MAX_VCPUS   4096U

enum xensched_kind {
    XENSCHED_KIND_HYPERVISOR, /* its CPUs are pCPUs, the others' are vCPUs */
    XENSCHED_KIND_LINUX,      /* the Linux of dom0 */
    XENSCHED_KIND_DRIVER,     /* the Linux of a driver domain */
    XENSCHED_KIND_GUEST,      /* a guest: its rows concern no other domain */
    XENSCHED_NR_KINDS
};

#define XENSCHED_NAME_TEXT 256

/* The producer of a log.  Texts are terminated, and have no control characters. */
struct xensched_source_info {
    uint32_t id;
    enum xensched_kind kind;
    uint32_t domid; /* not valid for the hypervisor */
    uint64_t tsc_khz;
    char uuid[40];
    char name[XENSCHED_NAME_TEXT]; /* of the domain, or of the producer */
};

/* "hypervisor", "linux", "driver", "guest" */
const char *xensched_kind_name(enum xensched_kind kind);

struct xensched_recorder;

/*
 * Creates or empties the file @path, readable by its owner only.  @tsc_khz is the host's, or 0;
 * @start_tsc is its TSC now.  Returns 0 and sets *recorder, or the error of creating and writing.
 */
int xensched_recorder_open(const char *path, uint64_t tsc_khz,
                           uint64_t start_tsc,
                           struct xensched_recorder **recorder,
                           struct xensched_error *err);

/*
 * The same in memory: keeps the latest rounds whose packs have at most @bytes bytes together and
 * are not older than @seconds (0: no limit).  xensched_recorder_save() writes them to a file, any
 * number of times.
 */
int xensched_recorder_open_ring(uint64_t bytes, double seconds,
                                uint64_t tsc_khz, uint64_t start_tsc,
                                struct xensched_recorder **recorder,
                                struct xensched_error *err);
int xensched_recorder_save(struct xensched_recorder *recorder,
                           const char *path, struct xensched_error *err);

/*
 * Append a source, before its rows; the clock of one of its vCPUs from now on; a batch, whose
 * source is batch->source.
 *
 * After an error such as -ENOSPC the earlier contents are a readable recording without end mark,
 * and the recorder can only be closed.
 */
int xensched_recorder_source(struct xensched_recorder *recorder,
                             uint64_t time_ns,
                             const struct xensched_source_info *info,
                             struct xensched_error *err);
int xensched_recorder_clock(struct xensched_recorder *recorder,
                            uint64_t time_ns, uint32_t source,
                            const struct xensched_clock *clock,
                            struct xensched_error *err);
/* Appends Xen's system time, from xensched_system_time(). */
int xensched_recorder_system_time(struct xensched_recorder *recorder,
                                  uint64_t time_ns,
                                  const struct xensched_clock *clock,
                                  struct xensched_error *err);
int xensched_recorder_write(struct xensched_recorder *recorder,
                            const struct xensched_batch *batch,
                            struct xensched_error *err);

/*
 * Appends a description of the host, valid from @time_ns (as in batches) on: @length bytes of
 * text in the form of docs/internals/recording-format.md.  Errors as above.
 */
int xensched_recorder_host(struct xensched_recorder *recorder,
                           uint64_t time_ns, const char *text, size_t length,
                           struct xensched_error *err);

/*
 * Ends a round: all logs have been read since the host's TSC was @host_tsc, so no row that was
 * complete then is missing.  Without rounds rows cannot be put in order.  The recorder writes to
 * the disk ten times per second.
 */
int xensched_recorder_round(struct xensched_recorder *recorder,
                            uint64_t time_ns, uint64_t host_tsc,
                            struct xensched_error *err);

/* The size of the file or the ring in bytes, without the rows that are still being collected. */
uint64_t xensched_recorder_bytes(const struct xensched_recorder *recorder);

/*
 * Writes the end mark (unless there was an error), makes sure that the recording is on the disk,
 * and closes it.  @recorder is invalid afterwards in any case.
 */
int xensched_recorder_close(struct xensched_recorder *recorder,
                            struct xensched_error *err);

struct xensched_recording;

/*
 * Opens a recording of this version or of an earlier one.  Returns -EINVAL if the file is not a
 * recording, -EPROTO for another version, ABI or byte order (the text names both), or the error
 * of open(2) and read(2).
 */
int xensched_recording_open(const char *path,
                            struct xensched_recording **recording,
                            struct xensched_error *err);

struct xensched_recording_header {
    uint32_t version, abi_version;
    uint64_t tsc_khz;   /* of the host; 0: unknown */
    uint64_t start_ns;  /* CLOCK_REALTIME at the start */
    uint64_t start_tsc; /* the host's TSC at the start; 0: unknown */
};

const struct xensched_recording_header *
xensched_recording_header(const struct xensched_recording *recording);

uint64_t xensched_recording_tsc_khz(const struct xensched_recording *recording);

enum xensched_recorded {
    XENSCHED_RECORDED_ROWS = 1,
    XENSCHED_RECORDED_HOST,
    XENSCHED_RECORDED_SOURCE,
    XENSCHED_RECORDED_CLOCK,
    XENSCHED_RECORDED_ROUND,
    XENSCHED_RECORDED_SYSTEM_TIME,
};

/* A record of a recording, valid until the next one is read. */
struct xensched_record {
    enum xensched_recorded what;
    uint64_t time_ns; /* when it was recorded, CLOCK_MONOTONIC */
    uint32_t source;  /* of ROWS, SOURCE and CLOCK */
    union {
        struct xensched_batch batch;
        struct xensched_source_info info;
        struct xensched_clock clock;  /* also of SYSTEM_TIME, see xensched/clock.h */
        uint64_t host_tsc;            /* of ROUND */
    };
};

/*
 * Reads the next record, in the order of the file.  Returns 1, 0 at the end mark, -EILSEQ if the
 * file is damaged, or -ENODATA if it is cut off; the text names the offset.
 */
int xensched_recording_read(struct xensched_recording *recording,
                            struct xensched_record *record,
                            struct xensched_error *err);

/* Reads the next batch.  A batch without rows means that the host has changed. */
int xensched_recording_next(struct xensched_recording *recording,
                            struct xensched_batch *batch,
                            struct xensched_error *err);

/* The latest description of source @id so far; NULL: none. */
const struct xensched_source_info *
xensched_recording_source(const struct xensched_recording *recording,
                          uint32_t id);

/*
 * The description of the host at the time of the latest batch: *text has *length bytes, and is
 * valid until the next batch.  Returns the number of descriptions so far; 0: none, and *text is
 * NULL.
 */
uint64_t xensched_recording_host(const struct xensched_recording *recording,
                                 const char **text, size_t *length);

void xensched_recording_close(struct xensched_recording *recording);

#endif /* XENSCHED_RECORDING_H */
