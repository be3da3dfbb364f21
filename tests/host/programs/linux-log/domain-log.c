/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plays the scheduler towards a domain whose Linux logs: requests its log through xenstore, maps it
 * and reads it (docs/internals/linux-log.md).  Uses nothing of xensched's own library.
 *
 *   domain-log DOMID request [NODE=VALUE...]   requests; NODE= leaves a node out
 *   domain-log DOMID count EVENT COMMAND...    rows of EVENT, by its number,
 *                                              while COMMAND runs
 *   domain-log DOMID hold COMMAND...           keeps everything mapped meanwhile
 *   domain-log DOMID remove                    removes the request, and waits
 *
 * request prints "advertised" or the error; count "rows N sum SUM others N",
 * others being rows of other events, or not of the domain itself.
 *
 * Exit code: 0, that of COMMAND, 1 with an error message, or 99 if rows were overwritten.
 */
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xenctrl.h>
#include <xensched/abi.h>
#include <xenforeignmemory.h>
#include <xenstore.h>

#include "run-command.h"

#define PAGE 4096UL
#define NR_ACCT 64
#define FILE_SIZE (1U << 20)
#define GLOBAL_PAGES \
    ((XEN_SCHEDLOG_ROUTES_OFFSET + NR_ACCT * XEN_SCHEDLOG_NR_EVENTS * 8) / PAGE)
#define CPU_PAGES (1 + 1 + FILE_SIZE / PAGE)   /* CONTROL, STATE, DATA */

#define LCR (XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT | \
             XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER | \
             XEN_SCHEDLOG_LCR_COUNTER64)

struct row {
    uint16_t event, current, correspondent;
    uint64_t counter;
};

struct counts {
    uint64_t rows, sum, others;
};

/* The default request. */
static struct node {
    const char *name;
    char value[128];
} request[] = {
    { "version", "" }, { "nr-acct", "" }, { "sizes", "" },
    { "events", "0" }, { "lease-ms", "60000" },
};
#define NR_NODES (sizeof(request) / sizeof(request[0]))

static uint32_t domid;
static struct xs_handle *xs;
static xenforeignmemory_handle *fmem;
static char base[64];   /* path of the domain's nodes */
static uint32_t nr_cpus;
static uint8_t *log_pages;

/* Returns NULL if there is no such node. */
static char *read_node(const char *name)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/%s", base, name);

    return xs_read(xs, XBT_NULL, path, NULL);
}

static bool exists(const char *name)
{
    char *value = read_node(name);

    free(value);

    return value;
}

static void set_defaults(void)
{
    snprintf(request[0].value, sizeof(request[0].value), "%u",
             XEN_SCHEDLOG_ABI_VERSION);
    snprintf(request[1].value, sizeof(request[1].value), "%u", NR_ACCT);
    snprintf(request[2].value, sizeof(request[2].value), "%u", FILE_SIZE);
}

static void set_node(const char *name, const char *value)
{
    for (size_t i = 0; i < NR_NODES; i++)
        if (!strcmp(name, request[i].name)) {
            snprintf(request[i].value, sizeof(request[i].value), "%s", value);
            return;
        }
    errx(2, "a request has no %s", name);
}

/* Makes an empty node that the domain can read or write. */
static bool make_directory(xs_transaction_t t, const char *name,
                           unsigned int domain_may)
{
    struct xs_permissions perms[] = {
        { .id = 0, .perms = XS_PERM_NONE },
        { .id = domid, .perms = domain_may },
    };
    char path[128];

    snprintf(path, sizeof(path), "%s/%s", base, name);
    xs_rm(xs, t, path);

    return xs_mkdir(xs, t, path) && xs_set_permissions(xs, t, path, perms, 2);
}

static bool write_request(xs_transaction_t t)
{
    char path[128];

    if (!make_directory(t, "area", XS_PERM_READ | XS_PERM_WRITE) ||
        !make_directory(t, "request", XS_PERM_READ))
        return false;
    for (size_t i = 0; i < NR_NODES; i++) {
        const char *value = request[i].value;

        snprintf(path, sizeof(path), "%s/request/%s", base, request[i].name);
        if (*value && !xs_write(xs, t, path, value, strlen(value)))
            return false;
    }

    return true;
}

/* Returns the error, or NULL if the log is advertised. */
static char *ask(void)
{
    xs_transaction_t t;
    bool written;

    do {
        t = xs_transaction_start(xs);
        written = write_request(t);
        written = xs_transaction_end(xs, t, !written) && written;
    } while (!written && errno == EAGAIN);
    if (!written)
        err(1, "cannot write the request");

    for (int tries = 0; tries < 200; tries++) {
        char *error = read_node("area/error");

        if (error || exists("area/directory"))
            return error;
        usleep(50000);
    }
    errx(1, "domain %u does not answer", domid);
}

static void need(void)
{
    char *error = ask();

    if (error)
        errx(1, "%s", error);
}

static void *map(size_t nr, const uint64_t *frames, int prot)
{
    xen_pfn_t *pfns = calloc(nr, sizeof(*pfns));
    void *va;

    for (size_t i = 0; i < nr; i++)
        pfns[i] = frames[i];
    va = xenforeignmemory_map(fmem, domid, prot, nr, pfns, NULL);
    if (!va)
        err(1, "cannot map %zu frames, the first %#llx", nr,
            (unsigned long long)frames[0]);
    free(pfns);

    return va;
}

/* Returns the frames of the pages of the directory. */
static void map_log(void)
{
    char *list = read_node("area/directory"), *number = read_node("area/nr-cpus");
    uint64_t gfns[128], *directory;
    size_t nr, wanted, frames;

    if (!list || !number)
        errx(1, "it is not advertised");
    for (nr = 0; nr < 128 && *list; nr++)
        gfns[nr] = strtoull(list, &list, 10);
    nr_cpus = atoi(number);
    frames = GLOBAL_PAGES + nr_cpus * CPU_PAGES;
    wanted = (frames * sizeof(uint64_t) + PAGE - 1) / PAGE;
    if (nr != wanted)
        errx(1, "%zu directory pages, wanted %zu", nr, wanted);

    directory = map(nr, gfns, PROT_READ);
    log_pages = map(frames, directory, PROT_READ | PROT_WRITE);
}

static void set_routes(uint64_t route)
{
    volatile uint64_t *routes = (void *)(log_pages + XEN_SCHEDLOG_ROUTES_OFFSET);

    for (int i = 0; i < NR_ACCT * XEN_SCHEDLOG_NR_EVENTS; i++)
        routes[i] = route;
}

/* Maps CONTROL, STATE and DATA of a CPU. */
static uint8_t *pages_of(uint32_t cpu)
{
    return log_pages + (GLOBAL_PAGES + cpu * CPU_PAGES) * PAGE;
}

static uint64_t position(uint32_t cpu)
{
    return ((volatile struct xen_schedlog_state *)(pages_of(cpu) + PAGE))->pos;
}

static void count_rows(const struct row *row, uint64_t nr, uint16_t event,
                       struct counts *counts)
{
    for (; nr; nr--, row++)
        if (row->event == event && row->current == domid) {
            counts->rows++;
            counts->sum += row->counter;
        } else {
            counts->others++;
        }
}

static int count(int event, char **command)
{
    struct counts counts = { 0 };
    uint64_t *from;
    int code;

    snprintf(request[3].value, sizeof(request[3].value), "%u", 1U << event);
    need();
    map_log();
    from = calloc(nr_cpus, sizeof(*from));
    for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
        *(volatile uint32_t *)pages_of(cpu) = LCR;
        from[cpu] = position(cpu);
    }
    set_routes(XEN_SCHEDLOG_ROUTE_VALID);
    code = run_command(command);
    set_routes(0);
    set_node("events", "0");
    need();

    for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
        if (position(cpu) > FILE_SIZE)
            return 99;
        count_rows((void *)(pages_of(cpu) + 2 * PAGE + from[cpu]),
                   (position(cpu) - from[cpu]) / sizeof(struct row), event,
                   &counts);
    }
    printf("rows %llu sum %llu others %llu\n",
           (unsigned long long)counts.rows, (unsigned long long)counts.sum,
           (unsigned long long)counts.others);

    return code;
}

static void remove_request(void)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/request", base);
    if (!xs_rm(xs, XBT_NULL, path))
        err(1, "cannot remove the request");
    for (int tries = 0; exists("area/version"); tries++) {
        if (tries == 300)
            errx(1, "domain %u does not let go", domid);
        usleep(50000);
    }
}

static void ask_as_told(char **nodes)
{
    char *error;

    for (; *nodes; nodes++) {
        char *value = strchr(*nodes, '=');

        if (!value)
            errx(2, "%s: not NODE=VALUE", *nodes);
        *value++ = 0;
        set_node(*nodes, value);
    }
    error = ask();
    puts(error ? error : "advertised");
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[2] : "";

    if (argc < 3)
        errx(2, "wrong use: see the beginning of domain-log.c");
    domid = atoi(argv[1]);
    snprintf(base, sizeof(base), "/local/domain/%u/schedlog", domid);
    set_defaults();
    xs = xs_open(0);
    fmem = xenforeignmemory_open(NULL, 0);
    if (!xs || !fmem)
        err(1, "cannot talk to Xen");

    if (!strcmp(what, "request")) {
        ask_as_told(argv + 3);
    } else if (!strcmp(what, "count") && argc > 4) {
        return count(atoi(argv[3]), argv + 4);
    } else if (!strcmp(what, "hold") && argc > 3) {
        map_log();
        return run_command(argv + 3);
    } else if (!strcmp(what, "remove")) {
        remove_request();
    } else {
        errx(2, "wrong use: see the beginning of domain-log.c");
    }

    return 0;
}
