/* SPDX-License-Identifier: GPL-2.0-only */
/* steer.c - see steer.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/say.h"
#include "model/fnv.h"
#include "model/memory.h"
#include "model/presence.h"
#include "policy/whereabouts.h"
#include "replace-file.h"
#include "steer.h"

/* Processes and interrupts are looked through so often, if guests stay the same. */
#define SEARCH_NS 10000000000ULL

/* Of its time at a place, of a guest that is bound nowhere: it is there. */
#define LIVES 0.75

/* The file: {"boot": TEXT, "steered": [{"domid", "irq", "number", "name",
 * "original"}...]}, masks as texts in hex. */

static json_object *as_json(const struct steered *one)
{
    json_object *json = json_object_new_object();
    char mask[20];

    snprintf(mask, sizeof(mask), "%" PRIx64, one->original);
    json_add_int(json, "domid", one->io.domid);
    json_add_bool(json, "irq", one->io.irq);
    json_add_int(json, "number", one->io.number);
    json_add_text(json, "name", one->io.name);
    json_add_text(json, "original", mask);

    return json;
}

/* On the disk before anything changes. */
static int save(const struct steer *s, struct xensched_error *err)
{
    json_object *all, *list;
    const char *text;
    unsigned int i;
    int rc;

    if (!s->nr)
        return remove_file(s->path, err);
    all = json_object_new_object();
    list = json_object_new_array();
    json_add_text(all, "boot", s->host->boot);
    for (i = 0; i < s->nr; i++)
        json_object_array_add(list, as_json(&s->steered[i]));
    json_object_object_add(all, "steered", list);
    text = json_object_to_json_string(all);
    rc = replace_file(s->path, text, strlen(text), 0600, true, err);
    json_object_put(all);

    return rc;
}

static void load_one(struct steer *s, const json_object *json)
{
    const char *name = json_text(json, "name");
    const char *original = json_text(json, "original");
    json_object *irq = json_member(json, "irq", json_type_boolean);
    struct steered one = {
        .io = {
            .domid = json_number(json, "domid", 0),
            .number = json_number(json, "number", 0),
            .irq = json_object_get_boolean(irq),
        },
    };

    if (!name || !original)
        return;
    snprintf(one.io.name, sizeof(one.io.name), "%s", name);
    one.original = one.ours = strtoull(original, NULL, 16);
    if (!one.original || !one.io.number)
        return;
    s->steered = need_more_memory(s->steered, s->nr + 1, sizeof(*s->steered));
    s->steered[s->nr++] = one;
}

static void load(struct steer *s)
{
    json_object *all, *list;
    const char *boot;
    size_t i;

    if (access(s->path, F_OK))
        return;
    all = json_object_from_file(s->path);
    list = all ? json_member(all, "steered", json_type_array) : NULL;
    boot = all ? json_text(all, "boot") : NULL;
    /* After another boot nothing is as it was. */
    if (list && boot && !strcmp(boot, s->host->boot))
        for (i = 0; i < json_object_array_length(list); i++)
            load_one(s, json_object_array_get_idx(list, i));
    json_object_put(all);
}

/* One of them. */

static void drop(struct steer *s, unsigned int i)
{
    s->steered[i] = s->steered[--s->nr];
}

static void put_back(const struct steer *s, const struct steered *one)
{
    if (dom0_io_is(s->proc, &one->io) &&
        !dom0_io_set(s->proc, &one->io, one->original))
        say("%s %u (%s) of dom0, which serves domain %" PRIu32 ", could not be "
            "put back to its vCPUs 0x%" PRIx64, one->io.irq ? "interrupt"
            : "thread", one->io.number, one->io.name, one->io.domid,
            one->original);
}

static struct steered *find(const struct steer *s, const struct dom0_io *io)
{
    unsigned int i;

    for (i = 0; i < s->nr; i++)
        if (s->steered[i].io.irq == io->irq &&
            s->steered[i].io.number == io->number &&
            s->steered[i].io.domid == io->domid &&
            !strcmp(s->steered[i].io.name, io->name))
            return &s->steered[i];

    return NULL;
}

static void journal(const struct steer *s, const struct dom0_io *io,
                    uint64_t from, uint64_t to)
{
    json_object *details = json_object_new_object();
    char mask[20];

    json_add_int(details, "domid", io->domid);
    json_add_text(details, "of", io->irq ? "interrupt" : "thread");
    json_add_int(details, "number", io->number);
    snprintf(mask, sizeof(mask), "%" PRIx64, from);
    json_add_text(details, "from_vcpus", mask);
    snprintf(mask, sizeof(mask), "%" PRIx64, to);
    json_add_text(details, "to_vcpus", mask);
    journal_write(s->journal, "steer", details);
}

/* A new one: what it is has to be on the disk first. */
static struct steered *begin(struct steer *s, const struct dom0_io *io)
{
    struct steered one = { .io = *io };
    struct xensched_error err;

    if (!dom0_io_get(s->proc, io, &one.original))
        return NULL;
    one.ours = one.original;
    s->steered = need_more_memory(s->steered, s->nr + 1, sizeof(*s->steered));
    s->steered[s->nr++] = one;
    if (!save(s, &err))
        return &s->steered[s->nr - 1];
    if (!s->refused)
        say("%s: nothing of dom0 is steered", err.text);
    s->refused = true;
    s->nr--;

    return NULL;
}

static void say_refused(struct steer *s, const struct dom0_io *io)
{
    if (!s->refused)
        say("dom0's Linux does not let %s %u (%s) be steered; under systemd the "
            "unit has to allow it, see steer in xensched.conf(5)",
            io->irq ? "interrupt" : "thread", io->number, io->name);
    s->refused = true;
}

/* @vcpus 0: where it was at first. */
static void send(struct steer *s, const struct dom0_io *io, uint64_t vcpus)
{
    struct steered *one = find(s, io);
    struct xensched_error err;

    if (!one && vcpus)
        one = begin(s, io);
    if (!one)
        return;
    if (!vcpus) {
        put_back(s, one);
        journal(s, io, one->ours, one->original);
        drop(s, one - s->steered);
        if (save(s, &err))
            say("%s", err.text);
    } else if (one->ours != vcpus) {
        if (!dom0_io_set(s->proc, io, vcpus)) {
            say_refused(s, io);
            return;
        }
        journal(s, io, one->ours, vcpus);
        one->ours = vcpus;
    }
}

/* Whom to whom. */

/* dom0's vCPUs that are bound to this place; 0: none, or all. */
static uint64_t vcpus_at(const struct topology *t, const struct domain *dom0,
                         unsigned int place)
{
    uint64_t there = 0, all = 0;
    unsigned int i;

    for (i = 0; i < dom0->nr_vcpus && i < DOM0_IO_VCPUS; i++) {
        struct cpumap cpus;

        if (!dom0->vcpus[i].online)
            continue;
        all |= 1ULL << i;
        cpumap_init_copy(&cpus, &dom0->vcpus[i].hard);
        cpumap_and(&cpus, &dom0->pool_cpus);
        if (topology_place_of_all(t, &cpus) == TOPOLOGY_UNKNOWN)
            cpumap_and(&cpus, &dom0->vcpus[i].soft);
        if (topology_place_of_all(t, &cpus) == place)
            there |= 1ULL << i;
        cpumap_free(&cpus);
    }

    return there == all ? 0 : there;
}

/*
 * Where a guest is bound, or else spends its time; UNKNOWN: nowhere.  A soft affinity
 * counts only if the log has nothing of the guest.
 */
static unsigned int place_of(const struct topology *t, const struct matrix *m,
                             const struct domain *d, uint64_t now_ns)
{
    unsigned int place = whereabouts_bound(t, d).place, i;
    bool known = false;

    if (place != TOPOLOGY_UNKNOWN)
        return place;
    for (i = 0; i < t->nr_places; i++) {
        double share = presence_share(m, d, &t->places[i].cpus, now_ns);

        if (share >= LIVES)
            return i;
        known = known || share >= 0;
    }

    return known ? TOPOLOGY_UNKNOWN : whereabouts_asked(t, d).place;
}

static uint64_t hash_of_served(const struct domain *dom0)
{
    return fnv(FNV_BEGIN, dom0->serves,
               dom0->nr_serves * sizeof(*dom0->serves));
}

/* The first two vCPUs that are online; false: there is one only. */
static bool two_vcpus(const struct domain *dom0, unsigned int two[2])
{
    unsigned int i, nr = 0;

    for (i = 0; i < dom0->nr_vcpus && i < DOM0_IO_VCPUS && nr < 2; i++)
        if (dom0->vcpus[i].online)
            two[nr++] = i;

    return nr == 2;
}

static void search(struct steer *s, const struct domain *dom0,
                   uint64_t now_ns)
{
    uint64_t served = hash_of_served(dom0);
    unsigned int two[2];

    if (!two_vcpus(dom0, two) || (s->searched_ns && served == s->served &&
                                  now_ns - s->searched_ns < SEARCH_NS))
        return;
    free(s->found);
    s->nr_found = dom0_io_find(s->proc, s->host, two[0], two[1], &s->found);
    s->searched_ns = now_ns;
    s->served = served;
}

/* Of guests that are gone, and of what is something else now, nothing is kept. */
static void forget_gone(struct steer *s, const struct domains *domains)
{
    unsigned int before = s->nr, i = 0;
    struct xensched_error err;

    while (i < s->nr)
        if (domains_find(domains, s->steered[i].io.domid) &&
            dom0_io_is(s->proc, &s->steered[i].io))
            i++;
        else
            drop(s, i);
    if (s->nr != before && save(s, &err))
        say("%s", err.text);
}

void steer_run(struct steer *s, const struct topology *t,
               const struct domains *domains, const struct matrix *matrix,
               uint64_t now_ns)
{
    const struct domain *dom0 = domains_find(domains, 0);
    unsigned int i;

    if (!s->path || !s->host->channels || !dom0)
        return;
    search(s, dom0, now_ns);
    forget_gone(s, domains);
    for (i = 0; i < s->nr_found; i++) {
        const struct domain *d = domains_find(domains, s->found[i].domid);
        unsigned int place = d ? place_of(t, matrix, d, now_ns)
                               : TOPOLOGY_UNKNOWN;

        if (dom0_io_is(s->proc, &s->found[i]))
            send(s, &s->found[i], place == TOPOLOGY_UNKNOWN
                                  ? 0 : vcpus_at(t, dom0, place));
    }
}

/* Begin and end. */

void steer_restore(struct steer *s)
{
    struct xensched_error err;
    unsigned int i;

    if (!s->nr)
        return;
    for (i = 0; i < s->nr; i++)
        put_back(s, &s->steered[i]);
    s->nr = 0;
    s->searched_ns = 0;
    journal_write(s->journal, "steer-restore", NULL);
    if (save(s, &err))
        say("%s", err.text);
}

void steer_init(struct steer *s, const struct host *host,
                struct journal *journal, const char *state, const char *proc)
{
    const char *slash = state ? strrchr(state, '/') : NULL;

    *s = (struct steer){ .host = host, .journal = journal, .proc = proc };
    if (!state)
        return;
    if (asprintf(&s->path, "%.*ssteered.json",
                 slash ? (int)(slash - state) + 1 : 0, state) < 0)
        s->path = NULL;
    if (s->path)
        load(s);
    steer_restore(s);
}

void steer_free(struct steer *s)
{
    free(s->path);
    free(s->steered);
    free(s->found);
}
