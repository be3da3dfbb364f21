/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lie.h - between a driver domain's answer, which is honest (lie.c), and the forgeries that spoil
 * it (lies.c).
 */

#ifndef LIE_H
#define LIE_H

#include <stdint.h>

#include <xenctrl.h>
#include <xensched/abi.h>
#include <xenstore.h>

#define PAGE 4096U
#define ENTRIES (PAGE / sizeof(uint64_t))      /* of a directory page */
#define MAX_FILES 64
#define MAX_DIRECTORY 128                      /* Pages that may be said. */

/*
 * The requested area and its memory: directory pages, then the area, then the pages of a larger
 * directory.
 */
struct area {
    uint32_t nr_acct, nr_files, sizes[MAX_FILES], offsets[MAX_FILES];
    uint32_t nr_directory, nr_global, nr_data, nr;      /* pages */
    xen_pfn_t *frames;
    uint8_t *pages;
};

/* The nodes of schedlog/area.  Empty: not written. */
struct answer {
    char version[16], nr_cpus[16], nr_acct[16], events[16], built[16];
    char error[1500];   /* xenstored takes 2048. */
    char *sizes, *directory;
};

extern struct area area;
extern struct answer answer;
extern xc_interface *xch;
extern struct xs_handle *xs;
extern char **arguments;        /* FRAME... */

/* The values of the scheduler's log control register. */
struct row {
    uint16_t event, current, correspondent;
    uint32_t counter, time;
};

#define ROW_TSC_SHIFT 10U

/* Regions of the area, for its one CPU. */
uint8_t *area_global(void);
struct xen_schedlog_state *area_states(void);
uint8_t *area_data(void);

/* The first page of the larger directory. */
uint32_t area_spare(void);

/* Returns the number of pages for this number of bytes. */
uint32_t pages(uint64_t bytes);

/* Formats numbers, separated by blanks.  The caller frees the result. */
char *list(uint32_t nr, uint64_t (*number)(uint32_t i));

/* Returns 0 if there is no such node.  @format has one %s. */
uint32_t node_number(const char *format, const char *name);

struct lie {
    const char *name;
    void (*spoil)(void);        /* spoils the answer before it is written */
    void (*go_on)(void);        /* called in each turn */
};

/* Returns NULL if there is none of that name. */
const struct lie *find_lie(const char *name);

#endif /* LIE_H */
