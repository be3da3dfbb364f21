/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file-host.c - a host-xen.h whose domains are lines of a file, so that they outlive a program that
 * is killed.
 *
 * FAKE_HOST is the file; without it there is no Xen.  A line is a vCPU: NAME DOMID VCPU HARD SOFT.
 * The host has 4 pCPUs, of which 0-1 and 2-3 are sockets.  FAKE_HOST_KILL is the number of steps
 * after which this process dies; a change of an affinity is two steps, before and after it.
 * FAKE_HOST_DENY is a domain whose affinity cannot be changed.  FAKE_LLC_COLOURS has domains with
 * their colours: "rt 0-3 db all".
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/host-xen.h"
#include "host/toolstack.h"
#include "base/alloc.h"

#define CPUS 4U
#define MOST 32U

struct line {
    char name[32], hard[32], soft[32];
    unsigned int domid, vcpu;
};

struct host_xen {
    struct host host;
    unsigned int steps_left; /* 0: the process does not die */
};

static unsigned int read_lines(struct line line[MOST])
{
    FILE *f = fopen(getenv("FAKE_HOST"), "r");
    unsigned int nr = 0;

    while (f && nr < MOST && fscanf(f, "%31s %u %u %31s %31s", line[nr].name,
                                    &line[nr].domid, &line[nr].vcpu,
                                    line[nr].hard, line[nr].soft) == 5)
        nr++;
    if (f)
        fclose(f);

    return nr;
}

static void write_lines(const struct line *line, unsigned int nr)
{
    FILE *f = fopen(getenv("FAKE_HOST"), "w");
    unsigned int i;

    for (i = 0; i < nr; i++)
        fprintf(f, "%s %u %u %s %s\n", line[i].name, line[i].domid,
                line[i].vcpu, line[i].hard, line[i].soft);
    fclose(f);
}

static int topology(void *data, struct topology *t, struct xensched_error *err)
{
    unsigned int i;

    (void)data;
    (void)err;
    topology_init(t, CPUS);
    for (i = 0; i < CPUS; i++)
        t->cpus[i] = (struct topology_cpu){
            .online = true, .core = i % 2, .socket = i / 2, .node = i / 2,
        };
    topology_make_places(t);

    return 0;
}

bool host_xen_has_pool(struct host_xen *hx, const char *name)
{
    (void)hx;

    return !strcmp(name, "Pool-0");
}

/* Two nodes have pCPUs; others may exist. */
static int memory(void *data, struct distances *d, uint64_t *frames,
                  struct xensched_error *err)
{
    const char *nodes = getenv("FAKE_HOST_NODES");

    (void)data;
    (void)err;
    distances_init(d, nodes ? atoi(nodes) : 2);
    *frames = 1000;

    return 0;
}

static void parse(struct cpumap *map, const char *text)
{
    cpumap_init(map, CPUS);
    if (!strcmp(text, "all"))
        cpumap_fill(map);
    else
        cpumap_parse(map, text);
}

static int all_domains(void *data, struct domains *domains,
                       struct xensched_error *err)
{
    struct line line[MOST];
    unsigned int nr = read_lines(line), i;
    struct domain *d = NULL;

    (void)data;
    (void)err;
    for (i = 0; i < nr; i++) {
        unsigned int nr_vcpus = 1;

        if (!line[i].vcpu) {
            while (i + nr_vcpus < nr && line[i + nr_vcpus].vcpu)
                nr_vcpus++;
            d = domains_add(domains);
            d->domid = line[i].domid;
            snprintf(d->name, sizeof(d->name), "%s", line[i].name);
            snprintf(d->uuid, sizeof(d->uuid),
                     "00000000-0000-0000-0000-%012u", d->domid);
            parse(&d->pool_cpus, "all");
            domain_make_vcpus(d, nr_vcpus, CPUS);
        }
        d->vcpus[line[i].vcpu].online = true;
        cpumap_free(&d->vcpus[line[i].vcpu].hard);
        cpumap_free(&d->vcpus[line[i].vcpu].soft);
        parse(&d->vcpus[line[i].vcpu].hard, line[i].hard);
        parse(&d->vcpus[line[i].vcpu].soft, line[i].soft);
    }

    return 0;
}

static struct line *find(struct line *line, unsigned int nr, uint32_t domid,
                         unsigned int vcpu)
{
    unsigned int i;

    for (i = 0; i < nr; i++)
        if (line[i].domid == domid && line[i].vcpu == vcpu)
            return &line[i];

    return NULL;
}

static bool is_gone(void *data, uint32_t domid, const char *uuid)
{
    struct line line[MOST];

    (void)data;
    (void)uuid;

    return !find(line, read_lines(line), domid, 0);
}

static int get_affinity(void *data, uint32_t domid, unsigned int vcpu,
                        struct cpumap *hard, struct cpumap *soft,
                        struct xensched_error *err)
{
    struct line line[MOST], *found;
    struct cpumap map;

    (void)data;
    found = find(line, read_lines(line), domid, vcpu);
    if (!found)
        return xensched_fail(err, ESRCH, "there is no domain %u", domid);
    parse(&map, found->hard);
    cpumap_copy(hard, &map);
    cpumap_free(&map);
    parse(&map, found->soft);
    cpumap_copy(soft, &map);
    cpumap_free(&map);

    return 0;
}

static void step(struct host_xen *hx)
{
    if (hx->steps_left && !--hx->steps_left)
        raise(SIGKILL);
}

static void format(char text[32], const struct cpumap *map)
{
    cpumap_format(map, text, 32);
    if (!strcmp(text, "0-3"))
        strcpy(text, "all");
}

static int set_affinity(void *data, uint32_t domid, unsigned int vcpu,
                        const struct cpumap *hard, const struct cpumap *soft,
                        struct xensched_error *err)
{
    const char *denied = getenv("FAKE_HOST_DENY");
    struct line line[MOST], *found;
    unsigned int nr = read_lines(line);

    found = find(line, nr, domid, vcpu);
    if (!found)
        return xensched_fail(err, ESRCH, "there is no domain %u", domid);
    if (denied && !strcmp(denied, found->name))
        return xensched_fail(err, EPERM, "cannot set the affinity of %s",
                             denied);
    step(data);
    if (hard)
        format(found->hard, hard);
    if (soft)
        format(found->soft, soft);
    write_lines(line, nr);
    step(data);

    return 0;
}

int host_xen_open(struct host_xen **host_xen, const struct choice *choice,
                  const struct pmc *pmc, const char *llc,
                  const char *soft_pools, struct xensched_error *err)
{
    struct host_xen *hx;
    const char *kill = getenv("FAKE_HOST_KILL");

    (void)choice;
    (void)pmc;
    (void)llc;
    (void)soft_pools;
    if (!getenv("FAKE_HOST"))
        return xensched_fail(err, ENOENT, "cannot open /dev/xen/privcmd: No "
                             "such file or directory");
    hx = need_memory(1, sizeof(*hx));
    hx->steps_left = kill ? atoi(kill) : 0;
    hx->host = (struct host){
        .data = hx, .boot = "boot", .topology = topology, .memory = memory,
        .domains = all_domains, .list_domains = all_domains, .is_gone = is_gone,
        .get_affinity = get_affinity, .set_affinity = set_affinity,
    };
    *host_xen = hx;

    return 0;
}

int host_xen_connect(struct host_xen *hx, struct xensched_error *err)
{
    (void)hx;
    (void)err;

    return 0;
}

const struct host *host_xen_host(const struct host_xen *hx)
{
    return &hx->host;
}

void host_xen_close(struct host_xen *hx)
{
    free(hx);
}

size_t toolstack_llc_colours(struct llc_colours **list)
{
    const char *text = getenv("FAKE_LLC_COLOURS");
    char name[32], colours[32];
    size_t nr = 0, room = 0;
    int length;

    *list = NULL;
    for (; text && sscanf(text, " %31s %31s%n", name, colours, &length) == 2; text += length) {
        struct llc_colours *one = list_add(*list, nr, room);

        one->domid = strcmp(name, "Domain-0") ? nr : 0;
        one->name = need_string(name);
        cpumap_init(&one->named, LLC_COLOURS_MAX);
        one->all = !cpumap_parse(&one->named, colours);
    }

    return nr;
}

void toolstack_free_llc_colours(struct llc_colours *list, size_t nr)
{
    while (nr--) {
        free(list[nr].name);
        cpumap_free(&list[nr].named);
    }
    free(list);
}
