/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes a log area by the hypervisor's record handler. */
#include <assert.h>
#include <stdlib.h>

#include "harness.h"

#include "common/schedlog/record.c"

uint64_t harness_tsc;

static void *allocate(size_t nr, size_t size)
{
    void *p = calloc(nr, size);

    assert(p);

    return p;
}

struct harness *harness_new(uint32_t nr_acct, uint32_t nr_files, uint32_t size)
{
    struct harness *h = allocate(1, sizeof(*h));
    uint32_t i;

    h->nr_acct = nr_acct;
    h->nr_files = nr_files;
    h->lcr = allocate(nr_files, sizeof(*h->lcr));
    h->route = allocate((size_t)nr_acct * XEN_SCHEDLOG_NR_EVENTS,
                        sizeof(*h->route));
    h->state = allocate(nr_files, sizeof(*h->state));
    h->data = allocate(nr_files, sizeof(*h->data));
    h->size = allocate(nr_files, sizeof(*h->size));
    h->cpu = allocate(1, sizeof(*h->cpu) + nr_files * sizeof(h->cpu->file[0]));
    h->cpu->lcr = h->lcr;
    h->cpu->route = h->route;
    h->cpu->acct_mask = nr_acct - 1;
    h->cpu->file_mask = nr_files - 1;
    h->cpu->skipped = allocate((size_t)nr_acct * XEN_SCHEDLOG_NR_EVENTS,
                               sizeof(uint32_t));
    for (i = 0; i < nr_files; i++) {
        h->size[i] = size;
        h->data[i] = allocate(1, size);
        schedlog_init_file(&h->cpu->file[i], h->data[i], size, &h->state[i]);
    }

    return h;
}

void harness_free(struct harness *h)
{
    uint32_t i;

    for (i = 0; i < h->nr_files; i++)
        free(h->data[i]);
    free(h->cpu->skipped);
    free(h->cpu);
    free(h->size);
    free(h->data);
    free(h->state);
    free(h->route);
    free(h->lcr);
    free(h);
}

void harness_route_all(struct harness *h, uint32_t file, uint32_t lcr)
{
    size_t i;

    h->lcr[file] = lcr;
    for (i = 0; i < (size_t)h->nr_acct * XEN_SCHEDLOG_NR_EVENTS; i++)
        h->route[i] = XEN_SCHEDLOG_ROUTE_VALID |
                      (uint64_t)file << XEN_SCHEDLOG_ROUTE_FILE_SHIFT;
}

uint64_t harness_random(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15ULL;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;

    return z ^ (z >> 31);
}
