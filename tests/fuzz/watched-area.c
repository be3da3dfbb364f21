/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds a log area whose shared memory is watched by ASan. */
#include <sanitizer/asan_interface.h>
#include <string.h>

#include "watched-area.h"
#include "check.h"

#include "common/schedlog/record.c"

struct area area;
uint64_t area_tsc;

/* Shared with the handler by address only: it finds them poisoned. */
static uint32_t *lcrs;
static uint64_t *routes;

/* What the handler gets in place of the poisoned word. */
static uint32_t lcr_read;
static uint64_t route_read;

__attribute__((no_sanitize("address")))
void area_set_lcr(unsigned int file, uint32_t lcr)
{
    lcrs[file] = lcr;
}

__attribute__((no_sanitize("address")))
void area_set_route(unsigned int index, uint64_t route)
{
    routes[index] = route;
}

__attribute__((no_sanitize("address")))
static const void *read_lcr(unsigned int file)
{
    area_moment(AREA_READS_LCR, file);
    area.seen.nr_lcrs++;
    area.seen.lcr_index = file;
    area.seen.lcr = lcr_read = lcrs[file];

    return &lcr_read;
}

__attribute__((no_sanitize("address")))
static const void *read_route(unsigned int index)
{
    area_moment(AREA_READS_ROUTE, index);
    area.seen.nr_routes++;
    area.seen.route_index = index;
    area.seen.route = route_read = routes[index];

    return &route_read;
}

/* Where in @array, which has @bytes, @address is; -1: it is elsewhere. */
static ptrdiff_t offset_in(const void *array, size_t bytes,
                           const volatile void *address)
{
    ptrdiff_t offset = (const volatile uint8_t *)address -
                       (const uint8_t *)array;

    return offset >= 0 && (size_t)offset < bytes ? offset : -1;
}

const volatile void *area_access(const volatile void *address)
{
    ptrdiff_t at = offset_in(lcrs, AREA_NR_FILES * sizeof(*lcrs), address);

    if (at >= 0)
        return read_lcr(at / sizeof(*lcrs));

    at = offset_in(routes, AREA_NR_ROUTES * sizeof(*routes), address);
    if (at >= 0)
        return read_route(at / sizeof(*routes));

    at = offset_in(area.state, AREA_NR_FILES * sizeof(*area.state), address);
    CHECK(at >= 0);
    area_moment(AREA_WRITES_STATE, at / sizeof(*area.state));

    return address;
}

void area_barrier(void)
{
    area_moment(AREA_BARRIER, 0);
}

static void *allocate(size_t nr, size_t size)
{
    void *p = calloc(nr, size);

    CHECK(p);

    return p;
}

void area_make(uint8_t sizes)
{
    unsigned int i;

    lcrs = allocate(AREA_NR_FILES, sizeof(*lcrs));
    routes = allocate(AREA_NR_ROUTES, sizeof(*routes));
    area.state = allocate(AREA_NR_FILES, sizeof(*area.state));
    area.cpu = allocate(1, sizeof(*area.cpu) +
                           AREA_NR_FILES * sizeof(area.cpu->file[0]));
    area.cpu->lcr = lcrs;
    area.cpu->route = routes;
    area.cpu->skipped = allocate(AREA_NR_ROUTES, sizeof(uint32_t));
    area.cpu->acct_mask = AREA_NR_ACCT - 1;
    area.cpu->file_mask = AREA_NR_FILES - 1;
    for (i = 0; i < AREA_NR_FILES; i++) {
        area.size[i] = 16U << (sizes >> (2 * i) & 3);
        area.data[i] = allocate(1, area.size[i]);
        schedlog_init_file(&area.cpu->file[i], area.data[i], area.size[i],
                           &area.state[i]);
    }
    ASAN_POISON_MEMORY_REGION(lcrs, AREA_NR_FILES * sizeof(*lcrs));
    ASAN_POISON_MEMORY_REGION(routes, AREA_NR_ROUTES * sizeof(*routes));
}

void area_free(void)
{
    unsigned int i;

    for (i = 0; i < AREA_NR_FILES; i++)
        free(area.data[i]);
    free(area.cpu->skipped);
    free(area.cpu);
    free(area.state);
    free(routes);
    free(lcrs);
}

void area_begin(void)
{
    memset(&area.seen, 0, sizeof(area.seen));
}
