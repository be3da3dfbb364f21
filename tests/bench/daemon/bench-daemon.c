/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measures the CPU time of the whole daemon per second on a large host, with 1,000
 * running guests, and while 1,000 guests boot.
 *
 * All code is the daemon's own: rows go through the core, plans are made and carried
 * out, and the state file, the journal and the metrics are written and synced.  The host
 * is a struct host in memory, so the CPU time contains no hypercall of Xen and no answer
 * of xenstored; the program counts the hypercalls.  bench-reader measures how long copies
 * out of the logs take, and bench-model measures 10 million rows per second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/answer/metrics.h"
#include "daemon/core/core.h"
#include "daemon/sources/log-sources.h"
#include "load.h"
#include "policy-defaults.h"
#include "base/alloc.h"

#define SECONDS  20
#define NS_PER_S 1000000000ULL

/* The daemon reads logs and finds new domains ten times per second, as in xenschedd.c. */
#define TENTHS 10

/* Per minute, the default. */
#define MAX_MOVES 6

/* Domains in one answer of XEN_SYSCTL_getdomaininfolist, as host-xen.c asks. */
#define LISTED 64

static const struct load_size size = {
    .guests = 1000,
    .drivers = 8,
    .cpus = 256,
    .cpus_per_node = 32,
    .rows_per_second = 1000000,
    .interval_ms = 100,
    .waits = true,
};

/* The host. */

static struct domains all;
static unsigned int there; /* the first ones of all */
static uint64_t asked;     /* hypercalls */

static int get_topology(void *data, struct topology *t,
                        struct xensched_error *err)
{
    (void)data;
    (void)err;
    load_topology(&size, t);
    asked++;

    return 0;
}

static struct domain *copy_identity(struct domains *domains,
                                    const struct domain *from)
{
    struct domain *d = domains_add(domains);

    d->domid = from->domid;
    d->driver = from->driver;
    memcpy(d->uuid, from->uuid, sizeof(d->uuid));
    memcpy(d->name, from->name, sizeof(d->name));

    return d;
}

static int list_domains(void *data, struct domains *domains, struct xensched_error *err)
{
    unsigned int i;

    (void)data;
    (void)err;
    for (i = 0; i < there; i++)
        copy_identity(domains, &all.domain[i]);
    asked += there / LISTED + 1;

    return 0;
}

static int get_domains(void *data, struct domains *domains,
                       struct xensched_error *err)
{
    unsigned int i, k;

    (void)data;
    (void)err;
    for (i = 0; i < there; i++) {
        const struct domain *from = &all.domain[i];
        struct domain *d = copy_identity(domains, from);

        cpumap_init_copy(&d->pool_cpus, &from->pool_cpus);
        domain_make_vcpus(d, from->nr_vcpus, size.cpus);
        for (k = 0; k < from->nr_vcpus; k++) {
            d->vcpus[k].online = from->vcpus[k].online;
            d->vcpus[k].cpu = from->vcpus[k].cpu;
            cpumap_copy(&d->vcpus[k].hard, &from->vcpus[k].hard);
            cpumap_copy(&d->vcpus[k].soft, &from->vcpus[k].soft);
        }
        asked += 2 * from->nr_vcpus;
    }
    asked += there / LISTED + 1;

    return 0;
}

static bool is_gone(void *data, uint32_t domid, const char *uuid)
{
    (void)data;
    (void)uuid;
    asked++;

    return domid >= there;
}

static int get_affinity(void *data, uint32_t domid, unsigned int vcpu,
                        struct cpumap *hard, struct cpumap *soft,
                        struct xensched_error *err)
{
    (void)data;
    (void)err;
    cpumap_copy(hard, &all.domain[domid].vcpus[vcpu].hard);
    cpumap_copy(soft, &all.domain[domid].vcpus[vcpu].soft);
    asked++;

    return 0;
}

static int set_affinity(void *data, uint32_t domid, unsigned int vcpu,
                        const struct cpumap *hard, const struct cpumap *soft,
                        struct xensched_error *err)
{
    (void)data;
    (void)err;
    if (hard)
        cpumap_copy(&all.domain[domid].vcpus[vcpu].hard, hard);
    if (soft)
        cpumap_copy(&all.domain[domid].vcpus[vcpu].soft, soft);
    asked++;

    return 0;
}

static int names_affinity(void *data, uint32_t domid)
{
    (void)data;
    (void)domid;

    return false;
}

static int bind(void *data, uint32_t domid, uint16_t acct,
                struct xensched_error *err)
{
    (void)data;
    (void)domid;
    (void)acct;
    (void)err;
    asked++;

    return 0;
}

static void unbind(void *data, uint32_t domid)
{
    (void)data;
    (void)domid;
}

static void retire(void *data, uint16_t acct)
{
    (void)data;
    (void)acct;
}

static void set_threshold(void *data, uint16_t acct, unsigned int event,
                          uint32_t threshold)
{
    (void)data;
    (void)acct;
    (void)event;
    (void)threshold;
}

static struct host host = {
    .topology = get_topology,
    .domains = get_domains,
    .list_domains = list_domains,
    .is_gone = is_gone,
    .get_affinity = get_affinity,
    .set_affinity = set_affinity,
    .names_affinity = names_affinity,
    .nr_acct = 1024,
    .bind = bind,
    .unbind = unbind,
    .retire = retire,
    .set_threshold = set_threshold,
};

/* Driver domains are bound to their nodes, as recommended. */
static void make_host(void)
{
    unsigned int i, k, cpu;

    load_domains(&size, &all);
    for (i = 0; i < all.nr; i++) {
        struct domain *d = &all.domain[i];

        snprintf(d->uuid, sizeof(d->uuid),
                 "00000000-0000-0000-0000-%012u", i + 1);
        for (k = 0; d->driver && k < d->nr_vcpus; k++) {
            unsigned int first = d->vcpus[k].cpu / size.cpus_per_node *
                                 size.cpus_per_node;

            cpumap_free(&d->vcpus[k].hard);
            cpumap_init(&d->vcpus[k].hard, size.cpus);
            for (cpu = 0; cpu < size.cpus_per_node; cpu++)
                cpumap_set(&d->vcpus[k].hard, first + cpu);
        }
    }
}

/* A daemon's life. */

struct life {
    struct core core;
    struct log_sources sources;
    struct metrics metrics;
    uint64_t now_ns;
};

static void give_up(const char *what, const struct xensched_error *err)
{
    fprintf(stderr, "%s: %s\n", what, err->text);
    exit(1);
}

static void begin(struct life *l, const char *folder, unsigned int max_moves)
{
    static char state[400], journal[400], metrics[400];
    struct core_settings s = {
        .mode = MODE_ACT,
        .half_life_ns = NS_PER_S,
        .policy_settings = policy_defaults,
        .max_moves = max_moves,
        .state_path = state,
        .journal_path = journal,
        .journal_limit = 16 << 20,
    };
    struct xensched_error err;

    snprintf(state, sizeof(state), "%s/state.json", folder);
    snprintf(journal, sizeof(journal), "%s/journal.jsonl", folder);
    snprintf(metrics, sizeof(metrics), "%s/xensched.prom", folder);
    memset(l, 0, sizeof(*l));
    l->metrics.path = metrics;
    l->now_ns = 1000 * NS_PER_S;
    choice_default(&s.choice);
    policies_parse(&s.policies, "placement");
    if (core_start(&l->core, &s, &host, l->now_ns, &err) ||
        core_run(&l->core, l->now_ns, &err))
        give_up("begin", &err);
    logs_init(&l->core.logs, &s.choice, HYPERVISOR, host.nr_acct);
}

static void end(struct life *l)
{
    core_stop(&l->core);
    core_free(&l->core);
    metrics_remove(&l->metrics);
}

/* Log buffers have the default layout, which determines the rows to decode. */
static void place_batches(struct life *l, const struct load *load)
{
    const struct logs *logs = &l->core.logs;
    struct xensched_row row;
    unsigned int file;
    size_t i;

    for (i = 0; i < load->nr_batches; i++) {
        xensched_batch_row(&load->batches[i], 0, &row);
        for (file = 0; !(logs->events[file] & 1U << row.event); file++)
            if (file == logs->nr)
                exit(1);
        load->batches[i].file = file;
    }
}

static void read_rows(struct life *l, const struct load *load)
{
    size_t i;

    for (i = 0; i < load->nr_batches; i++)
        core_take(&l->core, &load->batches[i], l->now_ns);
}

/* New domains per tenth of a second. */
static void bind_new(struct life *l, unsigned int times)
{
    struct xensched_error err;

    for (; times; times--) {
        struct domains domains = { 0 };

        if (core_bind_new(&l->core, &domains, l->now_ns, &err))
            give_up("bind", &err);
        domains_free(&domains);
    }
}

static void plan(struct life *l)
{
    struct xensched_error err;

    if (core_run(&l->core, l->now_ns, &err))
        give_up("plan", &err);
    metrics_write(&l->metrics, &l->core, &l->sources, l->now_ns);
}

/* What is measured. */

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);

    return now.tv_sec + now.tv_nsec / 1e9;
}

struct measured {
    double cpu[SECONDS];  /* seconds, in each second */
    uint64_t asked;       /* hypercalls, in all */
};

/*
 * @new guests start in every tenth of a second, the daemon notices new domains @looks
 * times, and a new domain sends rows like all others.
 */
static void live(struct life *l, const struct load *load, unsigned int new,
                 unsigned int looks, struct measured *m)
{
    unsigned int second, tenth;

    asked = 0;
    place_batches(l, load);
    for (second = 0; second < SECONDS; second++) {
        double before = cpu_seconds();

        for (tenth = 0; tenth < TENTHS; tenth++) {
            l->now_ns += NS_PER_S / TENTHS;
            read_rows(l, load);
            if (there < all.nr) {
                there += new;
                bind_new(l, looks);
            }
        }
        plan(l);
        m->cpu[second] = cpu_seconds() - before;
    }
    m->asked = asked;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void tell(FILE *out, const char *key, const char *name,
                 struct measured *m)
{
    qsort(m->cpu, SECONDS, sizeof(*m->cpu), ascending);
    printf("%-34s %8.2f %8.2f %8.2f %12.0f\n", name, 100 * m->cpu[0],
           100 * m->cpu[SECONDS / 2], 100 * m->cpu[SECONDS - 1],
           (double)m->asked / SECONDS);
    fprintf(out, ",\n\"%s\":{\"percent\":{\"min\":%.3f,\"median\":%.3f,"
            "\"max\":%.3f},\"hypercalls_per_second\":%.0f}", key,
            100 * m->cpu[0], 100 * m->cpu[SECONDS / 2],
            100 * m->cpu[SECONDS - 1], (double)m->asked / SECONDS);
}

int main(int argc, char **argv)
{
    static struct measured still, storm, hasty;
    static struct life l;
    struct load load;
    FILE *out;

    if (argc != 4) {
        fprintf(stderr, "usage: %s MACHINE FOLDER FILE.json\n", argv[0]);
        return 2;
    }
    out = fopen(argv[3], "w");
    if (!out) {
        perror(argv[3]);
        return 1;
    }
    load_make(&load, &size);
    make_host();

    /* First the daemon makes all moves, so that the measured plans keep the domains. */
    there = all.nr;
    begin(&l, argv[2], 0);
    live(&l, &load, 0, 0, &still);
    live(&l, &load, 0, 0, &still);
    end(&l);

    there = size.drivers;
    begin(&l, argv[2], MAX_MOVES);
    live(&l, &load, size.guests / SECONDS / TENTHS, 1, &storm);
    end(&l);

    /* The cost if the daemon read each vCPU at each event. */
    there = size.drivers;
    host.list_domains = get_domains;
    begin(&l, argv[2], MAX_MOVES);
    live(&l, &load, size.guests / SECONDS / TENTHS,
         size.guests / SECONDS / TENTHS, &hasty);
    end(&l);

    printf("%u guests, %u driver domains, %u pCPUs, %.1f million rows/s\n",
           size.guests, size.drivers, size.cpus,
           load.nr_rows * 1000.0 / size.interval_ms / 1e6);
    printf("%-34s %8s %8s %8s %12s\n", "CPU time, % of a core", "min",
           "median", "max", "hypercalls/s");
    fprintf(out, "{\"machine\":\"%s\",\"command\":\"make bench-daemon\",\n"
            "\"guests\":%u,\"drivers\":%u,\"pcpus\":%u,"
            "\"rows_per_second\":%zu", argv[1], size.guests, size.drivers,
            size.cpus, load.nr_rows * 1000 / size.interval_ms);
    tell(out, "still", "all are there", &still);
    tell(out, "storm", "1,000 boot within 20 s", &storm);
    tell(out, "storm_looking_at_vcpus", "the same, vCPUs looked at each time",
         &hasty);
    fprintf(out, "}\n");
    load_free(&load);
    domains_free(&all);
    if (fclose(out)) {
        perror(argv[3]);
        return 1;
    }

    return 0;
}
