/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * recording.h - keep batches of one or many sources in a file, and get them
 * back.
 *
 * The format is described in docs/internals/recording-format.md.  A recording is
 * complete when its end mark is there; if it is not, or is damaged, everything
 * before the damage can be read, and the error names the offset.
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
    XENSCHED_KIND_LINUX,      /* that of dom0 */
    XENSCHED_KIND_DRIVER,     /* that of a driver domain */
    XENSCHED_KIND_GUEST,      /* what it says concerns no other domain */
    XENSCHED_NR_KINDS
};

#define XENSCHED_NAME_TEXT 256

/* Whose log it is.  Texts are terminated, and have no control characters. */
struct xensched_source_info {
    uint32_t id;
    enum xensched_kind kind;
    uint32_t domid; /* of the hypervisor: not valid */
    uint64_t tsc_khz;
    char uuid[40];
    char name[XENSCHED_NAME_TEXT]; /* of the domain, or of the producer */
};

/* "hypervisor", "linux", "driver", "guest" */
const char *xensched_kind_name(enum xensched_kind kind);

struct xensched_recorder;

/*
 * Create (or empty) the file @path, readable by its owner only.  @tsc_khz is
 * the host's, or 0; @start_tsc is its TSC now.  Returns 0 and sets *recorder,
 * or what creating and writing can return.
 */
int xensched_recorder_open(const char *path, uint64_t tsc_khz,
                           uint64_t start_tsc,
                           struct xensched_recorder **recorder,
                           struct xensched_error *err);

/*
 * The same, but what is written is kept in memory: the latest rounds whose
 * packs have @bytes bytes together and aren't older than @seconds (0: no
 * limit).  xensched_recorder_save() writes them to a file, any number of times.
 */
int xensched_recorder_open_ring(uint64_t bytes, double seconds,
                                uint64_t tsc_khz, uint64_t start_tsc,
                                struct xensched_recorder **recorder,
                                struct xensched_error *err);
int xensched_recorder_save(struct xensched_recorder *recorder,
                           const char *path, struct xensched_error *err);

/*
 * Append: a source, before its rows; the clock of one of its vCPUs, from now
 * on; a batch, whose source is batch->source.
 *
 * After an error (such as -ENOSPC) what was written before is still a readable
 * recording without end mark, and the recorder can only be closed.
 */
int xensched_recorder_source(struct xensched_recorder *recorder,
                             uint64_t time_ns,
                             const struct xensched_source_info *info,
                             struct xensched_error *err);
int xensched_recorder_clock(struct xensched_recorder *recorder,
                            uint64_t time_ns, uint32_t source,
                            const struct xensched_clock *clock,
                            struct xensched_error *err);
/* What Xen's system time is now, of xensched_system_time(). */
int xensched_recorder_system_time(struct xensched_recorder *recorder,
                                  uint64_t time_ns,
                                  const struct xensched_clock *clock,
                                  struct xensched_error *err);
int xensched_recorder_write(struct xensched_recorder *recorder,
                            const struct xensched_batch *batch,
                            struct xensched_error *err);

/*
 * Append what the host is from now (@time_ns, as in batches) on: @length bytes
 * of text, as docs/internals/recording-format.md says.  Errors as above.
 */
int xensched_recorder_host(struct xensched_recorder *recorder,
                           uint64_t time_ns, const char *text, size_t length,
                           struct xensched_error *err);

/*
 * All logs have been asked since the host's TSC was @host_tsc, so no row that
 * was complete then is missing.  Without rounds rows cannot be put in order.
 * What was appended gets to the disk ten times per second.
 */
int xensched_recorder_round(struct xensched_recorder *recorder,
                            uint64_t time_ns, uint64_t host_tsc,
                            struct xensched_error *err);

/* How many bytes the file or the ring has; what is collected comes later. */
uint64_t xensched_recorder_bytes(const struct xensched_recorder *recorder);

/*
 * Write the end mark (unless there was an error), make sure that all of it is
 * on the disk and close.  @recorder is gone in any case.
 */
int xensched_recorder_close(struct xensched_recorder *recorder,
                            struct xensched_error *err);

struct xensched_recording;

/*
 * Open a recording of this version or of one before.  -EINVAL: it isn't one;
 * -EPROTO: another version, ABI or byte order (the text names both); or what
 * open(2) and read(2) return.
 */
int xensched_recording_open(const char *path,
                            struct xensched_recording **recording,
                            struct xensched_error *err);

struct xensched_recording_header {
    uint32_t version, abi_version;
    uint64_t tsc_khz;   /* of the host, 0: not known */
    uint64_t start_ns;  /* CLOCK_REALTIME, when ... */
    uint64_t start_tsc; /* ... the host's TSC was this; 0: not known */
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

/* A thing that is in a recording, valid until the next one is asked for. */
struct xensched_record {
    enum xensched_recorded what;
    uint64_t time_ns; /* when it was recorded, CLOCK_MONOTONIC */
    uint32_t source;  /* of ROWS, SOURCE and CLOCK */
    union {
        struct xensched_batch batch;
        struct xensched_source_info info;
        struct xensched_clock clock;  /* of SYSTEM_TIME: as xensched/clock.h
                                         says */
        uint64_t host_tsc;            /* of ROUND */
    };
};

/*
 * The next thing, in the order of the file.  Returns 1 when there is one, 0
 * at the end mark, -EILSEQ when the file is damaged and -ENODATA when it is
 * cut off; the text says at which offset.
 */
int xensched_recording_read(struct xensched_recording *recording,
                            struct xensched_record *record,
                            struct xensched_error *err);

/* The same for callers that want batches only.  One without rows: the host changed. */
int xensched_recording_next(struct xensched_recording *recording,
                            struct xensched_batch *batch,
                            struct xensched_error *err);

/* What was said of source @id so far; NULL: nothing. */
const struct xensched_source_info *
xensched_recording_source(const struct xensched_recording *recording,
                          uint32_t id);

/*
 * What the host was as of the latest batch: *text has *length bytes, and is
 * valid until the next batch.  Returns how many times it was told so far; 0:
 * never, and *text is NULL.
 */
uint64_t xensched_recording_host(const struct xensched_recording *recording,
                                 const char **text, size_t *length);

void xensched_recording_close(struct xensched_recording *recording);

#endif /* XENSCHED_RECORDING_H */
