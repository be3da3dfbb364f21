/* SPDX-License-Identifier: LGPL-2.1-only */
/* Compresses and expands packs of a recording. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "pack.h"

/* The fastest level; it finds the repetitions of rows. */
#define LEVEL 1

int pack_reserve(struct pack_bytes *b, size_t room, struct xensched_error *err)
{
    uint8_t *bytes;

    if (room <= b->room)
        return 0;
    bytes = realloc(b->bytes, room);
    if (!bytes)
        return xensched_fail(err, ENOMEM, "out of memory");
    b->bytes = bytes;
    b->room = room;

    return 0;
}

int pack_append(struct pack_bytes *b, const void *bytes, size_t length,
                struct xensched_error *err)
{
    size_t need = b->length + length;
    int rc = 0;

    if (need > b->room)
        rc = pack_reserve(b, need + need / 2, err);
    if (rc || !length)
        return rc;
    memcpy(b->bytes + b->length, bytes, length);
    b->length = need;

    return 0;
}

void pack_free(struct pack_bytes *b)
{
    free(b->bytes);
    memset(b, 0, sizeof(*b));
}

int pack_compress(const struct pack_bytes *from, struct pack_bytes *to,
                  struct xensched_error *err)
{
    size_t got;
    int rc = pack_reserve(to, ZSTD_compressBound(from->length), err);

    if (rc)
        return rc;
    got = ZSTD_compress(to->bytes, to->room, from->bytes, from->length, LEVEL);
    if (ZSTD_isError(got))
        return xensched_fail(err, ENOMEM, "cannot compress rows: %s",
                             ZSTD_getErrorName(got));
    to->length = got;

    return 0;
}

int pack_expand(const void *from, size_t length, size_t expected,
                struct pack_bytes *to, struct xensched_error *err)
{
    size_t got;
    int rc;

    if (ZSTD_getFrameContentSize(from, length) != expected)
        return -EILSEQ;
    rc = pack_reserve(to, expected, err);
    if (rc)
        return rc;
    got = ZSTD_decompress(to->bytes, expected, from, length);
    if (ZSTD_isError(got) || got != expected)
        return -EILSEQ;
    to->length = got;

    return 0;
}
