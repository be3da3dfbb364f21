/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recordings that are anything: read, put in order, and judged.
 *
 * Whatever a file says, all of it is refused or delivered: no access beyond
 * what was read, no more items than its bytes can hold, and times that do not
 * decrease unless an item says so.  Checksums are made right, or nothing would
 * ever get behind them.
 *
 * Input: 1 byte how, then the chunks: as they are in a file (0), or packed (1);
 * in version 1 (2).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <xensched/merge.h>
#include <xensched/order.h>

#include "check.h"
#include "lib/recording/recording-format.h"

#define MOST_BYTES 4096U

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t file[4 * MOST_BYTES + 4096];

static void put_header(uint32_t version)
{
    struct recording_header header = {
        .magic = RECORDING_MAGIC,
        .byte_order = RECORDING_BYTE_ORDER,
        .version = version,
        .abi_version = XEN_SCHEDLOG_ABI_VERSION,
        .tsc_khz = 2000000,
        .start_tsc = 1,
    };

    header.crc = crc32(0, (const Bytef *)&header,
                       offsetof(struct recording_header, crc));
    memcpy(file, &header, sizeof(header));
}

/* Each chunk gets its magic and its checksum. */
static void mend(uint8_t *bytes, size_t size, bool packed)
{
    struct recording_chunk chunk;
    size_t at = 0;

    while (at + sizeof(chunk) <= size) {
        memcpy(&chunk, bytes + at, sizeof(chunk));
        chunk.magic = RECORDING_CHUNK;
        chunk.type %= 9;
        chunk.length %= 512;
        if (chunk.length > size - at - sizeof(chunk))
            chunk.length = size - at - sizeof(chunk);
        chunk.crc = 0;
        if (!packed)
            chunk.crc = crc32(crc32(0, (const Bytef *)&chunk,
                                    offsetof(struct recording_chunk, crc)),
                              bytes + at + sizeof(chunk), chunk.length);
        memcpy(bytes + at, &chunk, sizeof(chunk));
        at += sizeof(chunk) + chunk.length;
    }
}

static size_t put_pack(const uint8_t *chunks, size_t size)
{
    struct recording_chunk pack = {
        .magic = RECORDING_CHUNK,
        .type = RECORDING_PACK,
        .pos = size,
    };
    uint8_t *at = file + 64;

    pack.length = ZSTD_compress(at + 64, sizeof(file) - 128, chunks, size, 1);
    pack.crc = crc32(crc32(0, (const Bytef *)&pack,
                           offsetof(struct recording_chunk, crc)),
                     at + 64, pack.length);
    memcpy(at, &pack, sizeof(pack));

    return 128 + pack.length;
}

static void read_it(const char *path, size_t size)
{
    struct xensched_order *order = xensched_order_new();
    struct xensched_merge *merge;
    struct xensched_merged m;
    uint64_t before = 0, nr = 0;

    CHECK(order);
    CHECK(!xensched_merge_open(path, &merge, NULL));
    while (xensched_merge_next(merge, &m, NULL) == 1) {
        CHECK(m.late == (m.time_ns < before));
        if (!m.late)
            before = m.time_ns;
        CHECK(m.source < XENSCHED_MAX_SOURCES);
        if (m.what == XENSCHED_MERGED_HOST)
            CHECK(strlen(m.text) <= m.length);
        xensched_order_take(order, merge, &m);
        CHECK(++nr <= size);
    }
    xensched_merge_close(merge);
    xensched_order_free(order);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t chunks[MOST_BYTES];
    size_t length = 64;
    char path[32];
    uint8_t how;
    int fd;

    if (!size || size > MOST_BYTES)
        return 0;
    how = *data % 3;
    memcpy(chunks, data + 1, --size);
    mend(chunks, size, how == 1);
    put_header(how == 2 ? 1 : 2);
    if (how == 1) {
        length = put_pack(chunks, size);
    } else {
        memcpy(file + length, chunks, size);
        length += size;
    }
    fd = memfd_create("recording", 0);
    CHECK(fd >= 0 && write(fd, file, length) == (ssize_t)length);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    read_it(path, MOST_BYTES);
    close(fd);

    return 0;
}
