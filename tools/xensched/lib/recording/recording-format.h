/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * recording-format.h - the bytes of a recording, as in
 * docs/internals/recording-format.md.  All in the byte order of the machine which
 * recorded, without holes.
 */
#ifndef XENSCHED_LIB_RECORDING_FORMAT_H
#define XENSCHED_LIB_RECORDING_FORMAT_H

#include <stdint.h>

#include <xensched/abi.h>

#define RECORDING_MAGIC      "xensched"
#define RECORDING_BYTE_ORDER 0x01020304U
#define RECORDING_CHUNK      0x6b6e6863U /* "chnk" */

struct recording_header {
    char magic[8];
    uint32_t byte_order;
    uint32_t version;     /* XENSCHED_RECORDING_VERSION */
    uint32_t abi_version; /* XEN_SCHEDLOG_ABI_VERSION */
    uint32_t reserved;
    uint64_t tsc_khz;   /* of the host */
    uint64_t start_ns;  /* CLOCK_REALTIME */
    uint64_t start_tsc; /* of the host, then; version 1: 0 */
    uint32_t zero[3];
    uint32_t crc; /* of the bytes before */
};

enum recording_type {
    RECORDING_END = 0, /* pos = number of chunks before; nothing may follow */
    RECORDING_ROWS = 1,
    RECORDING_HOST = 2,   /* JSON: what the numbers in rows stand for */
    /* Since version 2: */
    RECORDING_SOURCE = 3, /* struct recording_source */
    RECORDING_CLOCK = 4,  /* struct recording_clock */
    RECORDING_PACK = 5,   /* a zstd frame of chunks; pos = bytes of these */
    RECORDING_ROUND = 6,  /* pos = TSC of the host when it began */
    RECORDING_SYSTEM_TIME = 7, /* struct recording_clock; "guest": Xen's
                                  system time, ns */
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
    uint32_t source; /* version 1: 0 */
    uint32_t crc; /* of the header before this, then of what follows; within
                     a pack 0 */
};

struct recording_source {
    uint32_t kind; /* enum xensched_kind */
    uint32_t domid;
    uint64_t tsc_khz;
    char uuid[40];
    char name[64]; /* a longer one goes on behind */
};

struct recording_clock {
    uint32_t vcpu;
    uint32_t flags;
    uint64_t host_tsc, guest_tsc; /* at the same instant */
    uint64_t host_khz, guest_khz;
    uint64_t error; /* cycles of the host */
};

/* What a pack holds; its largest chunk and as much of others. */
#define RECORDING_MAX_PACK (2 * XEN_SCHEDLOG_MAX_FILE_SIZE)

_Static_assert(sizeof(struct recording_header) == 64, "no holes");
_Static_assert(sizeof(struct recording_chunk) == 64, "no holes");
_Static_assert(sizeof(struct recording_source) == 120, "no holes");
_Static_assert(sizeof(struct recording_clock) == 48, "no holes");

#endif /* XENSCHED_LIB_RECORDING_FORMAT_H */
