/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads Linux's statistics of the disks that it serves. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

#include "descriptors.h"
#include "vbds.h"

#define SECTORS_PER_PAGE 8

/* Linux's sums of reads, or of writes. */
struct traffic {
    uint64_t sectors, requests;
    double part; /* of a page, not reported yet */
};

struct vbd {
    uint32_t domid, handle;
    struct traffic got, put; /* at the last poll */
    bool seen;
};

void vbds_init(struct vbds *vbds)
{
    *vbds = (struct vbds){ .folder = VBDS_FOLDER };
}

void vbds_free(struct vbds *vbds)
{
    free(vbds->vbd);
    vbds_init(vbds);
}

void vbds_forget(struct vbds *vbds)
{
    vbds->nr = 0;
}

static struct vbd *find_vbd(struct vbds *vbds, uint32_t domid, uint32_t handle)
{
    unsigned int i;

    for (i = 0; i < vbds->nr; i++)
        if (vbds->vbd[i].domid == domid && vbds->vbd[i].handle == handle)
            return &vbds->vbd[i];

    return NULL;
}

static void add_vbd(struct vbds *vbds, const struct vbd *vbd)
{
    vbds->vbd = need_more_memory(vbds->vbd, vbds->nr + 1, sizeof(*vbds->vbd));
    vbds->vbd[vbds->nr++] = *vbd;
}

/* Returns false if the file is missing. */
static bool read_number(int folder, const char *device, const char *name,
                        uint64_t *number)
{
    char path[300], text[32];
    ssize_t length;
    int fd;

    snprintf(path, sizeof(path), "%s/statistics/%s", device, name);
    fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    length = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (length <= 0)
        return false;
    text[length] = '\0';

    return sscanf(text, "%" SCNu64, number) == 1;
}

/* Linux counts requests first: in this order no request is missing whose sectors count. */
static bool read_traffic(int folder, const char *device, const char *sectors,
                         const char *requests, struct traffic *done)
{
    return read_number(folder, device, sectors, &done->sectors) &&
           read_number(folder, device, requests, &done->requests);
}

static bool went_back(const struct traffic *known, const struct traffic *now)
{
    return now->sectors < known->sectors || now->requests < known->requests;
}

/* Returns the whole pages since the last poll; the rest stays for the next one. */
static uint64_t pages_since(struct traffic *known, const struct traffic *now)
{
    uint64_t pages = (now->sectors - known->sectors) / SECTORS_PER_PAGE;
    uint64_t requests = now->requests - known->requests, descriptors;
    unsigned int under_way;

    if (!pages)
        return 0;
    known->part += descriptors_expected(requests, pages, &under_way);
    known->sectors += pages * SECTORS_PER_PAGE;
    known->requests = now->requests - under_way;
    descriptors = known->part;
    known->part -= descriptors;

    return pages + descriptors;
}

static uint64_t look_at(struct vbds *vbds, int folder, const char *device,
                        uint32_t *domid)
{
    struct vbd new = { .seen = true }, *known;
    char end;

    if (sscanf(device, "vbd-%" SCNu32 "-%" SCNu32 "%c", &new.domid, &new.handle,
               &end) != 2 ||
        !read_traffic(folder, device, "rd_sect", "rd_req", &new.got) ||
        !read_traffic(folder, device, "wr_sect", "wr_req", &new.put))
        return 0;
    *domid = new.domid;
    known = find_vbd(vbds, new.domid, new.handle);
    if (!known) {
        add_vbd(vbds, &new);
        return 0;
    }
    known->seen = true;
    if (went_back(&known->got, &new.got) || went_back(&known->put, &new.put)) {
        *known = new; /* another disk with the same name */
        return 0;
    }

    return pages_since(&known->got, &new.got) +
           pages_since(&known->put, &new.put);
}

static void drop_others(struct vbds *vbds)
{
    unsigned int i = 0;

    while (i < vbds->nr) {
        if (vbds->vbd[i].seen)
            vbds->vbd[i++].seen = false;
        else
            vbds->vbd[i] = vbds->vbd[--vbds->nr];
    }
}

static bool is_disk(const struct dirent *entry)
{
    return !strncmp(entry->d_name, "vbd-", 4);
}

void vbds_read(struct vbds *vbds,
               void (*take)(void *arg, uint32_t domid, uint64_t pages),
               void *arg)
{
    DIR *dir = opendir(vbds->folder);
    const struct dirent *entry;
    uint32_t domid = 0;
    uint64_t pages;

    while (dir && (entry = readdir(dir))) {
        pages = is_disk(entry) ? look_at(vbds, dirfd(dir), entry->d_name,
                                         &domid) : 0;
        if (pages)
            take(arg, domid, pages);
    }
    if (dir)
        closedir(dir);
    drop_others(vbds);
}

bool vbds_serve(const struct vbds *vbds, uint32_t domid)
{
    DIR *dir = opendir(vbds->folder);
    const struct dirent *entry;
    bool found = false;
    char begin[32];

    snprintf(begin, sizeof(begin), "vbd-%" PRIu32 "-", domid);
    while (dir && !found && (entry = readdir(dir)))
        found = !strncmp(entry->d_name, begin, strlen(begin));
    if (dir)
        closedir(dir);

    return found;
}
