/* SPDX-License-Identifier: GPL-2.0-only */
/* Adds up the requests of a guest's processes. */
#include <string.h>

#include <xensched/abi.h>

#include "decay.h"
#include "processes.h"

void processes_init(struct processes *p, uint64_t half_life_ns)
{
    memset(p, 0, sizeof(*p));
    p->half_life_ns = half_life_ns;
}

static double decayed_process_io(const struct processes *p, const struct process_io *io,
                                 uint64_t now_ns)
{
    return decay_left(io->sum, io->at_ns, now_ns, p->half_life_ns);
}

double processes_rate(const struct processes *p, const struct process_io *io,
                      uint64_t now_ns)
{
    return decay_rate(decayed_process_io(p, io, now_ns), p->half_life_ns);
}

/* The first of the places for @key. */
static unsigned int places_of(uint64_t key)
{
    /* Fibonacci hashing, as in cells.c. */
    uint64_t hash = key * 0x9e3779b97f4a7c15ULL;

    return (hash >> 32) % (PROCESSES_MAX / PROCESSES_WAYS) * PROCESSES_WAYS;
}

static struct process_io *get_io(struct processes *p, uint32_t pid,
                                 uint16_t back_end)
{
    struct process_io *io = p->io + places_of((uint64_t)pid << 16 | back_end);
    struct process_io *oldest = io, *end = io + PROCESSES_WAYS;

    for (; io < end; io++) {
        if (io->at_ns && io->pid == pid && io->back_end == back_end)
            return io;
        if (io->at_ns < oldest->at_ns)
            oldest = io;
    }
    p->replaced += oldest->at_ns != 0;
    *oldest = (struct process_io){ .pid = pid, .back_end = back_end };

    return oldest;
}

static void add_sectors(struct processes *p, uint32_t pid, uint16_t back_end,
                        uint64_t sectors, uint64_t now_ns)
{
    struct process_io *io = get_io(p, pid, back_end);

    io->sum = decayed_process_io(p, io, now_ns) + sectors;
    io->total = sectors > UINT64_MAX - io->total ? UINT64_MAX
                                                 : io->total + sectors;
    if (now_ns > io->at_ns)
        io->at_ns = now_ns;
}

static struct process_name *get_name(struct processes *p, uint32_t pid)
{
    struct process_name *name = p->names + places_of(pid);
    struct process_name *oldest = name, *end = name + PROCESSES_WAYS;

    for (; name < end; name++) {
        if (name->at_ns && name->pid == pid)
            return name;
        if (name->at_ns < oldest->at_ns)
            oldest = name;
    }
    *oldest = (struct process_name){ .pid = pid };

    return oldest;
}

/* The name is complete when its last part has come. */
static void add_name(struct processes *p, uint32_t pid, uint64_t counter,
                     uint64_t now_ns)
{
    unsigned int part = counter >> XEN_SCHEDLOG_NAME_PART_SHIFT &
                        XEN_SCHEDLOG_NAME_PART_MASK, i;
    unsigned int at = part * XEN_SCHEDLOG_NAME_TEXT_BYTES;
    struct process_name *name;

    if (part >= XEN_SCHEDLOG_NAME_PROCESS)
        return;
    name = get_name(p, pid);
    name->at_ns = now_ns;
    if (!part)
        memset(name->coming, 0, sizeof(name->coming));
    for (i = 0; i < XEN_SCHEDLOG_NAME_TEXT_BYTES; i++) {
        char c = counter >> (XEN_SCHEDLOG_NAME_TEXT_SHIFT + 8 * i);

        name->coming[at + i] = !c || (c >= ' ' && c <= '~') ? c : '?';
    }
    if (part == XEN_SCHEDLOG_NAME_PROCESS - 1)
        memcpy(name->name, name->coming, sizeof(name->name));
}

void processes_add(struct processes *p, uint16_t back_end, uint64_t counter,
                   uint64_t now_ns)
{
    uint32_t pid = counter & XEN_SCHEDLOG_PID_MASK;

    if (back_end == XEN_SCHEDLOG_ACCT_NONE)
        add_name(p, pid, counter, now_ns);
    else
        add_sectors(p, pid, back_end, counter >> XEN_SCHEDLOG_SECTORS_SHIFT,
                    now_ns);
}

void processes_keep(struct processes *p,
                    bool (*stays)(const void *arg, uint16_t back_end),
                    const void *arg)
{
    unsigned int i;

    for (i = 0; i < PROCESSES_MAX; i++)
        if (p->io[i].at_ns && !stays(arg, p->io[i].back_end))
            p->io[i].at_ns = 0;
}

const char *processes_name(const struct processes *p, uint32_t pid)
{
    const struct process_name *name = p->names + places_of(pid);
    const struct process_name *end = name + PROCESSES_WAYS;

    for (; name < end; name++)
        if (name->at_ns && name->pid == pid)
            return name->name;

    return "";
}
