/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers where a guest that xl is about to create should be, so that its memory is allocated
 * there.  Moves nothing; the target counts as occupied for a while (core/reservation.h).
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "daemon/core/remember.h"
#include "base/alloc.h"

/* Xen's own limit for a domain. */
#define MOST_VCPUS 8192.0

/* Older facts about the host are read again. */
#define FRESH_NS 1000000000ULL

/* The subject of the request; the caller frees its members. */
struct request {
    struct domain domain;
    struct acquaintance known[HISTORY_PARTNERS];
    unsigned int *disks;
    struct newcomer newcomer;
};

static bool get_text(const json_object *request, const char *key, char *to,
                     size_t size)
{
    const char *text = json_text(request, key);

    return text && *text && (size_t)snprintf(to, size, "%s", text) < size;
}

static bool get_uuid(const json_object *request, char uuid[DOMAIN_UUID_TEXT])
{
    unsigned int i;

    if (!get_text(request, "uuid", uuid, DOMAIN_UUID_TEXT) ||
        strlen(uuid) != DOMAIN_UUID_TEXT - 1)
        return false;
    for (i = 0; i < DOMAIN_UUID_TEXT - 1; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;

        if (dash ? uuid[i] != '-' : !isxdigit((unsigned char)uuid[i]))
            return false;
        uuid[i] = tolower((unsigned char)uuid[i]);
    }

    return true;
}

/* Identifies the guest by its configuration. */
static int get_identity(const json_object *request, struct domain *d,
                        struct xensched_error *err)
{
    double vcpus = json_number(request, "vcpus", 0);
    const char *group = json_text(request, "group");
    unsigned int i;

    if (!get_text(request, "name", d->name, sizeof(d->name)))
        return xensched_fail(err, EINVAL, "\"name\" has to be that of the "
                             "guest, 1 to %u bytes", DOMAIN_NAME_TEXT - 1);
    if (!get_uuid(request, d->uuid))
        return xensched_fail(err, EINVAL, "\"uuid\" has to be that of the "
                             "guest, as xl prints it");
    if (vcpus < 1 || vcpus > MOST_VCPUS || vcpus != (unsigned int)vcpus)
        return xensched_fail(err, EINVAL, "\"vcpus\" has to be the number of "
                             "the guest's vCPUs, 1 to %.0f", MOST_VCPUS);
    if (group && !domain_is_group_name(group))
        return xensched_fail(err, EINVAL, "\"group\" has to be a name of 1 to "
                             "63 letters, digits, \".\", \"_\" and \"-\"");
    if (group)
        strcpy(d->group, group);
    d->nr_vcpus = vcpus;
    d->vcpus = need_memory(d->nr_vcpus, sizeof(*d->vcpus));
    for (i = 0; i < d->nr_vcpus; i++)
        d->vcpus[i].online = true;

    return 0;
}

/* A cpupool is known by its domains; without a name it is Xen's first one. */
static int get_pool(const struct subject *s, struct domain *d,
                    struct xensched_error *err)
{
    const struct domains *domains = &s->core->domains;
    const char *pool = json_text(s->request, "pool");
    uint32_t number = 0;
    /* Toolstacks name cpupools in the same way as domains. */
    bool by_number = !pool || domain_is_number(pool, &number);
    unsigned int i;

    for (i = 0; i < domains->nr; i++) {
        const struct domain *other = &domains->domain[i];

        if (by_number ? other->pool != number
                      : strcmp(other->pool_name, pool) != 0)
            continue;
        d->pool = other->pool;
        memcpy(d->pool_name, other->pool_name, sizeof(d->pool_name));
        cpumap_init_copy(&d->pool_cpus, &other->pool_cpus);
        return 0;
    }

    return xensched_fail(err, ESRCH, "no domain is in the cpupool '%.255s', so "
                         "nothing is known of it", pool ? pool : "0");
}

static int get_disks(const struct subject *s, struct request *r,
                     struct xensched_error *err)
{
    json_object *names = json_member(s->request, "backends", json_type_array);
    const struct domains *domains = &s->core->domains;
    size_t nr = names ? json_object_array_length(names) : 0, i;

    r->disks = need_memory(nr, sizeof(*r->disks));
    for (i = 0; i < nr; i++) {
        json_object *name = json_object_array_get_idx(names, i);
        const struct domain *d;

        if (!json_object_is_type(name, json_type_string))
            return xensched_fail(err, EINVAL, "\"backends\" has to be the "
                                 "names of domains, one for each disk");
        d = domains_find_meant(domains, json_object_get_string(name));
        if (!d)
            return xensched_fail(err, ESRCH, "there is no domain '%.255s' to "
                                 "serve its disks",
                                 json_object_get_string(name));
        r->disks[i] = d - domains->domain;
    }
    r->newcomer.disks = r->disks;
    r->newcomer.nr_disks = nr;

    return 0;
}

/* A driver domain that was rebuilt has another UUID but the same name. */
static const struct domain *find_partner(const struct domains *domains,
                                         const struct history_partner *p)
{
    unsigned int i;

    for (i = 0; i < domains->nr; i++)
        if (!strcmp(domains->domain[i].uuid, p->uuid))
            return &domains->domain[i];

    return p->name[0] ? domains_find_name(domains, p->name) : NULL;
}

static void get_history(const struct subject *s, struct request *r)
{
    const struct domains *domains = &s->core->domains;
    struct demand *demand = &r->newcomer.arrival.demand;
    struct history_guest guest;
    unsigned int i;

    demand->vcpus = demand->need = r->domain.nr_vcpus;
    r->newcomer.known = r->known;
    r->newcomer.ran = remember_find(s->core, r->domain.uuid, &guest);
    if (!r->newcomer.ran)
        return;
    if (guest.need < demand->need)
        demand->need = guest.need;
    for (i = 0; i < guest.nr; i++) {
        const struct history_partner *p = &guest.partners[i];
        const struct domain *d = find_partner(domains, p);

        if (d && strcmp(d->uuid, r->domain.uuid))
            r->known[r->newcomer.nr_known++] = (struct acquaintance){
                d - domains->domain, p->notifications, p->pages,
            };
    }
}

static int get_request(const struct subject *s, struct request *r,
                       struct xensched_error *err)
{
    struct domains alone = { 1, &r->domain };
    int rc = get_identity(s->request, &r->domain, err);

    if (!rc)
        rc = get_pool(s, &r->domain, err);
    if (!rc)
        rc = get_disks(s, r, err);
    if (rc)
        return rc;
    rules_apply(&s->core->settings.policy_settings.rules, &alone);
    r->newcomer.arrival.domain = &r->domain;
    get_history(s, r);

    return 0;
}

static void free_request(struct request *r)
{
    free(r->domain.vcpus);
    cpumap_free(&r->domain.pool_cpus);
    free(r->disks);
}

/* "node 0 has no room; it has no disks" */
static void add_reasons(json_object *json, const struct core *core, const struct domain *d,
                        const struct decision *decisions, unsigned int nr)
{
    char text[NEWCOMER_WAYS * (REASON_TEXT + 2)] = "", one[REASON_TEXT];
    json_object *codes = json_object_new_array();
    unsigned int i;

    for (i = 0; i < nr && decisions[i].reason.code != REASON_NONE; i++) {
        reason_text(&decisions[i], d, &core->topology, one);
        strcat(strcat(text, i ? "; " : ""), one);
        json_object_array_add(codes, json_object_new_string(reason_name(&decisions[i])));
    }
    json_add_text(json, "reason", text);
    json_object_object_add(json, "codes", codes);
}

static json_object *say_place(const struct core *core, const struct domain *d,
                              struct decision decisions[NEWCOMER_WAYS])
{
    const struct topology *t = &core->topology;
    json_object *json = json_object_new_object();
    const struct topology_place *place;
    unsigned int i = 0;
    char name[32];

    while (i < NEWCOMER_WAYS && decisions[i].verb != MOVE)
        i++;
    if (i == NEWCOMER_WAYS) {
        json_object_object_add(json, "place", NULL);
        add_reasons(json, core, d, decisions, NEWCOMER_WAYS);
        return json;
    }
    place = &t->places[topology_place_of_all(t, &decisions[i].soft)];
    snprintf(name, sizeof(name), "%s %u", place->kind, place->id);
    json_add_text(json, "place", name);
    json_add_int(json, "node", place->id);
    json_object_object_add(json, "pcpus", answer_cpus(&decisions[i].soft));
    json_add_text(json, "by", decisions[i].policy);
    add_reasons(json, core, d, &decisions[i], 1);
    cpumap_free(&decisions[i].soft);

    return json;
}

/* With one node, memory is equally far from all pCPUs. */
static bool has_nodes(const struct topology *t)
{
    return t->nr_places > 1 && !strcmp(t->places[0].kind, "node");
}

static json_object *find_place(struct subject *s, struct request *r,
                               struct xensched_error *err)
{
    json_object *dry = json_member(s->request, "dry_run", json_type_boolean);
    struct decision *decisions = need_memory(NEWCOMER_WAYS, sizeof(*decisions));
    json_object *json = NULL;
    int rc = 0;

    if (has_nodes(&s->core->topology))
        rc = core_place(s->core, &r->newcomer, !json_object_get_boolean(dry), s->now_ns,
                        decisions, err);
    else
        decide(&decisions[0], LEAVE, (struct reason){ .code = REASON_ONE_NODE });
    if (!rc)
        json = say_place(s->core, &r->domain, decisions);
    free(decisions);

    return json;
}

json_object *answer_place(struct subject *s, struct xensched_error *err)
{
    struct core *core = s->core;
    struct request r = { 0 };
    json_object *json = NULL;

    if ((!core->planned || s->now_ns - core->run_ns >= FRESH_NS) &&
        core_run_requested(core, s->now_ns, err))
        return NULL;
    if (!get_request(s, &r, err))
        json = find_place(s, &r, err);
    free_request(&r);

    return json;
}
