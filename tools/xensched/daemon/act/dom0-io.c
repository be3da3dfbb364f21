/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads xen-blkback's threads from /proc; see dom0-io.h. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "dom0-io.h"

#define PATH 300

/* The first line; false: there is none. */
static bool read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    bool good = file && fgets(line, size, file);

    if (file)
        fclose(file);
    if (good)
        line[strcspn(line, "\n")] = '\0';

    return good;
}

/* "DOMID.DEVICE-RING", as xen-blkback has named it. */
static bool thread_name(const char *proc, unsigned int pid,
                        char name[DOM0_IO_NAME])
{
    char path[PATH], line[64];

    snprintf(path, sizeof(path), "%s/%u/comm", proc, pid);

    return read_line(path, line, sizeof(line)) &&
           snprintf(name, DOM0_IO_NAME, "%s", line) < DOM0_IO_NAME;
}

/* A process that has a command line is none of the kernel's, whatever its name. */
static bool is_kernels(const char *proc, unsigned int pid)
{
    char path[PATH], line[8];

    snprintf(path, sizeof(path), "%s/%u/cmdline", proc, pid);

    return !read_line(path, line, sizeof(line));
}

static bool is_blkback(const char *name, uint32_t *domid)
{
    char device[DOM0_IO_NAME];
    unsigned int ring;
    int end = 0;

    return sscanf(name, "%" SCNu32 ".%31[a-z0-9]-%u%n", domid, device, &ring,
                  &end) == 3 && !name[end] && *domid;
}

struct found {
    unsigned int nr;
    struct dom0_io *list;
};

static struct dom0_io *add(struct found *f)
{
    f->list = need_more_memory(f->list, f->nr + 1, sizeof(*f->list));
    memset(&f->list[f->nr], 0, sizeof(*f->list));

    return &f->list[f->nr++];
}

static void find_threads(const char *proc, struct found *f)
{
    DIR *folder = opendir(proc);
    const struct dirent *entry;

    while (folder && (entry = readdir(folder))) {
        unsigned int pid = strtoul(entry->d_name, NULL, 10);
        char name[DOM0_IO_NAME];
        struct dom0_io *io;
        uint32_t domid;

        if (!pid || !thread_name(proc, pid, name) ||
            !is_blkback(name, &domid) || !is_kernels(proc, pid))
            continue;
        io = add(f);
        io->domid = domid;
        io->number = pid;
        memcpy(io->name, name, sizeof(io->name));
    }
    if (folder)
        closedir(folder);
}

unsigned int dom0_io_find(const char *proc, struct dom0_io **list)
{
    struct found f = { 0 };

    find_threads(proc, &f);
    *list = f.list;

    return f.nr;
}

bool dom0_io_is(const char *proc, const struct dom0_io *io)
{
    char name[DOM0_IO_NAME];

    return thread_name(proc, io->number, name) && !strcmp(name, io->name);
}

bool dom0_io_get(const struct dom0_io *io, cpu_set_t *vcpus)
{
    CPU_ZERO(vcpus);

    return !sched_getaffinity(io->number, sizeof(*vcpus), vcpus);
}

bool dom0_io_set(const struct dom0_io *io, const cpu_set_t *vcpus)
{
    return !sched_setaffinity(io->number, sizeof(*vcpus), vcpus);
}
