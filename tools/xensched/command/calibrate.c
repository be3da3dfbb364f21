/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched calibrate: measures how far apart the nodes of this machine are, for the
 * policy placement.
 *
 * A process of its own measures, so that everything is restored, however it ends: during the
 * measurement two vCPUs of dom0 have other affinities, and a domain has memory on each node.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calibrate/machine-distances.h"
#include "base/file.h"
#include "host/host-xen.h"
#include "daemon/log/logs.h"
#include "model/topology/distance.h"
#include "base/json.h"
#include "command.h"

#define STANDARD "/var/lib/xensched/distances.json"

/* The result of the measuring process, as a text in shared memory. */
struct result {
    int rc;
    struct xensched_error err;
    char text[1 << 20];
};

struct calibration {
    const struct host *host;
    struct topology topology;
    struct distances distances;
    struct own_vcpus own;
    struct node_memory *memory;
    struct result *result;
    bool json;
};

static int begin_calibration(struct calibration *c, struct xensched_error *err)
{
    uint64_t frames;
    int rc = c->host->topology(c->host->data, &c->topology, err);

    if (rc)
        return rc;
    rc = c->host->memory(c->host->data, &c->distances, &frames, err);
    if (rc) {
        topology_free(&c->topology);
        return rc;
    }
    distances_relate(&c->distances, &c->topology);
    rc = own_vcpus_begin(&c->own, c->host, err);
    if (rc) {
        distances_free(&c->distances);
        topology_free(&c->topology);
        return rc;
    }
    c->result = mmap(NULL, sizeof(*c->result), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c->result == MAP_FAILED)
        return xensched_fail(err, errno, "out of memory");

    return node_memory_begin(&c->memory, c->distances.nr_nodes, err);
}

static void end_calibration(struct calibration *c)
{
    node_memory_end(c->memory);
    own_vcpus_end(&c->own);
    distances_free(&c->distances);
    topology_free(&c->topology);
}

/* Runs in the measuring process. */
static void measure_distances(struct calibration *c)
{
    struct result *r = c->result;
    char *text;

    r->rc = machine_distances_measure(&c->distances, &c->topology, &c->own, c->memory,
                                      &r->err);
    text = distances_text(&c->distances, c->topology.nr_cpus);
    if (!r->rc && snprintf(r->text, sizeof(r->text), "%s\n", text) >=
                  (int)sizeof(r->text))
        r->rc = xensched_fail(&r->err, EFBIG, "too many nodes");
    free(text);
}

static volatile sig_atomic_t measuring; /* PID of the process; 0: none */

static void note_interrupt(int signal)
{
    (void)signal;
    if (measuring)
        kill(measuring, SIGKILL);
}

/* Signals end the measuring process only: this one has to restore everything. */
static int measure_aside(struct calibration *c, struct xensched_error *err)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
    struct sigaction action = { .sa_handler = note_interrupt };
    int status;
    size_t i;
    pid_t child;

    c->result->rc = -EINTR;
    xensched_fail(&c->result->err, EINTR, "interrupted: nothing was stored");
    fflush(NULL);
    child = fork();
    if (child < 0)
        return xensched_fail(err, errno, "cannot fork: %s", strerror(errno));
    if (!child) {
        measure_distances(c);
        _exit(0);
    }
    measuring = child;
    for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        sigaction(signals[i], &action, NULL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    measuring = 0;
    *err = c->result->err;

    return c->result->rc;
}

static int do_all(struct calibration *c, struct xensched_error *err)
{
    struct xensched_error failed;
    int rc = begin_calibration(c, err), back;

    if (rc)
        return rc;
    rc = measure_aside(c, err);
    back = own_vcpus_restore(&c->own, &failed);
    if (back)
        complain("dom0 could not be put back: %s; its affinities are still "
                 "those of the measurement", failed.text);

    return rc;
}

static bool has_pcpus(const struct topology *t, unsigned int node)
{
    unsigned int i;

    for (i = 0; i < t->nr_cpus; i++)
        if (t->cpus[i].online && t->cpus[i].node == node)
            return true;

    return false;
}

/* Returns 0 if it was not measured. */
static double measured_ns(const struct distances *d, const struct topology *t,
                          enum distance_kind kind, unsigned int from,
                          unsigned int to)
{
    if (from == to && kind != DISTANCE_MEMORY &&
        d->measured[kind][RELATION_LLC] && has_pcpus(t, from))
        return d->ns[kind][RELATION_LLC];

    return d->between[kind][from * d->nr_nodes + to];
}

static void print_matrix(const struct distances *d, const struct topology *t,
                         enum distance_kind kind)
{
    unsigned int from, to;

    printf("%-13s", distance_kind_name(kind));
    for (to = 0; to < d->nr_nodes; to++)
        printf("  to node %-2u", to);
    putchar('\n');
    for (from = 0; from < d->nr_nodes; from++) {
        printf("  from node %-2u", from);
        for (to = 0; to < d->nr_nodes; to++) {
            double ns = measured_ns(d, t, kind, from, to);

            if (ns > 0)
                printf(" %10.1f", ns);
            else
                printf(" %10s", "-");
        }
        putchar('\n');
    }
}

static void print_text(const struct calibration *c, const char *path)
{
    unsigned int kind;

    printf("ns, measured from Domain-0:\n");
    for (kind = 0; kind < NR_DISTANCES; kind++)
        print_matrix(&c->distances, &c->topology, kind);
    if (c->own.nr < 2)
        printf("Domain-0 has one vCPU: only memory was measured.\n");
    printf("Written: %s; xenschedd reads it when it starts, and with each "
           "reload.\n", path);
}

static json_object *matrix_json(const struct distances *d,
                                const struct topology *t,
                                enum distance_kind kind)
{
    json_object *rows = json_object_new_array();
    unsigned int from, to;

    for (from = 0; from < d->nr_nodes; from++) {
        json_object *row = json_object_new_array();

        for (to = 0; to < d->nr_nodes; to++) {
            double ns = measured_ns(d, t, kind, from, to);
            char text[32];

            snprintf(text, sizeof(text), "%.1f", ns);
            json_object_array_add(row, ns > 0 ? json_object_new_double_s(ns, text)
                                              : NULL);
        }
        json_object_array_add(rows, row);
    }

    return rows;
}

static void print_json(const struct calibration *c, const char *path)
{
    json_object *o = json_object_new_object();
    unsigned int kind;

    json_add_text(o, "file", path);
    json_add_int(o, "vcpus", c->own.nr);
    json_add_int(o, "nodes", c->distances.nr_nodes);
    for (kind = 0; kind < NR_DISTANCES; kind++) {
        char key[32];

        snprintf(key, sizeof(key), "%s_ns", distance_kind_name(kind));
        json_object_object_add(o, key, matrix_json(&c->distances, &c->topology,
                                                   kind));
    }
    json_print(o);
}

static int report_distances(struct calibration *c, const char *path,
                            struct xensched_error *err)
{
    int rc = distances_read(&c->distances, path, c->topology.nr_cpus, err);

    if (!rc)
        (c->json ? print_json : print_text)(c, path);

    return rc;
}

static int write_file(const struct calibration *c, const char *path,
                      struct xensched_error *err)
{
    if (!strcmp(path, STANDARD))
        mkdir("/var/lib/xensched", 0755);

    return replace_file(path, c->result->text, strlen(c->result->text), 0644,
                        true, err);
}

static int calibrate_host(struct host_xen *host, const char *path, bool json,
                          struct xensched_error *err)
{
    struct calibration c = { .host = host_xen_host(host), .json = json };
    bool begun;
    int rc;

    if (!c.host->memory)
        return xensched_fail(err, ENOSYS, "this host has no memory to measure");
    rc = do_all(&c, err);
    begun = c.result;
    if (!rc)
        rc = write_file(&c, path, err);
    if (!rc)
        rc = report_distances(&c, path, err);
    if (begun)
        end_calibration(&c);

    return rc;
}

static int run_calibrate(const struct arguments *args)
{
    static const struct choice nothing;
    const char *path = args->file ? args->file : STANDARD;
    struct xensched_error err;
    struct host_xen *host;
    int rc = host_xen_open(&host, &nothing, NULL, NULL, NULL, &err);

    if (rc) {
        complain("%s", err.text);
        return EXIT_FAILED;
    }
    rc = host_xen_connect(host, &err);
    if (!rc)
        rc = calibrate_host(host, path, args->json, &err);
    host_xen_close(host);
    if (!rc)
        return EXIT_OK;
    complain("%s", err.text);

    return EXIT_FAILED;
}

const struct command command_calibrate = {
    .name = "calibrate",
    .summary = "measure the distances of this machine",
    .help =
        "Measure how long a changed cache line, a notification and a load from memory\n"
        "take within and between the nodes of this machine. Write that to FILE\n"
        "(default: " STANDARD "), from which\n"
        "xenschedd's policy placement has its distances. It takes some seconds, in\n"
        "which two vCPUs of Domain-0 are bound to one pCPU after the other, and a domain\n"
        "without vCPU has a little memory on each node; both are restored, also after\n"
        "Ctrl-C. Run it on an idle host.",
    .takes = ARGUMENT_JSON | ARGUMENT_OPTIONAL_FILE,
    .run = run_calibrate,
};
