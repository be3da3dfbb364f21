/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * recording-format.h - the bytes of a recording, which docs/internals/recording-format.md
 * describes: in the byte order of the recording machine, without padding.
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
    uint64_t start_tsc; /* the host's TSC at start_ns; version 1: 0 */
    uint32_t zero[3];
    uint32_t crc; /* of the preceding bytes */
};

enum recording_type {
    RECORDING_END = 0, /* pos = number of preceding chunks; nothing may follow */
    RECORDING_ROWS = 1,
    RECORDING_HOST = 2,   /* JSON: the meaning of numbers in rows */
    /* Since version 2: */
    RECORDING_SOURCE = 3, /* struct recording_source */
    RECORDING_CLOCK = 4,  /* struct recording_clock */
    RECORDING_PACK = 5,   /* a zstd frame of chunks; pos = bytes of these */
    RECORDING_ROUND = 6,  /* pos = TSC of the host at its beginning */
    RECORDING_SYSTEM_TIME = 7, /* struct recording_clock; "guest": Xen's
                                  system time, ns */
    /* Readers skip chunks of other types. */
};

struct recording_chunk {
    uint32_t magic;
    uint32_t type;
    uint32_t length; /* bytes after the header */
    uint32_t cpu;
    uint32_t file;
    uint32_t lcr;
    uint64_t pos;
    uint64_t lost_bytes;
    uint64_t lost_rows;
    uint64_t time_ns;
    uint32_t source; /* version 1: 0 */
    uint32_t crc; /* of the header before this and the bytes after the header; within
                     a pack 0 */
};

struct recording_source {
    uint32_t kind; /* enum xensched_kind */
    uint32_t domid;
    uint64_t tsc_khz;
    char uuid[40];
    char name[64]; /* a longer name continues after the structure */
};

struct recording_clock {
    uint32_t vcpu;
    uint32_t flags;
    uint64_t host_tsc, guest_tsc; /* at the same instant */
    uint64_t host_khz, guest_khz;
    uint64_t error; /* in cycles of the host */
};

/* Size of a pack: its largest chunk, and as much of others. */
#define RECORDING_MAX_PACK (2 * XEN_SCHEDLOG_MAX_FILE_SIZE)

_Static_assert(sizeof(struct recording_header) == 64, "no holes");
_Static_assert(sizeof(struct recording_chunk) == 64, "no holes");
_Static_assert(sizeof(struct recording_source) == 120, "no holes");
_Static_assert(sizeof(struct recording_clock) == 48, "no holes");

#endif /* XENSCHED_LIB_RECORDING_FORMAT_H */
