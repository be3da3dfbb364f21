/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Reads recordings.  A file can contain anything: each number is checked before it is used, and
 * data with a wrong checksum are not delivered.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <xensched/recording.h>

#include "pack.h"
#include "recording-format.h"

struct xensched_recording {
    FILE *file;
    char *path;
    struct xensched_recording_header header;
    uint64_t nr_chunks;       /* in the file so far */
    uint64_t offset;          /* in the file, of the current chunk */
    struct pack_bytes rows;   /* or other contents of the chunk */
    struct pack_bytes pack;   /* chunks to read before the next one of the file */
    size_t pack_at;
    char *host; /* the latest description; NULL: none */
    size_t host_length;
    uint64_t nr_hosts;
    struct xensched_source_info *sources[XENSCHED_MAX_SOURCES];
};

static int fail_damaged(const struct xensched_recording *r,
                        struct xensched_error *err, const char *what)
{
    return xensched_fail(err, EILSEQ, "'%s' is damaged at offset %llu: %s",
                         r->path, (unsigned long long)r->offset, what);
}

/* Reads all @length bytes, or returns an error that names the end of the file. */
static int get_bytes(struct xensched_recording *r, void *bytes, size_t length,
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
    if (!header->version || header->version > XENSCHED_RECORDING_VERSION)
        return xensched_fail(err, EPROTO, "'%s' has format version %u, this "
                             "program reads versions 1 to %u", r->path,
                             header->version, XENSCHED_RECORDING_VERSION);
    if (header->abi_version != XEN_SCHEDLOG_ABI_VERSION)
        return xensched_fail(err, EPROTO, "'%s' has rows of schedlog ABI version %u, this "
                             "program reads version %u: use the xensched that recorded it",
                             r->path, header->abi_version, XEN_SCHEDLOG_ABI_VERSION);
    if (header->crc != crc32(0, (const Bytef *)header,
                             offsetof(struct recording_header, crc)))
        return fail_damaged(r, err, "wrong checksum of the header");

    return 0;
}

/* Version 1 does not name the producer; nearly always it is Xen. */
static int add_only_source(struct xensched_recording *r,
                           struct xensched_error *err)
{
    struct xensched_source_info *info = calloc(1, sizeof(*info));

    if (!info)
        return xensched_fail(err, ENOMEM, "out of memory");
    info->kind = XENSCHED_KIND_HYPERVISOR;
    info->tsc_khz = r->header.tsc_khz;
    snprintf(info->name, sizeof(info->name), "hypervisor");
    r->sources[0] = info;

    return 0;
}

/* Reads @file with name @path; closes it in any case. */
static int open_file(FILE *file, const char *path,
                     struct xensched_recording **recording,
                     struct xensched_error *err)
{
    struct xensched_recording *r = calloc(1, sizeof(*r));
    struct recording_header header;
    int rc;

    if (r)
        r->path = strdup(path);
    if (!r || !r->path) {
        free(r);
        fclose(file);
        return xensched_fail(err, ENOMEM, "out of memory");
    }
    r->file = file;
    rc = get_bytes(r, &header, sizeof(header), 0, err);
    if (!rc)
        rc = check_header(r, &header, err);
    if (rc) {
        xensched_recording_close(r);
        return rc;
    }
    r->header = (struct xensched_recording_header){
        .version = header.version,
        .abi_version = header.abi_version,
        .tsc_khz = header.tsc_khz,
        .start_ns = header.start_ns,
        .start_tsc = header.version > 1 ? header.start_tsc : 0,
    };
    r->offset = sizeof(header);
    if (header.version == 1 && add_only_source(r, err)) {
        xensched_recording_close(r);
        return -ENOMEM;
    }
    *recording = r;

    return 0;
}

int xensched_recording_open(const char *path,
                            struct xensched_recording **recording,
                            struct xensched_error *err)
{
    FILE *file = fopen(path, "re");

    if (!file)
        return xensched_fail(err, errno, "cannot open '%s': %s", path,
                             strerror(errno));

    return open_file(file, path, recording, err);
}

const struct xensched_recording_header *
xensched_recording_header(const struct xensched_recording *recording)
{
    return &recording->header;
}

uint64_t xensched_recording_tsc_khz(const struct xensched_recording *recording)
{
    return recording->header.tsc_khz;
}

const char *xensched_kind_name(enum xensched_kind kind)
{
    static const char *const names[] = {
        [XENSCHED_KIND_HYPERVISOR] = "hypervisor",
        [XENSCHED_KIND_LINUX] = "linux",
        [XENSCHED_KIND_DRIVER] = "driver",
        [XENSCHED_KIND_GUEST] = "guest",
    };

    return kind < XENSCHED_NR_KINDS ? names[kind] : NULL;
}

static uint32_t chunk_checksum(const struct recording_chunk *chunk,
                               const uint8_t *bytes)
{
    uint32_t crc = crc32(0, (const Bytef *)chunk,
                         offsetof(struct recording_chunk, crc));

    return chunk->length ? crc32(crc, bytes, chunk->length) : crc;
}

/* Reads header and contents of the next chunk of the file, and checks their checksum. */
static int get_chunk(struct xensched_recording *r,
                     struct recording_chunk *chunk, struct xensched_error *err)
{
    int rc;

    rc = get_bytes(r, chunk, sizeof(*chunk), r->offset, err);
    if (rc)
        return rc;
    if (chunk->magic != RECORDING_CHUNK)
        return fail_damaged(r, err, "no chunk begins here");
    if (chunk->length > XEN_SCHEDLOG_MAX_FILE_SIZE)
        return fail_damaged(r, err, "impossible length of a chunk");

    rc = pack_reserve(&r->rows, chunk->length, err);
    if (!rc)
        rc = get_bytes(r, r->rows.bytes, chunk->length, r->offset + sizeof(*chunk),
                       err);
    if (rc)
        return rc;
    if (chunk_checksum(chunk, r->rows.bytes) != chunk->crc)
        return fail_damaged(r, err, "wrong checksum of a chunk");

    return 0;
}

static int end_of_file(const struct xensched_recording *r,
                       const struct recording_chunk *chunk, struct xensched_error *err)
{
    if (chunk->pos != r->nr_chunks)
        return fail_damaged(r, err, "chunks before the end mark are missing");
    if (fgetc(r->file) != EOF)
        return fail_damaged(r, err, "something follows the end mark");

    return 0;
}

/* Makes the contents of a pack the next chunks. */
static int unpack_chunk(struct xensched_recording *r,
                        const struct recording_chunk *chunk,
                        struct xensched_error *err)
{
    int rc;

    if (chunk->pos > RECORDING_MAX_PACK)
        return fail_damaged(r, err, "impossible length of what a pack holds");
    rc = pack_expand(r->rows.bytes, chunk->length, chunk->pos, &r->pack, err);
    if (rc == -EILSEQ)
        return fail_damaged(r, err, "a pack that cannot be decompressed");
    r->pack_at = 0;

    return rc;
}

/* Returns the next chunk of the pack, which the pack's checksum covers. */
static int get_packed(struct xensched_recording *r,
                      struct recording_chunk *chunk, const uint8_t **bytes,
                      struct xensched_error *err)
{
    size_t left = r->pack.length - r->pack_at;

    if (left < sizeof(*chunk))
        return fail_damaged(r, err, "a pack ends within a chunk");
    memcpy(chunk, r->pack.bytes + r->pack_at, sizeof(*chunk));
    left -= sizeof(*chunk);
    if (chunk->magic != RECORDING_CHUNK || chunk->length > left ||
        chunk->length > XEN_SCHEDLOG_MAX_FILE_SIZE ||
        chunk->type == RECORDING_END || chunk->type == RECORDING_PACK)
        return fail_damaged(r, err, "an impossible chunk in a pack");
    *bytes = r->pack.bytes + r->pack_at + sizeof(*chunk);
    r->pack_at += sizeof(*chunk) + chunk->length;

    return 0;
}

static int read_rows(const struct xensched_recording *r,
                     const struct recording_chunk *chunk, const uint8_t *bytes,
                     struct xensched_batch *batch, struct xensched_error *err)
{
    memset(batch, 0, sizeof(*batch));
    xensched_layout(chunk->lcr, &batch->layout);
    if (chunk->length &&
        (!batch->layout.size || chunk->length % batch->layout.size))
        return fail_damaged(r, err, "a chunk which is not made of whole rows");

    batch->source = r->header.version > 1 ? chunk->source : 0;
    batch->cpu = chunk->cpu;
    batch->file = chunk->file;
    batch->pos = chunk->pos;
    batch->lost_bytes = chunk->lost_bytes;
    batch->lost_rows = chunk->lost_rows;
    batch->time_ns = chunk->time_ns;
    batch->rows = bytes;
    batch->length = chunk->length;

    return 0;
}

static int read_host(struct xensched_recording *r,
                     const struct recording_chunk *chunk, const uint8_t *bytes,
                     struct xensched_error *err)
{
    char *text = malloc(chunk->length + 1);

    if (!text)
        return xensched_fail(err, ENOMEM, "out of memory");
    if (chunk->length)
        memcpy(text, bytes, chunk->length);
    text[chunk->length] = '\0';
    free(r->host);
    r->host = text;
    r->host_length = chunk->length;
    r->nr_hosts++;

    return 0;
}

/* Terminates the text and replaces control characters; a name may have any other bytes. */
static void make_text(char *text, size_t size)
{
    size_t i;

    text[size - 1] = '\0';
    for (i = 0; text[i]; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            text[i] = '?';
}

static int read_source(struct xensched_recording *r,
                       const struct recording_chunk *chunk, const uint8_t *bytes,
                       struct xensched_source_info *info,
                       struct xensched_error *err)
{
    struct recording_source s;
    size_t name = chunk->length - offsetof(struct recording_source, name);

    if (chunk->length < sizeof(s) || chunk->source >= XENSCHED_MAX_SOURCES)
        return fail_damaged(r, err, "an impossible source");
    memcpy(&s, bytes, sizeof(s));
    if (s.kind >= XENSCHED_NR_KINDS)
        return fail_damaged(r, err, "a source of an unknown kind");
    *info = (struct xensched_source_info){
        .id = chunk->source,
        .kind = s.kind,
        .domid = s.domid,
        .tsc_khz = s.tsc_khz,
    };
    memcpy(info->uuid, s.uuid, sizeof(info->uuid));
    memcpy(info->name, bytes + offsetof(struct recording_source, name),
           name < sizeof(info->name) ? name : sizeof(info->name));
    make_text(info->uuid, sizeof(info->uuid));
    make_text(info->name, sizeof(info->name));
    if (!r->sources[info->id])
        r->sources[info->id] = malloc(sizeof(*info));
    if (!r->sources[info->id])
        return xensched_fail(err, ENOMEM, "out of memory");
    *r->sources[info->id] = *info;

    return 0;
}

static int clock_of(const struct xensched_recording *r,
                    const struct recording_chunk *chunk, const uint8_t *bytes,
                    struct xensched_clock *clock, struct xensched_error *err)
{
    struct recording_clock c;

    if (chunk->length < sizeof(c) || chunk->source >= XENSCHED_MAX_SOURCES)
        return fail_damaged(r, err, "an impossible clock");
    memcpy(&c, bytes, sizeof(c));
    if (c.vcpu >= XENSCHED_MAX_VCPUS)
        return fail_damaged(r, err, "the clock of an impossible vCPU");
    *clock = (struct xensched_clock){
        .vcpu = c.vcpu,
        .flags = c.flags,
        .host_tsc = c.host_tsc,
        .guest_tsc = c.guest_tsc,
        .host_khz = c.host_khz,
        .guest_khz = c.guest_khz,
        .error = c.error,
    };

    return 0;
}

/* Returns 1 for a record, 0 for a chunk to skip. */
static int parse_chunk(struct xensched_recording *r,
                       const struct recording_chunk *chunk,
                       const uint8_t *bytes, struct xensched_record *record,
                       struct xensched_error *err)
{
    int rc = 0;

    record->time_ns = chunk->time_ns;
    record->source = r->header.version > 1 ? chunk->source : 0;
    record->what = XENSCHED_RECORDED_ROWS;
    switch (chunk->type) {
    case RECORDING_ROWS:
        rc = read_rows(r, chunk, bytes, &record->batch, err);
        break;
    case RECORDING_HOST:
        record->what = XENSCHED_RECORDED_HOST;
        rc = read_host(r, chunk, bytes, err);
        break;
    case RECORDING_SOURCE:
        record->what = XENSCHED_RECORDED_SOURCE;
        rc = read_source(r, chunk, bytes, &record->info, err);
        break;
    case RECORDING_CLOCK:
        record->what = XENSCHED_RECORDED_CLOCK;
        rc = clock_of(r, chunk, bytes, &record->clock, err);
        break;
    case RECORDING_SYSTEM_TIME:
        record->what = XENSCHED_RECORDED_SYSTEM_TIME;
        rc = clock_of(r, chunk, bytes, &record->clock, err);
        break;
    case RECORDING_ROUND:
        record->what = XENSCHED_RECORDED_ROUND;
        record->host_tsc = chunk->pos;
        break;
    default:
        return 0;
    }

    return rc ? rc : 1;
}

/* Reads the next chunk of the file.  Returns as xensched_recording_read(), or 2. */
static int read_file(struct xensched_recording *r,
                     struct xensched_record *record,
                     struct xensched_error *err)
{
    struct recording_chunk chunk;
    int rc = get_chunk(r, &chunk, err);

    if (rc)
        return rc;
    if (chunk.type == RECORDING_END)
        return end_of_file(r, &chunk, err);
    if (chunk.type == RECORDING_PACK)
        rc = unpack_chunk(r, &chunk, err);
    else
        rc = parse_chunk(r, &chunk, r->rows.bytes, record, err);
    if (rc < 0)
        return rc;
    r->nr_chunks++;
    r->offset += sizeof(chunk) + chunk.length;

    return rc ? rc : 2;
}

int xensched_recording_read(struct xensched_recording *r,
                            struct xensched_record *record,
                            struct xensched_error *err)
{
    struct recording_chunk chunk;
    const uint8_t *bytes = NULL;
    int rc;

    do {
        if (r->pack_at == r->pack.length) {
            rc = read_file(r, record, err);
        } else {
            rc = get_packed(r, &chunk, &bytes, err);
            if (!rc)
                rc = parse_chunk(r, &chunk, bytes, record, err);
            if (!rc)
                rc = 2;
        }
    } while (rc == 2);

    return rc;
}

int xensched_recording_next(struct xensched_recording *r,
                            struct xensched_batch *batch,
                            struct xensched_error *err)
{
    struct xensched_record record;
    int rc;

    while ((rc = xensched_recording_read(r, &record, err)) == 1) {
        if (record.what == XENSCHED_RECORDED_ROWS) {
            *batch = record.batch;
            return 1;
        }
        if (record.what == XENSCHED_RECORDED_HOST) {
            memset(batch, 0, sizeof(*batch));
            xensched_layout(0, &batch->layout);
            batch->time_ns = record.time_ns;
            return 1;
        }
    }

    return rc;
}

const struct xensched_source_info *
xensched_recording_source(const struct xensched_recording *r, uint32_t id)
{
    return id < XENSCHED_MAX_SOURCES ? r->sources[id] : NULL;
}

uint64_t xensched_recording_host(const struct xensched_recording *r,
                                 const char **text, size_t *length)
{
    *text = r->host;
    *length = r->host_length;

    return r->nr_hosts;
}

void xensched_recording_close(struct xensched_recording *r)
{
    size_t i;

    if (!r)
        return;
    if (r->file)
        fclose(r->file);
    for (i = 0; i < XENSCHED_MAX_SOURCES; i++)
        free(r->sources[i]);
    pack_free(&r->rows);
    pack_free(&r->pack);
    free(r->host);
    free(r->path);
    free(r);
}
