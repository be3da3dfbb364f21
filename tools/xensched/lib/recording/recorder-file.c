/* SPDX-License-Identifier: LGPL-2.1-only */
/* Writes a recording to a file. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "recorder-sink.h"

struct file_sink {
    FILE *file;
    char *path;
    uint64_t nr_chunks;
    uint64_t offset; /* bytes written so far */
    int failed;      /* a positive errno value after an error */
};

static int fail_write(struct file_sink *s, struct xensched_error *err)
{
    s->failed = errno ? errno : EIO;

    return xensched_fail(err, s->failed,
                         "cannot write '%s' after %llu bytes: %s", s->path,
                         (unsigned long long)s->offset, strerror(s->failed));
}

static int put_bytes(struct file_sink *s, const void *bytes, size_t length,
                     struct xensched_error *err)
{
    errno = 0;
    if (length && fwrite(bytes, length, 1, s->file) != 1)
        return fail_write(s, err);
    s->offset += length;

    return 0;
}

static int put_chunk(struct file_sink *s, struct recording_chunk *chunk,
                     const void *bytes, struct xensched_error *err)
{
    int rc;

    chunk->magic = RECORDING_CHUNK;
    chunk->crc = crc32(0, (const Bytef *)chunk,
                       offsetof(struct recording_chunk, crc));
    if (chunk->length)
        chunk->crc = crc32(chunk->crc, bytes, chunk->length);

    rc = put_bytes(s, chunk, sizeof(*chunk), err);
    if (!rc)
        rc = put_bytes(s, bytes, chunk->length, err);
    if (!rc)
        s->nr_chunks++;

    return rc;
}

static int file_pack(void *sink, uint64_t time_ns,
                     const struct pack_bytes *chunks,
                     const struct pack_bytes *compressed,
                     struct xensched_error *err)
{
    struct file_sink *s = sink;
    struct recording_chunk pack = {
        .type = RECORDING_PACK,
        .length = compressed->length,
        .pos = chunks->length,
        .time_ns = time_ns,
    };
    int rc;

    if (s->failed)
        return xensched_fail(err, s->failed, "'%s' had an error before",
                             s->path);
    rc = put_chunk(s, &pack, compressed->bytes, err);
    /* A recorder that is killed loses only later data. */
    if (!rc && fflush(s->file))
        rc = fail_write(s, err);

    return rc;
}

static uint64_t file_bytes(const void *sink)
{
    return ((const struct file_sink *)sink)->offset;
}

/* A pipe or a terminal cannot be synced. */
static int sync_to_disk(FILE *file)
{
    if (!fsync(fileno(file)) || errno == EINVAL || errno == EROFS)
        return 0;

    return -1;
}

static int file_close(void *sink, bool complete, struct xensched_error *err)
{
    struct file_sink *s = sink;
    struct recording_chunk end = {
        .type = RECORDING_END,
        .pos = s->nr_chunks,
    };
    int rc = 0;

    if (complete && !s->failed) {
        rc = put_chunk(s, &end, NULL, err);
        if (!rc && (fflush(s->file) || sync_to_disk(s->file)))
            rc = fail_write(s, err);
    }
    if (s->file)
        fclose(s->file);
    free(s->path);
    free(s);

    return rc;
}

int recorder_file_open(const char *path, const struct recording_header *header,
                       void **sink, struct xensched_error *err)
{
    struct file_sink *s = calloc(1, sizeof(*s));
    int fd = -1, rc = 0;

    if (s)
        s->path = strdup(path);
    if (!s || !s->path) {
        free(s);
        return xensched_fail(err, ENOMEM, "out of memory");
    }
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd >= 0)
        s->file = fdopen(fd, "w");
    if (!s->file) {
        rc = xensched_fail(err, errno, "cannot create '%s': %s", path,
                           strerror(errno));
        if (fd >= 0)
            close(fd);
    } else {
        rc = put_bytes(s, header, sizeof(*header), err);
        /* A recorder that is killed before the first pack leaves a valid recording. */
        if (!rc && fflush(s->file))
            rc = fail_write(s, err);
    }
    if (rc)
        file_close(s, false, NULL);
    else
        *sink = s;

    return rc;
}

const struct recorder_sink_ops recorder_file_ops = {
    .pack = file_pack,
    .bytes = file_bytes,
    .close = file_close,
};
