/* SPDX-License-Identifier: GPL-2.0-only */
/* Generates the rows of a large host before the measurement. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "base/alloc.h"

#define ALL_IDS (XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT | \
                 XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER)

/* The daemon's rows: 16 bytes. */
#define ROW (ALL_IDS | XEN_SCHEDLOG_LCR_TIME_TSC | \
             10U << XEN_SCHEDLOG_LCR_TSC_SHIFT)

/* Shares of 100 rows, without and with those about waits, and the log buffer of each kind. */
static const struct kind {
    uint16_t event;
    unsigned int share[2];
    uint32_t counter;
} kinds[] = {
    { XEN_SCHEDLOG_EV_SERVICE_NS, { 20, 16 }, 25000 },
    { XEN_SCHEDLOG_EV_EVTCHN_SEND, { 50, 40 }, 1 },
    { XEN_SCHEDLOG_EV_GRANT_MAP, { 15, 12 }, 1 },
    { XEN_SCHEDLOG_EV_GRANT_UNMAP, { 15, 12 }, 1 },
    /* Each run interval begins with a wait, some of which have parts. */
    { XEN_SCHEDLOG_EV_WAKE_DELAY, { 0, 12 }, 20000 },
    { XEN_SCHEDLOG_EV_PREEMPT_DELAY, { 0, 4 }, 2000000 },
    { XEN_SCHEDLOG_EV_WAIT_PART, { 0, 2 }, 1000000 },
    { XEN_SCHEDLOG_EV_MIGRATE, { 0, 2 }, 1U << 16 | 2 },
};

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* A guest notifies its driver domain, and every tenth time these. */
#define NEIGHBOURS 3

/* xorshift64*: the same load each time. */
static uint64_t next_random(void)
{
    static uint64_t x = 88172645463325252ULL;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;

    return x * 2685821657736338717ULL;
}

/* Per second: fewer than notifications, so that policies look at each pair. */
#define WAKES 100

static uint16_t acct_of(unsigned int domain)
{
    return XEN_SCHEDLOG_ACCT_FIRST + domain;
}

static unsigned int partner_of(const struct load_size *s, unsigned int guest)
{
    if (next_random() % 10)
        return guest % s->drivers;

    return s->drivers + (guest - s->drivers + 1 +
                         next_random() % NEIGHBOURS) % s->guests;
}

static void put16(uint8_t *at, uint16_t value)
{
    memcpy(at, &value, sizeof(value));
}

/* Those guests run on a pCPU in one interval. */
#define GUESTS_PER_CPU 8

static unsigned int guest_on(const struct load_size *s, unsigned int cpu)
{
    return s->drivers + (cpu * s->guests / s->cpus +
                         next_random() % GUESTS_PER_CPU) % s->guests;
}

static void put_row(const struct load_size *s, const struct kind *kind,
                    const struct xensched_layout *layout, unsigned int cpu,
                    uint8_t *row)
{
    unsigned int guest = guest_on(s, cpu);
    unsigned int partner = partner_of(s, guest);
    bool acts = next_random() % 2; /* the guest; or else its partner */
    uint64_t counter = kind->counter;

    put16(row + layout->event, kind->event);
    put16(row + layout->current, acct_of(acts ? guest : partner));
    put16(row + layout->correspondent, acct_of(acts ? partner : guest));
    memcpy(row + layout->counter, &counter, layout->counter_size);
}

static void make_batch(struct load *load, struct xensched_batch *batch,
                       const struct kind *kind, unsigned int cpu, size_t rows,
                       uint8_t *bytes)
{
    size_t i;

    memset(batch, 0, sizeof(*batch));
    batch->cpu = cpu;
    batch->file = kind - kinds;
    xensched_layout(ROW, &batch->layout);
    batch->rows = bytes;
    batch->length = rows * batch->layout.size;
    for (i = 0; i < rows; i++)
        put_row(&load->size, kind, &batch->layout, cpu,
                bytes + i * batch->layout.size);
    load->nr_rows += rows;
}

void load_make(struct load *load, const struct load_size *size)
{
    size_t rows = size->rows_per_second * size->interval_ms / 1000 /
                  size->cpus;
    size_t room = rows * size->cpus * XEN_SCHEDLOG_MAX_ROW_SIZE, at = 0;
    unsigned int cpu, kind;

    memset(load, 0, sizeof(*load));
    load->size = *size;
    load->batches = need_memory(size->cpus * NR_KINDS,
                                sizeof(*load->batches));
    load->bytes = need_memory(room, 1);
    for (cpu = 0; cpu < size->cpus; cpu++) {
        for (kind = 0; kind < NR_KINDS; kind++) {
            struct xensched_batch *batch = &load->batches[load->nr_batches++];

            make_batch(load, batch, &kinds[kind], cpu,
                       rows * kinds[kind].share[size->waits] / 100, load->bytes + at);
            at += batch->length;
        }
    }
}

void load_free(struct load *load)
{
    free(load->batches);
    free(load->bytes);
}

void load_topology(const struct load_size *size, struct topology *topology)
{
    unsigned int cpu;

    topology_init(topology, size->cpus);
    for (cpu = 0; cpu < size->cpus; cpu++) {
        struct topology_cpu *c = &topology->cpus[cpu];

        c->online = true;
        c->core = cpu % size->cpus_per_node / 2;
        c->socket = c->node = cpu / size->cpus_per_node;
    }
    topology_make_places(topology);
}

/* Driver domains are bound to a node, so that guests can be near them. */
static void bind(const struct load_size *size, struct cpumap *cpus,
                 unsigned int node)
{
    unsigned int i;

    for (i = 0; i < size->cpus_per_node; i++)
        cpumap_set(cpus, node * size->cpus_per_node + i);
}

static void make_vcpus(const struct load_size *size, struct domain *d,
                       unsigned int number)
{
    unsigned int nodes = size->cpus / size->cpus_per_node, i;

    domain_make_vcpus(d, 2, size->cpus);
    for (i = 0; i < d->nr_vcpus; i++) {
        d->vcpus[i].online = true;
        d->vcpus[i].cpu = d->driver
            ? number % nodes * size->cpus_per_node + i
            : next_random() % size->cpus;
        cpumap_fill(&d->vcpus[i].soft);
        if (d->driver)
            bind(size, &d->vcpus[i].hard, number % nodes);
        else
            cpumap_fill(&d->vcpus[i].hard);
    }
}

void load_domains(const struct load_size *size, struct domains *domains)
{
    unsigned int i;

    for (i = 0; i < size->drivers + size->guests; i++) {
        struct domain *d = domains_add(domains);

        d->domid = i;
        d->driver = i < size->drivers;
        d->acct = acct_of(i);
        snprintf(d->name, sizeof(d->name), "domain-%u", i);
        cpumap_init(&d->pool_cpus, size->cpus);
        cpumap_fill(&d->pool_cpus);
        make_vcpus(size, d, i);
        d->wakes = (struct domain_wakes){ .known = true, .wakes = WAKES };
    }
}

void load_moved(const struct load_size *size, struct domains *domains)
{
    unsigned int nodes = size->cpus / size->cpus_per_node, i, k;

    for (i = size->drivers; i < domains->nr; i += 2) {
        struct domain *d = &domains->domain[i];

        d->affinity = AFFINITY_OURS;
        cpumap_init(&d->ours, size->cpus);
        bind(size, &d->ours, i % nodes);
        for (k = 0; k < d->nr_vcpus; k++)
            cpumap_copy(&d->vcpus[k].soft, &d->ours);
    }
}
