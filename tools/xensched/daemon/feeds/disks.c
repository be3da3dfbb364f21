/* SPDX-License-Identifier: GPL-2.0-only */
/* disks.c - see disks.h. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/memory.h"
#include "disks.h"

/* Three looks a second, and fewer where there are many disks: each is two files. */
#define LOOK_NS          300000000ULL
#define LOOK_PER_DISK_NS 1000000ULL

#define SECTORS_PER_PAGE 8

struct disk {
    uint32_t domid, handle;
    uint64_t sectors; /* read and written, as of the last look */
    bool seen;
};

void disks_init(struct disks *disks)
{
    *disks = (struct disks){ .folder = DISKS_FOLDER };
}

void disks_free(struct disks *disks)
{
    free(disks->disk);
    disks_init(disks);
}

void disks_forget(struct disks *disks)
{
    disks->nr = 0;
}

static struct disk *find(struct disks *disks, uint32_t domid, uint32_t handle)
{
    unsigned int i;

    for (i = 0; i < disks->nr; i++)
        if (disks->disk[i].domid == domid && disks->disk[i].handle == handle)
            return &disks->disk[i];

    return NULL;
}

static void add(struct disks *disks, const struct disk *disk)
{
    disks->disk = need_more_memory(disks->disk, disks->nr + 1,
                                   sizeof(*disks->disk));
    disks->disk[disks->nr++] = *disk;
}

/* False: it has none, or is gone. */
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

static void take(const struct disk *disk, uint64_t pages,
                 const struct domains *domains, struct matrix *matrix,
                 uint64_t now_ns)
{
    const struct domain *dom0 = domains_find(domains, 0);
    const struct domain *client = domains_find(domains, disk->domid);
    struct xensched_row row = {
        .event = XEN_SCHEDLOG_EV_RING_PAGES, .counter = pages,
        .valid = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                 XENSCHED_ROW_CORRESPONDENT | XENSCHED_ROW_COUNTER,
    };

    if (!dom0 || dom0->acct < XEN_SCHEDLOG_ACCT_FIRST || !client ||
        client->acct < XEN_SCHEDLOG_ACCT_FIRST)
        return;
    row.current = dom0->acct;
    row.correspondent = client->acct;
    matrix_add(matrix, &row, now_ns);
}

/* What is less than a page is left for the next look. */
static void look_at(struct disks *disks, int folder, const char *device,
                    const struct domains *domains, struct matrix *matrix,
                    uint64_t now_ns)
{
    struct disk new = { .seen = true }, *known;
    uint64_t got, put, pages;
    char end;

    if (sscanf(device, "vbd-%" SCNu32 "-%" SCNu32 "%c", &new.domid, &new.handle,
               &end) != 2 ||
        !read_number(folder, device, "rd_sect", &got) ||
        !read_number(folder, device, "wr_sect", &put))
        return;
    new.sectors = got + put;
    known = find(disks, new.domid, new.handle);
    if (!known) {
        add(disks, &new);
        return;
    }
    known->seen = true;
    if (new.sectors < known->sectors) /* another one of the same name */
        known->sectors = new.sectors;
    pages = (new.sectors - known->sectors) / SECTORS_PER_PAGE;
    known->sectors += pages * SECTORS_PER_PAGE;
    if (pages)
        take(known, pages, domains, matrix, now_ns);
}

static void drop_others(struct disks *disks)
{
    unsigned int i = 0;

    while (i < disks->nr) {
        if (disks->disk[i].seen)
            disks->disk[i++].seen = false;
        else
            disks->disk[i] = disks->disk[--disks->nr];
    }
}

void disks_read(struct disks *disks, const struct domains *domains,
                struct matrix *matrix, uint64_t now_ns)
{
    const struct dirent *entry;
    DIR *dir;

    if (now_ns < disks->again_ns)
        return;
    dir = opendir(disks->folder);
    while (dir && (entry = readdir(dir)))
        if (!strncmp(entry->d_name, "vbd-", 4))
            look_at(disks, dirfd(dir), entry->d_name, domains, matrix, now_ns);
    if (dir)
        closedir(dir);
    drop_others(disks);
    disks->again_ns = now_ns + LOOK_NS + disks->nr * LOOK_PER_DISK_NS;
}
