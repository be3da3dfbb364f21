/* SPDX-License-Identifier: GPL-2.0-only */
/* dom0-io.c - see dom0-io.h. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/memory.h"
#include "dom0-io.h"

/* xen-blkback's name of all its interrupts. */
#define IRQ_NAME "blkif-backend"

#define PATH 300
#define MAX_CHANNELS 4096

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

/* Threads: "DOMID.DEVICE-RING", which xen-blkback has named. */

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

/* Interrupts. */

static bool is_irq_line(const char *line, unsigned int *irq)
{
    char *rest;

    *irq = strtoul(line, &rest, 10);

    return rest != line && *rest == ':' && strstr(rest, IRQ_NAME);
}

static unsigned int find_channels(const struct host *host,
                                  struct host_channel *channels)
{
    return host->channels ? host->channels(host->data, 0, channels,
                                           MAX_CHANNELS) : 0;
}

/* The one that was notified on @a, and is on @b now; 0: not exactly one. */
static uint32_t who_followed(const struct host_channel *before,
                             unsigned int nr_before,
                             const struct host_channel *after,
                             unsigned int nr_after, unsigned int a,
                             unsigned int b)
{
    uint32_t domid = 0;
    unsigned int i, k, nr = 0;

    for (i = 0, k = 0; i < nr_before && k < nr_after;) {
        if (before[i].port < after[k].port) {
            i++;
        } else if (before[i].port > after[k].port) {
            k++;
        } else {
            if (before[i].vcpu == a && after[k].vcpu == b &&
                before[i].domid == after[k].domid) {
                domid = before[i].domid;
                nr++;
            }
            i++;
            k++;
        }
    }

    return nr == 1 ? domid : 0;
}

static uint32_t owner_of(const char *proc, const struct host *host,
                         const struct dom0_io *io, unsigned int a,
                         unsigned int b)
{
    static struct host_channel before[MAX_CHANNELS], after[MAX_CHANNELS];
    unsigned int nr_before = 0, nr_after = 0;
    uint64_t original;

    if (!dom0_io_get(proc, io, &original))
        return 0;
    if (dom0_io_set(proc, io, 1ULL << a))
        nr_before = find_channels(host, before);
    if (dom0_io_set(proc, io, 1ULL << b))
        nr_after = find_channels(host, after);
    dom0_io_set(proc, io, original);

    return who_followed(before, nr_before, after, nr_after, a, b);
}

static void find_irqs(const char *proc, const struct host *host,
                      unsigned int a, unsigned int b, struct found *f)
{
    char path[PATH], line[2048];
    FILE *file;

    snprintf(path, sizeof(path), "%s/interrupts", proc);
    file = fopen(path, "re");
    while (file && fgets(line, sizeof(line), file)) {
        struct dom0_io io = { .irq = true, .name = IRQ_NAME };

        if (!is_irq_line(line, &io.number))
            continue;
        io.domid = owner_of(proc, host, &io, a, b);
        if (io.domid)
            *add(f) = io;
    }
    if (file)
        fclose(file);
}

unsigned int dom0_io_find(const char *proc, const struct host *host,
                          unsigned int a, unsigned int b,
                          struct dom0_io **list)
{
    struct found f = { 0 };

    find_threads(proc, &f);
    find_irqs(proc, host, a, b, &f);
    *list = f.list;

    return f.nr;
}

/* One of them. */

static void irq_path(char path[PATH], const char *proc,
                     const struct dom0_io *io, const char *what)
{
    snprintf(path, PATH, "%s/irq/%u/%s", proc, io->number, what);
}

bool dom0_io_is(const char *proc, const struct dom0_io *io)
{
    char path[PATH], name[DOM0_IO_NAME];

    if (!io->irq)
        return thread_name(proc, io->number, name) && !strcmp(name, io->name);
    irq_path(path, proc, io, io->name);

    return !access(path, F_OK);
}

static bool get_irq(const char *proc, const struct dom0_io *io,
                    uint64_t *vcpus)
{
    char path[PATH], line[300];
    struct cpumap map;
    unsigned int i;
    bool good;

    irq_path(path, proc, io, "smp_affinity_list");
    if (!read_line(path, line, sizeof(line)))
        return false;
    cpumap_init(&map, DOM0_IO_VCPUS);
    good = cpumap_parse(&map, line);
    for (*vcpus = 0, i = 0; i < DOM0_IO_VCPUS; i++)
        *vcpus |= (uint64_t)cpumap_test(&map, i) << i;
    cpumap_free(&map);

    return good && *vcpus;
}

static bool set_irq(const char *proc, const struct dom0_io *io, uint64_t vcpus)
{
    char path[PATH], line[300];
    struct cpumap map;
    unsigned int i;
    bool good;
    int fd;

    cpumap_init(&map, DOM0_IO_VCPUS);
    for (i = 0; i < DOM0_IO_VCPUS; i++)
        if (vcpus >> i & 1)
            cpumap_set(&map, i);
    good = cpumap_format(&map, line, sizeof(line));
    cpumap_free(&map);
    irq_path(path, proc, io, "smp_affinity_list");
    fd = good ? open(path, O_WRONLY | O_TRUNC | O_CLOEXEC) : -1;
    if (fd < 0)
        return false;
    good = write(fd, line, strlen(line)) == (ssize_t)strlen(line);
    close(fd);

    return good;
}

bool dom0_io_get(const char *proc, const struct dom0_io *io, uint64_t *vcpus)
{
    cpu_set_t set;
    unsigned int i;

    if (io->irq)
        return get_irq(proc, io, vcpus);
    if (sched_getaffinity(io->number, sizeof(set), &set))
        return false;
    for (*vcpus = 0, i = 0; i < DOM0_IO_VCPUS; i++)
        *vcpus |= (uint64_t)!!CPU_ISSET(i, &set) << i;

    return *vcpus;
}

bool dom0_io_set(const char *proc, const struct dom0_io *io, uint64_t vcpus)
{
    cpu_set_t set;
    unsigned int i;

    if (io->irq)
        return set_irq(proc, io, vcpus);
    CPU_ZERO(&set);
    for (i = 0; i < DOM0_IO_VCPUS; i++)
        if (vcpus >> i & 1)
            CPU_SET(i, &set);

    return !sched_setaffinity(io->number, sizeof(set), &set);
}
