/* SPDX-License-Identifier: LGPL-2.1-only */
/* Checks and maps the frames that a domain advertises. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "area-directory.h"
#include "area-domain-xen.h"

/* Pages of frame numbers, 512 in each: enough for 256 MiB of logs. */
#define MAX_DIRECTORY 128
#define FRAMES_PER_PAGE (XC_PAGE_SIZE / sizeof(uint64_t))

static size_t pages_of(size_t bytes)
{
    return (bytes + XC_PAGE_SIZE - 1) >> XC_PAGE_SHIFT;
}

/* Returns the index in the directory of the first frame of a region, and their number. */
static size_t find_frames(const struct xensched_area *area,
                          enum region region, uint32_t cpu, size_t *nr)
{
    size_t global = pages_of(area_global_bytes(area));
    size_t control = pages_of(area_control_bytes(area));
    size_t state = pages_of(area_state_bytes(area));
    size_t data = pages_of(area_data_bytes(area));
    size_t first = global + cpu * (control + state + data);

    switch (region) {
    case REGION_CONTROL:
        *nr = control;
        return first;
    case REGION_STATE:
        *nr = state;
        return first + control;
    case REGION_DATA:
        *nr = data;
        return first + control + state;
    default:
        *nr = global;
        return 0;
    }
}

/* Nothing else maps memory of the domain. */
static int map_frames(struct directory *d, const xen_pfn_t *frames, size_t nr,
                      int prot, void **base)
{
    int code = domain_owns(d->xch, d->domid, frames, nr, &d->foreign);

    if (code)
        return code;
    errno = 0;
    *base = xenforeignmemory_map(d->fmem, d->domid, prot, nr, frames, NULL);

    return *base ? 0 : errno ? errno : EIO;
}

/* Nothing else reads directory pages. */
static int copy_frames(struct directory *d, const xen_pfn_t *pages, size_t nr,
                       struct xensched_error *err)
{
    void *base;
    int code = map_frames(d, pages, nr, PROT_READ, &base);

    if (code)
        return xensched_fail(err, code, "cannot map the directory of domain "
                             "%u: %s", d->domid, strerror(code));
    d->frames = malloc(d->nr_frames * sizeof(*d->frames));
    if (d->frames)
        memcpy(d->frames, base, d->nr_frames * sizeof(*d->frames));
    xenforeignmemory_unmap(d->fmem, base, nr);

    return d->frames ? 0 : xensched_fail(err, ENOMEM, "out of memory");
}

int directory_read(struct directory *d, const struct xensched_area *area,
                   const struct node_answer *a, struct xensched_error *err)
{
    uint64_t numbers[MAX_DIRECTORY];
    xen_pfn_t pages[MAX_DIRECTORY];
    size_t unused;
    int nr = nodes_list(a->directory, numbers, MAX_DIRECTORY), i;

    d->nr_frames = find_frames(area, REGION_CONTROL, a->nr_cpus, &unused);
    if (nr <= 0 ||
        (d->nr_frames + FRAMES_PER_PAGE - 1) / FRAMES_PER_PAGE != (size_t)nr)
        return xensched_fail(err, EPROTO, "domain %u advertises a directory "
                             "which is not of the size that its area needs",
                             d->domid);
    for (i = 0; i < nr; i++)
        pages[i] = numbers[i];
    memcpy(d->text, a->directory, NODE_TEXT);

    return copy_frames(d, pages, nr, err);
}

void directory_forget(struct directory *d)
{
    free(d->frames);
    d->frames = NULL;
}

int directory_map(struct directory *d, const struct xensched_area *area,
                  enum region region, uint32_t cpu, int prot,
                  struct mapping *m)
{
    size_t first = find_frames(area, region, cpu, &m->pages), i, missing = 0;
    xen_pfn_t *frames;
    int code;

    /* After directory_forget() nothing can be mapped. */
    if (!d->frames)
        return ENODEV;
    if (first + m->pages > d->nr_frames)
        return EINVAL;
    frames = calloc(m->pages, sizeof(*frames));
    if (!frames)
        return ENOMEM;
    for (i = 0; i < m->pages; i++) {
        frames[i] = d->frames[first + i];
        missing += d->frames[first + i] == NO_FRAME;
    }
    if (missing)
        code = missing == m->pages ? ENODEV : EINVAL;
    else
        code = map_frames(d, frames, m->pages, prot, &m->base);
    free(frames);

    return code;
}

void directory_unmap(struct directory *d, struct mapping *m)
{
    xenforeignmemory_unmap(d->fmem, m->base, m->pages);
}
