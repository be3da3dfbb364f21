/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Makes recordings.  Collects chunks and compresses them as a pack, because small chunks compress
 * badly on their own.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include <xensched/recording.h>

#include "recorder-sink.h"

/* A pack is made when it has this size or its oldest chunk this age. */
#define PACK_BYTES (1U << 20)
#define PACK_NS    100000000ULL

struct xensched_recorder {
    const struct recorder_sink_ops *ops;
    void *sink;
    struct pack_bytes chunks, compressed;
    uint64_t begin_ns; /* time of the first chunk */
    struct xensched_error failure; /* the first error; code 0: none */
};

static int fail_again(const struct xensched_recorder *r,
                      struct xensched_error *err)
{
    if (err)
        *err = r->failure;

    return r->failure.code;
}

static int flush_rows(struct xensched_recorder *r, struct xensched_error *err)
{
    int rc;

    if (r->failure.code)
        return fail_again(r, err);
    if (!r->chunks.length)
        return 0;
    rc = pack_compress(&r->chunks, &r->compressed, &r->failure);
    if (!rc)
        rc = r->ops->pack(r->sink, r->begin_ns, &r->chunks, &r->compressed,
                          &r->failure);
    r->chunks.length = 0;

    return rc ? fail_again(r, err) : 0;
}

static int put_chunk(struct xensched_recorder *r,
                     struct recording_chunk *chunk, const void *bytes,
                     struct xensched_error *err)
{
    size_t size = sizeof(*chunk) + chunk->length;
    int rc = 0;

    if (r->failure.code)
        return fail_again(r, err);
    if (r->chunks.length + size > RECORDING_MAX_PACK)
        rc = flush_rows(r, err);
    if (!r->chunks.length)
        r->begin_ns = chunk->time_ns;
    chunk->magic = RECORDING_CHUNK;
    if (!rc)
        rc = pack_append(&r->chunks, chunk, sizeof(*chunk), err);
    if (!rc)
        rc = pack_append(&r->chunks, bytes, chunk->length, err);
    if (!rc && r->chunks.length >= PACK_BYTES)
        rc = flush_rows(r, err);

    return rc;
}

static int open_with(struct xensched_recorder *recorder, int rc,
                     const struct recorder_sink_ops *ops, void *sink,
                     struct xensched_recorder **out)
{
    if (rc) {
        free(recorder);
        return rc;
    }
    recorder->ops = ops;
    recorder->sink = sink;
    *out = recorder;

    return 0;
}

static void make_header(struct recording_header *header, uint64_t tsc_khz,
                        uint64_t start_tsc)
{
    struct timespec now;

    *header = (struct recording_header){
        .magic = RECORDING_MAGIC,
        .byte_order = RECORDING_BYTE_ORDER,
        .version = XENSCHED_RECORDING_VERSION,
        .abi_version = XEN_SCHEDLOG_ABI_VERSION,
        .tsc_khz = tsc_khz,
        .start_tsc = start_tsc,
    };
    clock_gettime(CLOCK_REALTIME, &now);
    header->start_ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
    header->crc = crc32(0, (const Bytef *)header,
                        offsetof(struct recording_header, crc));
}

int xensched_recorder_open(const char *path, uint64_t tsc_khz,
                           uint64_t start_tsc,
                           struct xensched_recorder **recorder,
                           struct xensched_error *err)
{
    struct xensched_recorder *r = calloc(1, sizeof(*r));
    struct recording_header header;
    void *sink = NULL;
    int rc;

    if (!r)
        return xensched_fail(err, ENOMEM, "out of memory");
    make_header(&header, tsc_khz, start_tsc);
    rc = recorder_file_open(path, &header, &sink, err);

    return open_with(r, rc, &recorder_file_ops, sink, recorder);
}

int xensched_recorder_open_ring(uint64_t bytes, double seconds,
                                uint64_t tsc_khz, uint64_t start_tsc,
                                struct xensched_recorder **recorder,
                                struct xensched_error *err)
{
    struct xensched_recorder *r = calloc(1, sizeof(*r));
    struct recording_header header;
    void *sink = NULL;
    int rc;

    if (!r)
        return xensched_fail(err, ENOMEM, "out of memory");
    make_header(&header, tsc_khz, start_tsc);
    rc = recorder_ring_open(bytes, seconds, &header, &sink, err);

    return open_with(r, rc, &recorder_ring_ops, sink, recorder);
}

int xensched_recorder_save(struct xensched_recorder *r, const char *path,
                           struct xensched_error *err)
{
    int rc = flush_rows(r, err);

    if (rc)
        return rc;
    if (!r->ops->save)
        return xensched_fail(err, EINVAL, "the recording is in a file already");

    return r->ops->save(r->sink, path, err);
}

#define NAME_AT offsetof(struct recording_source, name)

int xensched_recorder_source(struct xensched_recorder *r, uint64_t time_ns,
                             const struct xensched_source_info *info,
                             struct xensched_error *err)
{
    union {
        struct recording_source source;
        char bytes[NAME_AT + sizeof(info->name)];
    } c = {
        .source = {
            .kind = info->kind,
            .domid = info->domid,
            .tsc_khz = info->tsc_khz,
        },
    };
    size_t name = strlen(info->name);
    struct recording_chunk chunk = {
        .type = RECORDING_SOURCE,
        .length = sizeof(c.source),
        .time_ns = time_ns,
        .source = info->id,
    };

    snprintf(c.source.uuid, sizeof(c.source.uuid), "%s", info->uuid);
    memcpy(c.bytes + NAME_AT, info->name, name);
    if (chunk.length < NAME_AT + name)
        chunk.length = NAME_AT + name;

    return put_chunk(r, &chunk, &c, err);
}

static int put_clock(struct xensched_recorder *r, enum recording_type type,
                     uint64_t time_ns, uint32_t source,
                     const struct xensched_clock *clock,
                     struct xensched_error *err)
{
    struct recording_clock c = {
        .vcpu = clock->vcpu,
        .flags = clock->flags,
        .host_tsc = clock->host_tsc,
        .guest_tsc = clock->guest_tsc,
        .host_khz = clock->host_khz,
        .guest_khz = clock->guest_khz,
        .error = clock->error,
    };
    struct recording_chunk chunk = {
        .type = type,
        .length = sizeof(c),
        .cpu = clock->vcpu,
        .time_ns = time_ns,
        .source = source,
    };

    return put_chunk(r, &chunk, &c, err);
}

int xensched_recorder_clock(struct xensched_recorder *r, uint64_t time_ns,
                            uint32_t source,
                            const struct xensched_clock *clock,
                            struct xensched_error *err)
{
    return put_clock(r, RECORDING_CLOCK, time_ns, source, clock, err);
}

int xensched_recorder_system_time(struct xensched_recorder *r, uint64_t time_ns,
                                  const struct xensched_clock *clock,
                                  struct xensched_error *err)
{
    return put_clock(r, RECORDING_SYSTEM_TIME, time_ns, 0, clock, err);
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
        .source = batch->source,
    };

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

    if (length > XEN_SCHEDLOG_MAX_FILE_SIZE)
        return xensched_fail(err, E2BIG, "the description of the host does not fit into a "
                             "recording");

    return put_chunk(r, &chunk, text, err);
}

int xensched_recorder_round(struct xensched_recorder *r, uint64_t time_ns,
                            uint64_t host_tsc, struct xensched_error *err)
{
    struct recording_chunk chunk = {
        .type = RECORDING_ROUND,
        .pos = host_tsc,
        .time_ns = time_ns,
    };
    int rc = put_chunk(r, &chunk, NULL, err);

    if (!rc && time_ns - r->begin_ns >= PACK_NS)
        rc = flush_rows(r, err);

    return rc;
}

uint64_t xensched_recorder_bytes(const struct xensched_recorder *r)
{
    return r->ops->bytes(r->sink);
}

int xensched_recorder_close(struct xensched_recorder *r,
                            struct xensched_error *err)
{
    struct xensched_error close_err;
    int rc = 0, close_rc;

    if (!r->failure.code)
        rc = flush_rows(r, err);
    close_rc = r->ops->close(r->sink, !r->failure.code, &close_err);
    if (!rc && close_rc) {
        rc = close_rc;
        if (err)
            *err = close_err;
    }
    pack_free(&r->chunks);
    pack_free(&r->compressed);
    free(r);

    return rc;
}
