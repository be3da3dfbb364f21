/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * recording.h - keep batches in a file, and get them back.
 *
 * The format is described in docs/recording-format.md.  A recording is
 * complete when its end mark is there; of one that isn't, or that is damaged,
 * everything before the damage can be read, and the error names the offset.
 *
 * Reading is usually done through the source "recording:FILE".
 */
#ifndef XENSCHED_RECORDING_H
#define XENSCHED_RECORDING_H

#include <xensched/error.h>
#include <xensched/reader.h>

#define XENSCHED_RECORDING_VERSION 1

struct xensched_recorder;

/*
 * Create (or empty) the file @path, readable by its owner only.  @tsc_khz is
 * the producer's, or 0.  Returns 0 and sets *recorder, or what creating and
 * writing can return.
 */
int xensched_recorder_open(const char *path, uint64_t tsc_khz,
                           struct xensched_recorder **recorder,
                           struct xensched_error *err);

/*
 * Append a batch.  After an error (such as -ENOSPC) what was written before
 * is still a readable recording without end mark, and the recorder can only
 * be closed.
 */
int xensched_recorder_write(struct xensched_recorder *recorder,
                            const struct xensched_batch *batch,
                            struct xensched_error *err);

/*
 * Append what the host is from now (@time_ns, as in batches) on: @length bytes
 * of text, as docs/recording-format.md says.  Errors as above.
 */
int xensched_recorder_host(struct xensched_recorder *recorder,
                           uint64_t time_ns, const char *text, size_t length,
                           struct xensched_error *err);

/* How many bytes have been handed to it so far, with all headers. */
uint64_t xensched_recorder_bytes(const struct xensched_recorder *recorder);

/*
 * Write the end mark (unless there was an error), make sure that all of it is
 * on the disk and close.  @recorder is gone in any case.
 */
int xensched_recorder_close(struct xensched_recorder *recorder,
                            struct xensched_error *err);

struct xensched_recording;

/*
 * Open a recording.  -EINVAL: it isn't one; -EPROTO: another version, ABI or
 * byte order (the text names both); or what open(2) and read(2) return.
 */
int xensched_recording_open(const char *path,
                            struct xensched_recording **recording,
                            struct xensched_error *err);

uint64_t xensched_recording_tsc_khz(const struct xensched_recording *recording);

/*
 * The next batch, valid until the next call.  Returns 1 when there is one, 0
 * at the end mark, -EILSEQ when the file is damaged and -ENODATA when it is
 * cut off; the text says at which offset.  A batch has no rows where only the
 * host has changed.
 */
int xensched_recording_next(struct xensched_recording *recording,
                            struct xensched_batch *batch,
                            struct xensched_error *err);

/*
 * What the host was as of the latest batch: *text has *length bytes, and is
 * valid until the next batch.  Returns how many times it was told so far; 0:
 * never, and *text is NULL.
 */
uint64_t xensched_recording_host(const struct xensched_recording *recording,
                                 const char **text, size_t *length);

void xensched_recording_close(struct xensched_recording *recording);

#endif /* XENSCHED_RECORDING_H */
