/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The flight recorder: keeps the latest packs in memory.
 *
 * It keeps parts of dropped packs that later rows need: the sources, and the latest state of their
 * clocks and of the host.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder-sink.h"

struct kept_pack {
    struct kept_pack *next;
    uint64_t time_ns;
    struct pack_bytes chunks;     /* those that later rows need */
    struct pack_bytes compressed; /* all chunks */
    size_t expanded;              /* size of all chunks, in bytes */
};

/* A chunk that replaces all earlier ones of its kind. */
struct latest {
    struct recording_chunk chunk;
    uint8_t *bytes;
};

struct ring_sink {
    struct recording_header header;
    uint64_t max_bytes, max_ns; /* 0: no limit */
    uint64_t bytes;             /* size of all packs */
    struct kept_pack *oldest, *newest;
    struct latest *latest;
    size_t nr_latest;
};

static bool is_needed_later(uint32_t type)
{
    return type == RECORDING_SOURCE || type == RECORDING_CLOCK ||
           type == RECORDING_HOST;
}

/* Returns the chunk at *at and advances *at.  The data are our own, and valid. */
static const uint8_t *next_chunk(const struct pack_bytes *b, size_t *at,
                                 struct recording_chunk *chunk)
{
    const uint8_t *bytes = b->bytes + *at + sizeof(*chunk);

    if (*at >= b->length)
        return NULL;
    memcpy(chunk, b->bytes + *at, sizeof(*chunk));
    *at += sizeof(*chunk) + chunk->length;

    return bytes;
}

static int keep_needed(struct pack_bytes *to, const struct pack_bytes *from,
                       struct xensched_error *err)
{
    struct recording_chunk chunk;
    const uint8_t *bytes;
    size_t at = 0;
    int rc = 0;

    while (!rc && (bytes = next_chunk(from, &at, &chunk)))
        if (is_needed_later(chunk.type))
            rc = pack_append(to, bytes - sizeof(chunk),
                             sizeof(chunk) + chunk.length, err);

    return rc;
}

static struct latest *find_latest(struct ring_sink *s,
                                  const struct recording_chunk *chunk,
                                  struct xensched_error *err)
{
    struct latest *l;
    size_t i;

    for (i = 0; i < s->nr_latest; i++) {
        l = &s->latest[i];
        if (l->chunk.type == chunk->type && l->chunk.cpu == chunk->cpu &&
            l->chunk.source == chunk->source)
            return l;
    }
    l = realloc(s->latest, (s->nr_latest + 1) * sizeof(*l));
    if (!l) {
        xensched_fail(err, ENOMEM, "out of memory");
        return NULL;
    }
    s->latest = l;
    l += s->nr_latest++;
    memset(l, 0, sizeof(*l));

    return l;
}

static int make_latest(struct ring_sink *s, const struct pack_bytes *chunks,
                       struct xensched_error *err)
{
    struct recording_chunk chunk;
    const uint8_t *bytes;
    struct latest *l;
    uint8_t *copy;
    size_t at = 0;

    while ((bytes = next_chunk(chunks, &at, &chunk))) {
        l = find_latest(s, &chunk, err);
        if (!l)
            return -ENOMEM;
        copy = realloc(l->bytes, chunk.length + 1);
        if (!copy)
            return xensched_fail(err, ENOMEM, "out of memory");
        memcpy(copy, bytes, chunk.length);
        l->bytes = copy;
        l->chunk = chunk;
    }

    return 0;
}

static void free_pack(struct kept_pack *p)
{
    pack_free(&p->chunks);
    pack_free(&p->compressed);
    free(p);
}

static uint64_t bytes_of(const struct kept_pack *p)
{
    return sizeof(*p) + p->chunks.length + p->compressed.length;
}

static int drop_oldest(struct ring_sink *s, struct xensched_error *err)
{
    struct kept_pack *p = s->oldest;
    int rc = make_latest(s, &p->chunks, err);

    s->bytes -= bytes_of(p);
    s->oldest = p->next;
    free_pack(p);

    return rc;
}

/* The latest pack always stays. */
static bool is_too_much(const struct ring_sink *s)
{
    return s->oldest != s->newest &&
           ((s->max_bytes && s->bytes > s->max_bytes) ||
            (s->max_ns && s->oldest->next->time_ns + s->max_ns <=
             s->newest->time_ns));
}

static int ring_pack(void *sink, uint64_t time_ns,
                     const struct pack_bytes *chunks,
                     const struct pack_bytes *compressed,
                     struct xensched_error *err)
{
    struct kept_pack *p = calloc(1, sizeof(*p));
    struct ring_sink *s = sink;
    int rc;

    if (!p)
        return xensched_fail(err, ENOMEM, "out of memory");
    p->time_ns = time_ns;
    p->expanded = chunks->length;
    rc = keep_needed(&p->chunks, chunks, err);
    if (!rc)
        rc = pack_append(&p->compressed, compressed->bytes,
                         compressed->length, err);
    if (rc) {
        free_pack(p);
        return rc;
    }
    if (s->oldest)
        s->newest->next = p;
    else
        s->oldest = p;
    s->newest = p;
    s->bytes += bytes_of(p);
    while (!rc && is_too_much(s))
        rc = drop_oldest(s, err);

    return rc;
}

static uint64_t ring_bytes(const void *sink)
{
    return ((const struct ring_sink *)sink)->bytes;
}

/* Writes the first pack of a file, which the others need. */
static int save_latest(const struct ring_sink *s, void *file,
                       struct xensched_error *err)
{
    struct pack_bytes chunks = { 0 }, compressed = { 0 };
    size_t i;
    int rc = 0;

    for (i = 0; !rc && i < s->nr_latest; i++) {
        const struct latest *l = &s->latest[i];

        rc = pack_append(&chunks, &l->chunk, sizeof(l->chunk), err);
        if (!rc)
            rc = pack_append(&chunks, l->bytes, l->chunk.length, err);
    }
    if (!rc && chunks.length) {
        rc = pack_compress(&chunks, &compressed, err);
        if (!rc)
            rc = recorder_file_ops.pack(file, 0, &chunks, &compressed, err);
    }
    pack_free(&chunks);
    pack_free(&compressed);

    return rc;
}

static int write_to(const struct ring_sink *s, const char *path,
                    struct xensched_error *err)
{
    const struct kept_pack *p;
    struct pack_bytes all = { 0 };
    void *file;
    int rc, close_rc;

    rc = recorder_file_open(path, &s->header, &file, err);
    if (rc)
        return rc;
    rc = save_latest(s, file, err);
    for (p = s->oldest; !rc && p; p = p->next) {
        all.length = p->expanded;
        rc = recorder_file_ops.pack(file, p->time_ns, &all, &p->compressed,
                                    err);
    }
    close_rc = recorder_file_ops.close(file, !rc, rc ? NULL : err);

    return rc ? rc : close_rc;
}

/* A pipe, for example, cannot be replaced. */
static bool is_replaceable(const char *path)
{
    struct stat st;

    return stat(path, &st) ? errno == ENOENT : S_ISREG(st.st_mode);
}

/* If the disk is full, the previous snapshot stays. */
static int ring_save(void *sink, const char *path, struct xensched_error *err)
{
    char *aside;
    int rc;

    if (!is_replaceable(path))
        return write_to(sink, path, err);
    if (asprintf(&aside, "%s.new", path) < 0)
        return xensched_fail(err, ENOMEM, "out of memory");
    rc = write_to(sink, aside, err);
    if (!rc && rename(aside, path))
        rc = xensched_fail(err, errno, "cannot rename '%s' to '%s': %s", aside,
                           path, strerror(errno));
    if (rc)
        unlink(aside);
    free(aside);

    return rc;
}

static int ring_close(void *sink, bool complete, struct xensched_error *err)
{
    struct ring_sink *s = sink;
    struct kept_pack *next;
    size_t i;

    (void)complete;
    (void)err;
    while (s->oldest) {
        next = s->oldest->next;
        free_pack(s->oldest);
        s->oldest = next;
    }
    for (i = 0; i < s->nr_latest; i++)
        free(s->latest[i].bytes);
    free(s->latest);
    free(s);

    return 0;
}

int recorder_ring_open(uint64_t bytes, double seconds,
                       const struct recording_header *header, void **sink,
                       struct xensched_error *err)
{
    struct ring_sink *s = calloc(1, sizeof(*s));

    if (!s)
        return xensched_fail(err, ENOMEM, "out of memory");
    s->header = *header;
    s->max_bytes = bytes;
    s->max_ns = seconds * 1e9;
    *sink = s;

    return 0;
}

const struct recorder_sink_ops recorder_ring_ops = {
    .pack = ring_pack,
    .bytes = ring_bytes,
    .save = ring_save,
    .close = ring_close,
};
