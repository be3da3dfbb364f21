/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the state of a host to a recording and reads it back.  A recording can contain
 * anything, so each number is checked, and all that takes memory has a limit.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/event.h>

#include "base/json.h"
#include "base/alloc.h"
#include "model/residency/servers.h"
#include "snapshot.h"

#define MAX_DEPTH 8

/* More than any host has, and so few that their maps fit into memory. */
#define MAX_PCPUS 4096U
#define MAX_VCPUS 65536U /* of all domains together */
#define MAX_SERVERS 65536U /* likewise */
/* Limit for one domain and one node; sums cannot overflow. */
#define MAX_PAGES (1ULL << 52)
#define MAX_NODES 64U    /* Xen's MAX_NUMNODES */
/* Domids are below this, Xen's DOMID_FIRST_RESERVED. */
#define MAX_DOMID 0x7ff0U

static const char *const affinities[] = {
    [AFFINITY_DEFAULT] = "default",
    [AFFINITY_OURS] = "ours",
    [AFFINITY_OPERATOR] = "operator",
};

#define NR_AFFINITIES (sizeof(affinities) / sizeof(affinities[0]))

/* Writing. */

static void put_member(json_object *object, const char *key, json_object *value)
{
    json_object_object_add(object, key, value);
}

static void put_int(json_object *object, const char *key, uint64_t number)
{
    put_member(object, key, json_object_new_int64(number));
}

static void put_map(json_object *object, const char *key,
                    const struct cpumap *map)
{
    size_t size = CPUMAP_TEXT;
    char *text = need_memory(size, 1);

    /* A map of every second of very many pCPUs needs more space. */
    while (!cpumap_format(map, text, size)) {
        size *= 2;
        text = need_more_memory(text, size, 1);
    }
    put_member(object, key, json_object_new_string(text));
    free(text);
}

static json_object *write_pcpu(const struct topology_cpu *cpu)
{
    json_object *json = json_object_new_object();

    if (!cpu->online) {
        put_member(json, "online", json_object_new_boolean(0));
        return json;
    }
    if (cpu->socket != TOPOLOGY_UNKNOWN)
        put_int(json, "socket", cpu->socket);
    if (cpu->core != TOPOLOGY_UNKNOWN)
        put_int(json, "core", cpu->core);
    if (cpu->node != TOPOLOGY_UNKNOWN)
        put_int(json, "node", cpu->node);
    if (cpu->llc != TOPOLOGY_UNKNOWN)
        put_int(json, "llc", cpu->llc);

    return json;
}

static json_object *write_vcpu(const struct domain_vcpu *vcpu)
{
    json_object *json = json_object_new_object();

    if (!vcpu->online)
        put_member(json, "online", json_object_new_boolean(0));
    put_int(json, "pcpu", vcpu->cpu);
    put_map(json, "hard", &vcpu->hard);
    put_map(json, "soft", &vcpu->soft);

    return json;
}

static json_object *write_vcpus(const struct domain *d)
{
    json_object *array = json_object_new_array();
    unsigned int i;

    for (i = 0; i < d->nr_vcpus; i++)
        json_object_array_add(array, write_vcpu(&d->vcpus[i]));

    return array;
}

static json_object *write_serves(const struct domain *d)
{
    json_object *array = json_object_new_array();
    unsigned int i;

    for (i = 0; i < d->nr_serves; i++)
        json_object_array_add(array, json_object_new_int64(d->serves[i]));

    return array;
}

static json_object *write_servers(const struct domain *d)
{
    json_object *array = json_object_new_array();
    unsigned int i;

    for (i = 0; i < d->nr_servers; i++) {
        json_object *server = json_object_new_object();

        put_int(server, "front_end", d->servers[i].front_end);
        put_int(server, "vcpu", d->servers[i].vcpu);
        json_object_array_add(array, server);
    }

    return array;
}

static void write_pages(json_object *json, const struct pages *pages)
{
    json_object *array;
    unsigned int i;

    if (!pages->known)
        return;
    array = json_object_new_array();
    for (i = 0; i < pages->nr_nodes; i++)
        json_object_array_add(array, json_object_new_int64(pages->on[i]));
    put_member(json, "pages", array);
    put_int(json, "pages_ns", pages->at_ns);
}

static json_object *write_thresholds(const uint32_t *threshold)
{
    json_object *json = json_object_new_object();
    unsigned int i;

    for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++)
        if (threshold[i] > 1 && xensched_event_name(i))
            put_int(json, xensched_event_name(i), threshold[i]);

    return json;
}

static json_object *write_domain(const struct domain *d)
{
    json_object *json = json_object_new_object();

    put_int(json, "domid", d->domid);
    put_member(json, "name", json_new_text(d->name));
    put_member(json, "uuid", json_object_new_string(d->uuid));
    put_int(json, "acct", d->acct);
    if (d->group[0])
        put_member(json, "group", json_object_new_string(d->group));
    put_int(json, "since_ns", d->since_ns);
    put_member(json, "driver_domain", json_object_new_boolean(d->driver));
    put_member(json, "serves", write_serves(d));
    if (d->is_stub)
        put_int(json, "device_model_of", d->target);
    put_int(json, "pool", d->pool);
    put_map(json, "pool_pcpus", &d->pool_cpus);
    if (d->nr_servers)
        put_member(json, "servers", write_servers(d));
    put_member(json, "affinity", json_object_new_string(affinities[d->affinity]));
    if (d->ours_hard)
        put_member(json, "ours_hard", json_object_new_boolean(true));
    if (d->soft_only || d->pool_soft)
        put_member(json, "soft_only", json_object_new_boolean(true));
    put_member(json, "held", json_object_new_boolean(d->held));
    if (d->threshold)
        put_member(json, "thresholds", write_thresholds(d->threshold));
    write_pages(json, &d->pages);
    put_member(json, "vcpus", write_vcpus(d));

    return json;
}

json_object *snapshot_to_json(const struct topology *topology,
                              const struct domains *domains,
                              const uint32_t *threshold)
{
    json_object *json = json_object_new_object();
    json_object *pcpus = json_object_new_array();
    json_object *array = json_object_new_array();
    unsigned int i;

    for (i = 0; i < topology->nr_cpus; i++)
        json_object_array_add(pcpus, write_pcpu(&topology->cpus[i]));
    for (i = 0; i < domains->nr; i++)
        json_object_array_add(array, write_domain(&domains->domain[i]));
    put_member(json, "topology", pcpus);
    if (topology->shared_queues)
        put_member(json, "shared_queues", json_object_new_boolean(1));
    put_member(json, "thresholds", write_thresholds(threshold));
    put_member(json, "domains", array);

    return json;
}

/* Reading.  The error names the first mistake. */

struct snapshot_reading {
    struct snapshot *s;
    struct xensched_error *err;
    int64_t domid; /* of the domain being read; -1: none */
    unsigned int nr_vcpus, nr_serves, nr_servers;
    bool bad;
};

static void __attribute__((format(printf, 2, 3)))
wrong(struct snapshot_reading *r, const char *format, ...)
{
    char what[200], whose[40] = "";
    va_list args;

    if (r->bad)
        return;
    r->bad = true;
    va_start(args, format);
    vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    if (r->domid >= 0)
        snprintf(whose, sizeof(whose), "domain %" PRId64 ": ", r->domid);
    xensched_fail(r->err, EINVAL, "%s%s", whose, what);
}

/* Returns the member; NULL: it is missing or of another type. */
static json_object *get_member(struct snapshot_reading *r, json_object *object,
                               const char *key, json_type type)
{
    json_object *value;

    if (!json_object_object_get_ex(object, key, &value))
        return NULL;
    if (json_object_is_type(value, type))
        return value;
    wrong(r, "'%s' is of the wrong type", key);

    return NULL;
}

static uint64_t get_int(struct snapshot_reading *r, json_object *object,
                        const char *key, uint64_t most, uint64_t otherwise)
{
    json_object *value = get_member(r, object, key, json_type_int);

    if (!value)
        return otherwise;
    if (json_object_get_int64(value) < 0 ||
        json_object_get_uint64(value) > most) {
        wrong(r, "'%s' is not between 0 and %" PRIu64, key, most);
        return otherwise;
    }

    return json_object_get_uint64(value);
}

static bool get_bool(struct snapshot_reading *r, json_object *object,
                     const char *key, bool otherwise)
{
    json_object *value = get_member(r, object, key, json_type_boolean);

    return value ? json_object_get_boolean(value) : otherwise;
}

static void get_text(struct snapshot_reading *r, json_object *object,
                     const char *key, char *text, size_t size)
{
    json_object *value = get_member(r, object, key, json_type_string);

    if (!value)
        return;
    if ((size_t)json_object_get_string_len(value) >= size)
        wrong(r, "'%s' is longer than %zu bytes", key, size - 1);
    else
        strcpy(text, json_object_get_string(value));
}

/* @map is initialised here or by the caller. */
static void get_map(struct snapshot_reading *r, json_object *object,
                    const char *key, struct cpumap *map)
{
    json_object *value = get_member(r, object, key, json_type_string);

    if (!map->words)
        cpumap_init(map, r->s->topology.nr_cpus);
    if (!value)
        cpumap_fill(map);
    else if (!cpumap_parse(map, json_object_get_string(value)))
        wrong(r, "'%s' is not a list of this host's pCPUs such as \"0-3,8\"",
              key);
}

/* Parses "2x4" or "2x4x2": sockets, cores of each, threads of each. */
static void read_short_topology(struct snapshot_reading *r, const char *text)
{
    unsigned int sockets, cores, threads = 1, i;
    struct topology *t = &r->s->topology;
    int end = 0;

    if ((sscanf(text, "%4ux%4u%n", &sockets, &cores, &end) != 2 ||
         text[end]) &&
        (sscanf(text, "%4ux%4ux%4u%n", &sockets, &cores, &threads, &end) != 3 ||
         text[end]))
        sockets = 0;
    if (!sockets || !cores || !threads ||
        (uint64_t)sockets * cores * threads > MAX_PCPUS) {
        wrong(r, "'topology' is not SOCKETSxCORES[xTHREADS], at most %u pCPUs",
              MAX_PCPUS);
        return;
    }
    topology_init(t, sockets * cores * threads);
    for (i = 0; i < t->nr_cpus; i++)
        t->cpus[i] = (struct topology_cpu){
            .online = true,
            .socket = i / threads / cores,
            .node = i / threads / cores,
            .core = i / threads % cores,
            .place = TOPOLOGY_UNKNOWN,
            .llc = TOPOLOGY_UNKNOWN,
        };
}

static void read_pcpus(struct snapshot_reading *r, json_object *array)
{
    size_t i, nr = json_object_array_length(array);
    struct topology *t = &r->s->topology;

    if (!nr || nr > MAX_PCPUS) {
        wrong(r, "'topology' has not 1 to %u pCPUs", MAX_PCPUS);
        return;
    }
    topology_init(t, nr);
    for (i = 0; i < nr; i++) {
        json_object *pcpu = json_object_array_get_idx(array, i);
        struct topology_cpu *c = &t->cpus[i];

        if (!json_object_is_type(pcpu, json_type_object)) {
            wrong(r, "'topology' has something else than pCPUs");
            return;
        }
        c->online = get_bool(r, pcpu, "online", true);
        c->socket = get_int(r, pcpu, "socket", MAX_PCPUS, TOPOLOGY_UNKNOWN);
        c->core = get_int(r, pcpu, "core", UINT32_MAX, TOPOLOGY_UNKNOWN);
        c->node = get_int(r, pcpu, "node", MAX_PCPUS, TOPOLOGY_UNKNOWN);
        c->llc = get_int(r, pcpu, "llc", MAX_PCPUS, TOPOLOGY_UNKNOWN);
    }
}

static void read_topology(struct snapshot_reading *r, json_object *json)
{
    json_object *topology;

    if (!json_object_object_get_ex(json, "topology", &topology))
        wrong(r, "there is no 'topology'");
    else if (json_object_is_type(topology, json_type_string))
        read_short_topology(r, json_object_get_string(topology));
    else if (json_object_is_type(topology, json_type_array))
        read_pcpus(r, topology);
    else
        wrong(r, "'topology' is of the wrong type");
    if (!r->bad)
        topology_make_places(&r->s->topology);
    r->s->topology.shared_queues = get_bool(r, json, "shared_queues", false);
}

static void read_thresholds(struct snapshot_reading *r, json_object *list,
                            uint32_t *threshold, uint32_t otherwise)
{
    unsigned int i;

    for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++) {
        const char *name = xensched_event_name(i);

        threshold[i] = otherwise;
        if (!list || !name || !json_object_object_get_ex(list, name, NULL))
            continue;
        threshold[i] = get_int(r, list, name, UINT32_MAX, 1);
        if (!threshold[i])
            wrong(r, "a threshold is 0");
    }
}

static void read_own_thresholds(struct snapshot_reading *r, json_object *json,
                                struct domain *d)
{
    json_object *list = get_member(r, json, "thresholds", json_type_object);

    if (!list)
        return;
    d->threshold = need_memory(XEN_SCHEDLOG_NR_EVENTS, sizeof(*d->threshold));
    read_thresholds(r, list, d->threshold, 0);
}

static void read_serves(struct snapshot_reading *r, json_object *json,
                        struct domain *d)
{
    json_object *array = get_member(r, json, "serves", json_type_array);
    size_t i, nr = array ? json_object_array_length(array) : 0;

    if (nr > MAX_DOMID - r->nr_serves)
        wrong(r, "'serves' has too many domains");
    r->nr_serves += nr;
    for (i = 0; !r->bad && i < nr; i++) {
        json_object *domid = json_object_array_get_idx(array, i);

        if (!json_object_is_type(domid, json_type_int) ||
            json_object_get_int64(domid) < 0 ||
            json_object_get_int64(domid) >= MAX_DOMID)
            wrong(r, "'serves' has something else than domids");
        else
            domain_add_serves(d, json_object_get_int64(domid));
    }
}

static void read_vcpu(struct snapshot_reading *r, json_object *json,
                      struct domain_vcpu *vcpu)
{
    if (!json_object_is_type(json, json_type_object)) {
        wrong(r, "'vcpus' has something else than vCPUs");
        return;
    }
    vcpu->online = get_bool(r, json, "online", true);
    vcpu->cpu = get_int(r, json, "pcpu", MAX_PCPUS, 0);
    get_map(r, json, "hard", &vcpu->hard);
    get_map(r, json, "soft", &vcpu->soft);
}

static void read_vcpus(struct snapshot_reading *r, json_object *json,
                       struct domain *d)
{
    json_object *array = get_member(r, json, "vcpus", json_type_array);
    size_t i, nr = array ? json_object_array_length(array) : 0;

    if (nr > MAX_VCPUS - r->nr_vcpus) {
        wrong(r, "there are more than %u vCPUs", MAX_VCPUS);
        return;
    }
    r->nr_vcpus += nr;
    domain_make_vcpus(d, nr, r->s->topology.nr_cpus);
    for (i = 0; !r->bad && i < nr; i++)
        read_vcpu(r, json_object_array_get_idx(array, i), &d->vcpus[i]);
}

/* Reads which of its vCPUs serves which guest. */
static void read_servers(struct snapshot_reading *r, json_object *json,
                         struct domain *d)
{
    json_object *array = get_member(r, json, "servers", json_type_array);
    size_t i, nr = array ? json_object_array_length(array) : 0;

    if (nr > MAX_SERVERS - r->nr_servers)
        wrong(r, "there are more than %u 'servers'", MAX_SERVERS);
    r->nr_servers += nr;
    for (i = 0; !r->bad && i < nr; i++) {
        json_object *server = json_object_array_get_idx(array, i);
        uint64_t front_end, vcpu;

        if (!json_object_is_type(server, json_type_object) || !d->nr_vcpus) {
            wrong(r, "'servers' has something else than vCPUs of it");
            return;
        }
        front_end = get_int(r, server, "front_end", MAX_DOMID - 1, MAX_DOMID);
        vcpu = get_int(r, server, "vcpu", d->nr_vcpus - 1, MAX_VCPUS);
        if (front_end == MAX_DOMID || vcpu == MAX_VCPUS)
            wrong(r, "one of 'servers' lacks 'front_end' or 'vcpu'");
        else
            servers_add(d, front_end, vcpu);
    }
}

/* Reads on which nodes its memory is: a number for each node. */
static void read_pages(struct snapshot_reading *r, json_object *json,
                       struct domain *d)
{
    json_object *array = get_member(r, json, "pages", json_type_array);
    size_t i, nr = array ? json_object_array_length(array) : 0;
    uint64_t on[MAX_NODES];

    if (!array)
        return;
    if (!nr || nr > MAX_NODES) {
        wrong(r, "'pages' has not 1 to %u nodes", MAX_NODES);
        return;
    }
    for (i = 0; i < nr; i++) {
        json_object *number = json_object_array_get_idx(array, i);

        on[i] = json_object_get_uint64(number);
        if (!json_object_is_type(number, json_type_int) ||
            json_object_get_int64(number) < 0 || on[i] > MAX_PAGES)
            wrong(r, "'pages' has something else than numbers of pages");
    }
    if (!r->bad)
        pages_set(&d->pages, on, nr,
                  get_int(r, json, "pages_ns", INT64_MAX, 0));
}

static enum domain_affinity read_affinity(struct snapshot_reading *r,
                                          json_object *json)
{
    json_object *value = get_member(r, json, "affinity", json_type_string);
    unsigned int i;

    if (!value)
        return AFFINITY_DEFAULT;
    for (i = 0; i < NR_AFFINITIES; i++)
        if (!strcmp(affinities[i], json_object_get_string(value)))
            return i;
    wrong(r, "'affinity' is not default, ours or operator");

    return AFFINITY_DEFAULT;
}

static void read_group(struct snapshot_reading *r, json_object *json,
                       struct domain *d)
{
    if (!get_member(r, json, "group", json_type_string))
        return;
    get_text(r, json, "group", d->group, sizeof(d->group));
    if (!domain_is_group_name(d->group))
        wrong(r, "'group' is no name of 1 to 63 letters, digits, '.', '_' and "
              "'-'");
}

static void read_domain(struct snapshot_reading *r, json_object *json)
{
    struct domains *domains = &r->s->domains;
    struct domain *d;

    if (!json_object_is_type(json, json_type_object)) {
        wrong(r, "'domains' has something else than domains");
        return;
    }
    d = domains_add(domains);
    d->domid = get_int(r, json, "domid", MAX_DOMID - 1, MAX_DOMID);
    if (d->domid == MAX_DOMID ||
        (domains->nr > 1 && d->domid <= d[-1].domid))
        wrong(r, "'domains' is not sorted by 'domid', or one has none");
    r->domid = d->domid;
    get_text(r, json, "name", d->name, sizeof(d->name));
    snprintf(d->uuid, sizeof(d->uuid), "00000000-0000-0000-0000-%012x",
             d->domid);
    get_text(r, json, "uuid", d->uuid, sizeof(d->uuid));
    d->acct = get_int(r, json, "acct", UINT16_MAX, XEN_SCHEDLOG_ACCT_REST);
    read_group(r, json, d);
    d->since_ns = get_int(r, json, "since_ns", INT64_MAX, 0);
    read_serves(r, json, d);
    d->driver = get_bool(r, json, "driver_domain", d->driver);
    d->target = get_int(r, json, "device_model_of", MAX_DOMID, MAX_DOMID);
    d->is_stub = d->target != MAX_DOMID;
    d->pool = get_int(r, json, "pool", UINT32_MAX, 0);
    get_map(r, json, "pool_pcpus", &d->pool_cpus);
    d->affinity = read_affinity(r, json);
    d->ours_hard = get_bool(r, json, "ours_hard", false);
    d->soft_only = get_bool(r, json, "soft_only", false);
    d->held = get_bool(r, json, "held", false);
    read_own_thresholds(r, json, d);
    read_pages(r, json, d);
    read_vcpus(r, json, d);
    read_servers(r, json, d);
    r->domid = -1;
}

static void read_domains(struct snapshot_reading *r, json_object *json)
{
    json_object *array = get_member(r, json, "domains", json_type_array);
    size_t i;

    if (!array) {
        wrong(r, "there are no 'domains'");
        return;
    }
    for (i = 0; !r->bad && i < json_object_array_length(array); i++)
        read_domain(r, json_object_array_get_idx(array, i));
}

static json_object *parse_text(const char *text, size_t length,
                               struct xensched_error *err)
{
    struct json_tokener *tokener = json_tokener_new_ex(MAX_DEPTH);
    json_object *json = NULL;

    if (length > INT32_MAX || !tokener) {
        xensched_fail(err, ENOMEM, "out of memory");
    } else {
        json = json_tokener_parse_ex(tokener, text, length);
        if (!json_object_is_type(json, json_type_object)) {
            xensched_fail(err, EINVAL, "it is not a JSON object");
            json_object_put(json);
            json = NULL;
        }
    }
    if (tokener)
        json_tokener_free(tokener);

    return json;
}

int snapshot_from_text(struct snapshot *s, const char *text, size_t length,
                       struct xensched_error *err)
{
    struct snapshot_reading r = { .s = s, .err = err, .domid = -1 };
    json_object *json;

    memset(s, 0, sizeof(*s));
    json = parse_text(text, length, err);
    if (!json)
        return -EINVAL;
    read_topology(&r, json);
    if (!r.bad)
        read_thresholds(&r, get_member(&r, json, "thresholds", json_type_object),
                        s->threshold, 1);
    if (!r.bad)
        read_domains(&r, json);
    json_object_put(json);
    if (r.bad)
        snapshot_free(s);

    return r.bad ? -EINVAL : 0;
}

void snapshot_free(struct snapshot *s)
{
    domains_free(&s->domains);
    topology_free(&s->topology);
}
