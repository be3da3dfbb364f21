/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * recording.c - reads recordings; see xensched/recording.h.
 *
 * A file can be anything: each number in it is checked before it is used, and
 * nothing is delivered whose checksum is wrong.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <xensched/recording.h>

#include "recording-format.h"

struct xensched_recording {
    FILE *file;
    char *path;
    uint64_t tsc_khz;
    uint64_t nr_chunks;
    uint64_t offset; /* of the chunk which is read */
    uint8_t *rows; /* or whatever the chunk holds */
    size_t room;
    char *host; /* the latest; NULL: none */
    size_t host_length;
    uint64_t nr_hosts;
};

static int damaged(const struct xensched_recording *r,
                   struct xensched_error *err, const char *what)
{
    return xensched_fail(err, EILSEQ, "'%s' is damaged at offset %llu: %s",
                         r->path, (unsigned long long)r->offset, what);
}

/* All @length bytes, or an error which says where the file ends. */
static int get(struct xensched_recording *r, void *bytes, size_t length,
               uint64_t offset, struct xensched_error *err)
{
    size_t got = fread(bytes, 1, length, r->file);

    if (got == length)
        return 0;
    if (ferror(r->file))
        return xensched_fail(err, EIO, "cannot read '%s' at offset %llu",
                             r->path, (unsigned long long)offset);

    return xensched_fail(err, ENODATA,
                         "'%s' is cut off at offset %llu: the recording has "
                         "no end mark", r->path,
                         (unsigned long long)(offset + got));
}

static int check_header(struct xensched_recording *r,
                        const struct recording_header *header,
                        struct xensched_error *err)
{
    if (memcmp(header->magic, RECORDING_MAGIC, sizeof(header->magic)))
        return xensched_fail(err, EINVAL, "'%s' is not a recording", r->path);
    if (header->byte_order != RECORDING_BYTE_ORDER)
        return xensched_fail(err, EPROTO, "'%s' was recorded on a machine of "
                             "the other byte order", r->path);
    if (header->version != XENSCHED_RECORDING_VERSION)
        return xensched_fail(err, EPROTO, "'%s' has format version %u, this "
                             "program reads version %u", r->path,
                             header->version, XENSCHED_RECORDING_VERSION);
    if (header->abi_version != XEN_SCHEDLOG_ABI_VERSION)
        return xensched_fail(err, EPROTO, "'%s' has rows of schedlog ABI "
                             "version %u, this program knows version %u",
                             r->path, header->abi_version,
                             XEN_SCHEDLOG_ABI_VERSION);
    if (header->crc != crc32(0, (const Bytef *)header,
                             offsetof(struct recording_header, crc)))
        return damaged(r, err, "wrong checksum of the header");

    return 0;
}

int xensched_recording_open(const char *path,
                            struct xensched_recording **recording,
                            struct xensched_error *err)
{
    struct xensched_recording *r = calloc(1, sizeof(*r));
    struct recording_header header;
    int rc;

    if (!r)
        return xensched_fail(err, ENOMEM, "out of memory");
    r->path = strdup(path);
    if (!r->path) {
        rc = xensched_fail(err, ENOMEM, "out of memory");
        goto fail;
    }
    r->file = fopen(path, "re");
    if (!r->file) {
        rc = xensched_fail(err, errno, "cannot open '%s': %s", path,
                           strerror(errno));
        goto fail;
    }
    rc = get(r, &header, sizeof(header), 0, err);
    if (!rc)
        rc = check_header(r, &header, err);
    if (rc)
        goto fail;
    r->tsc_khz = header.tsc_khz;
    r->offset = sizeof(header);
    *recording = r;

    return 0;

fail:
    xensched_recording_close(r);
    return rc;
}

uint64_t xensched_recording_tsc_khz(const struct xensched_recording *recording)
{
    return recording->tsc_khz;
}

static int make_room(struct xensched_recording *r, size_t length,
                     struct xensched_error *err)
{
    uint8_t *rows;

    if (length <= r->room)
        return 0;
    rows = realloc(r->rows, length);
    if (!rows)
        return xensched_fail(err, ENOMEM, "out of memory");
    r->rows = rows;
    r->room = length;

    return 0;
}

/* Header and contents of the next chunk, with the right checksum. */
static int get_chunk(struct xensched_recording *r,
                     struct recording_chunk *chunk, struct xensched_error *err)
{
    uint32_t crc;
    int rc;

    rc = get(r, chunk, sizeof(*chunk), r->offset, err);
    if (rc)
        return rc;
    if (chunk->magic != RECORDING_CHUNK)
        return damaged(r, err, "no chunk begins here");
    if (chunk->length > XEN_SCHEDLOG_MAX_FILE_SIZE)
        return damaged(r, err, "impossible length of a chunk");

    rc = make_room(r, chunk->length, err);
    if (!rc)
        rc = get(r, r->rows, chunk->length, r->offset + sizeof(*chunk), err);
    if (rc)
        return rc;

    crc = crc32(0, (const Bytef *)chunk, offsetof(struct recording_chunk, crc));
    if (chunk->length)
        crc = crc32(crc, r->rows, chunk->length);
    if (crc != chunk->crc)
        return damaged(r, err, "wrong checksum of a chunk");

    return 0;
}

static int end(const struct xensched_recording *r,
               const struct recording_chunk *chunk, struct xensched_error *err)
{
    if (chunk->pos != r->nr_chunks)
        return damaged(r, err, "chunks before the end mark are missing");
    if (fgetc(r->file) != EOF)
        return damaged(r, err, "something follows the end mark");

    return 0;
}

static int rows(const struct xensched_recording *r,
                const struct recording_chunk *chunk,
                struct xensched_batch *batch, struct xensched_error *err)
{
    memset(batch, 0, sizeof(*batch));
    xensched_layout(chunk->lcr, &batch->layout);
    if (chunk->length &&
        (!batch->layout.size || chunk->length % batch->layout.size))
        return damaged(r, err, "a chunk which is not made of whole rows");

    batch->cpu = chunk->cpu;
    batch->file = chunk->file;
    batch->pos = chunk->pos;
    batch->lost_bytes = chunk->lost_bytes;
    batch->lost_rows = chunk->lost_rows;
    batch->time_ns = chunk->time_ns;
    batch->rows = r->rows;
    batch->length = chunk->length;

    return 1;
}

/* A batch without rows says when the host changed. */
static int host(struct xensched_recording *r,
                const struct recording_chunk *chunk,
                struct xensched_batch *batch, struct xensched_error *err)
{
    char *text = malloc(chunk->length + 1);

    if (!text)
        return xensched_fail(err, ENOMEM, "out of memory");
    if (chunk->length)
        memcpy(text, r->rows, chunk->length);
    text[chunk->length] = '\0';
    free(r->host);
    r->host = text;
    r->host_length = chunk->length;
    r->nr_hosts++;
    memset(batch, 0, sizeof(*batch));
    xensched_layout(0, &batch->layout);
    batch->time_ns = chunk->time_ns;

    return 1;
}

uint64_t xensched_recording_host(const struct xensched_recording *r,
                                 const char **text, size_t *length)
{
    *text = r->host;
    *length = r->host_length;

    return r->nr_hosts;
}

int xensched_recording_next(struct xensched_recording *r,
                            struct xensched_batch *batch,
                            struct xensched_error *err)
{
    struct recording_chunk chunk;
    int rc;

    for (;;) {
        rc = get_chunk(r, &chunk, err);
        if (rc)
            return rc;
        if (chunk.type == RECORDING_END)
            return end(r, &chunk, err);
        if (chunk.type == RECORDING_ROWS)
            rc = rows(r, &chunk, batch, err);
        else if (chunk.type == RECORDING_HOST)
            rc = host(r, &chunk, batch, err);
        if (rc < 0)
            return rc;
        r->nr_chunks++;
        r->offset += sizeof(chunk) + chunk.length;
        if (rc)
            return rc;
    }
}

void xensched_recording_close(struct xensched_recording *r)
{
    if (!r)
        return;
    if (r->file)
        fclose(r->file);
    free(r->rows);
    free(r->host);
    free(r->path);
    free(r);
}
