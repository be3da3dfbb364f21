/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * recording-format.h - the bytes of a recording, as in
 * docs/recording-format.md.  All in the byte order of the machine which
 * recorded.  Both headers have a length of 64 bytes without holes.
 */
#ifndef XENSCHED_LIB_RECORDING_FORMAT_H
#define XENSCHED_LIB_RECORDING_FORMAT_H

#include <stdint.h>

#define RECORDING_MAGIC      "xensched"
#define RECORDING_BYTE_ORDER 0x01020304U
#define RECORDING_CHUNK      0x6b6e6863U /* "chnk" */

struct recording_header {
    char magic[8];
    uint32_t byte_order;
    uint32_t version;     /* XENSCHED_RECORDING_VERSION */
    uint32_t abi_version; /* XEN_SCHEDLOG_ABI_VERSION */
    uint32_t reserved;
    uint64_t tsc_khz;
    uint64_t start_ns; /* CLOCK_REALTIME */
    uint32_t zero[5];
    uint32_t crc; /* of the bytes before */
};

enum recording_type {
    RECORDING_END = 0, /* pos = number of chunks before; nothing may follow */
    RECORDING_ROWS = 1,
    RECORDING_HOST = 2, /* JSON: what the numbers in rows stand for */
    /* Chunks of other types are skipped. */
};

struct recording_chunk {
    uint32_t magic;
    uint32_t type;
    uint32_t length; /* of what follows the header, bytes */
    uint32_t cpu;
    uint32_t file;
    uint32_t lcr;
    uint64_t pos;
    uint64_t lost_bytes;
    uint64_t lost_rows;
    uint64_t time_ns;
    uint32_t reserved;
    uint32_t crc; /* of the header before this, then of what follows */
};

_Static_assert(sizeof(struct recording_header) == 64, "no holes");
_Static_assert(sizeof(struct recording_chunk) == 64, "no holes");

#endif /* XENSCHED_LIB_RECORDING_FORMAT_H */
