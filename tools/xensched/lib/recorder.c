/* SPDX-License-Identifier: LGPL-2.1-only */
/* recorder.c - writes recordings; see xensched/recording.h. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include <xensched/recording.h>

#include "recording-format.h"

struct xensched_recorder {
    FILE *file;
    char *path;
    uint64_t nr_chunks;
    uint64_t offset; /* bytes written so far */
    int failed;      /* a positive errno value after an error */
};

static int fail(struct xensched_recorder *r, struct xensched_error *err)
{
    r->failed = errno ? errno : EIO;

    return xensched_fail(err, r->failed,
                         "cannot write '%s' after %llu bytes: %s", r->path,
                         (unsigned long long)r->offset, strerror(r->failed));
}

static int put(struct xensched_recorder *r, const void *bytes, size_t length,
               struct xensched_error *err)
{
    errno = 0;
    if (length && fwrite(bytes, length, 1, r->file) != 1)
        return fail(r, err);
    r->offset += length;

    return 0;
}

static int put_header(struct xensched_recorder *r, uint64_t tsc_khz,
                      struct xensched_error *err)
{
    struct recording_header header = {
        .magic = RECORDING_MAGIC,
        .byte_order = RECORDING_BYTE_ORDER,
        .version = XENSCHED_RECORDING_VERSION,
        .abi_version = XEN_SCHEDLOG_ABI_VERSION,
        .tsc_khz = tsc_khz,
    };
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    header.start_ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
    header.crc = crc32(0, (const Bytef *)&header,
                       offsetof(struct recording_header, crc));

    return put(r, &header, sizeof(header), err);
}

static int put_chunk(struct xensched_recorder *r,
                     struct recording_chunk *chunk, const void *bytes,
                     struct xensched_error *err)
{
    int rc;

    chunk->magic = RECORDING_CHUNK;
    chunk->crc = crc32(0, (const Bytef *)chunk,
                       offsetof(struct recording_chunk, crc));
    if (chunk->length)
        chunk->crc = crc32(chunk->crc, bytes, chunk->length);

    rc = put(r, chunk, sizeof(*chunk), err);
    if (!rc)
        rc = put(r, bytes, chunk->length, err);
    if (!rc)
        r->nr_chunks++;

    return rc;
}

static void destroy(struct xensched_recorder *r)
{
    if (r->file)
        fclose(r->file);
    free(r->path);
    free(r);
}

int xensched_recorder_open(const char *path, uint64_t tsc_khz,
                           struct xensched_recorder **recorder,
                           struct xensched_error *err)
{
    struct xensched_recorder *r = calloc(1, sizeof(*r));
    int fd, rc;

    if (!r)
        return xensched_fail(err, ENOMEM, "out of memory");
    r->path = strdup(path);
    if (!r->path) {
        rc = xensched_fail(err, ENOMEM, "out of memory");
        goto fail;
    }
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd >= 0)
        r->file = fdopen(fd, "w");
    if (!r->file) {
        rc = xensched_fail(err, errno, "cannot create '%s': %s", path,
                           strerror(errno));
        if (fd >= 0)
            close(fd);
        goto fail;
    }
    rc = put_header(r, tsc_khz, err);
    if (rc)
        goto fail;
    *recorder = r;

    return 0;

fail:
    destroy(r);
    return rc;
}

int xensched_recorder_write(struct xensched_recorder *r,
                            const struct xensched_batch *batch,
                            struct xensched_error *err)
{
    struct recording_chunk chunk = {
        .type = RECORDING_ROWS,
        .length = batch->length,
        .cpu = batch->cpu,
        .file = batch->file,
        .lcr = batch->layout.lcr,
        .pos = batch->pos,
        .lost_bytes = batch->lost_bytes,
        .lost_rows = batch->lost_rows,
        .time_ns = batch->time_ns,
    };

    if (r->failed)
        return xensched_fail(err, r->failed, "'%s' had an error before",
                             r->path);

    return put_chunk(r, &chunk, batch->rows, err);
}

int xensched_recorder_host(struct xensched_recorder *r, uint64_t time_ns,
                           const char *text, size_t length,
                           struct xensched_error *err)
{
    struct recording_chunk chunk = {
        .type = RECORDING_HOST,
        .length = length,
        .time_ns = time_ns,
    };

    if (r->failed)
        return xensched_fail(err, r->failed, "'%s' had an error before",
                             r->path);
    if (length > XEN_SCHEDLOG_MAX_FILE_SIZE)
        return xensched_fail(err, E2BIG, "what there is to say of the host "
                             "does not fit into a recording");

    return put_chunk(r, &chunk, text, err);
}

uint64_t xensched_recorder_bytes(const struct xensched_recorder *r)
{
    return r->offset;
}

/* A pipe or a terminal has no disk to be on. */
static int sync_to_disk(FILE *file)
{
    if (!fsync(fileno(file)) || errno == EINVAL || errno == EROFS)
        return 0;

    return -1;
}

int xensched_recorder_close(struct xensched_recorder *r,
                            struct xensched_error *err)
{
    struct recording_chunk end = {
        .type = RECORDING_END,
        .pos = r->nr_chunks,
    };
    int rc = 0;

    if (!r->failed) {
        rc = put_chunk(r, &end, NULL, err);
        if (!rc && (fflush(r->file) || sync_to_disk(r->file)))
            rc = fail(r, err);
    }
    destroy(r);

    return rc;
}
