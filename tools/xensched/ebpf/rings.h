/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rings.h - what rings.bpf.c and who loads it (area-ebpf.c) agree on: the maps.
 *
 *   global  one entry: the region GLOBAL, then the accounting domain of each domid
 *   cpus    one of each CPU: its regions CONTROL, STATE and DATA, each from a page on,
 *           and SPARE bytes after the last log file
 *   own     one of each CPU, mapped by nobody: what the program keeps
 */
#ifndef XENSCHED_EBPF_RINGS_H
#define XENSCHED_EBPF_RINGS_H

#include <stdint.h>

/* Reserved ones included: a power of two. */
#define RINGS_NR_DOMIDS 0x8000U

/* Never written; with it one comparison is enough for all of a row. */
#define RINGS_SPARE (2 * XEN_SCHEDLOG_MAX_ROW_SIZE)

/* As struct schedlog_file of the record handler. */
struct rings_file {
    uint64_t pos;
    uint32_t offset; /* in DATA */
    uint32_t mask;   /* size in bytes - 1 */
    uint32_t lcr;    /* the register when the layout was last set */
    uint32_t layout_seq;
    uint8_t row_size; /* 0: nothing is to be written */
    uint8_t counter_offset, time_offset, tsc_shift;
    uint32_t pad;
};

/* There is one event, and one domain that it is charged to: so one counter. */
struct rings_cpu {
    uint64_t virtual_time;
    uint32_t skipped;
    uint32_t pad[5];
    struct rings_file file[];
};

/* Constants to the program, which is loaded after they are known. */
struct rings_facts {
    uint32_t own_domid;
    uint32_t acct_mask, file_mask;
    uint32_t numbers_at;         /* in global */
    uint32_t state_at, data_at;  /* in an entry of cpus */
    uint32_t data_bytes;         /* without SPARE */
};

#endif /* XENSCHED_EBPF_RINGS_H */
