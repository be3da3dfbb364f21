/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * pack.h - chunks of a recording that are compressed together, with zstd.
 */
#ifndef XENSCHED_LIB_PACK_H
#define XENSCHED_LIB_PACK_H

#include <stddef.h>
#include <stdint.h>

#include <xensched/error.h>

/* A growing array of bytes; all 0: an empty one. */
struct pack_bytes {
    uint8_t *bytes;
    size_t length, room;
};

/* Both return 0 or -ENOMEM, with *err. */
int pack_reserve(struct pack_bytes *b, size_t room, struct xensched_error *err);
int pack_append(struct pack_bytes *b, const void *bytes, size_t length,
                struct xensched_error *err);
void pack_free(struct pack_bytes *b);

/* Sets *to to @from as one zstd frame. */
int pack_compress(const struct pack_bytes *from, struct pack_bytes *to,
                  struct xensched_error *err);

/*
 * Sets *to to the contents of the frame @from of @length bytes, which have to be exactly @expected
 * bytes.  -EILSEQ: it is not such a frame; *err does not change.
 */
int pack_expand(const void *from, size_t length, size_t expected,
                struct pack_bytes *to, struct xensched_error *err);

#endif /* XENSCHED_LIB_PACK_H */
