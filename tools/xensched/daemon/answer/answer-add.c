/* SPDX-License-Identifier: GPL-2.0-only */
/* Adds to an answer the members that several answers have. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "answer.h"
#include "host/hypervisor-versions.h"

/* A smaller share is not worth naming. */
#define LEAST_SHARE 0.005

static void add_share_of(json_object *array, const char *kind, unsigned int id,
                         double share)
{
    json_object *json;
    char name[32];

    if (share < LEAST_SHARE)
        return;
    json = json_object_new_object();
    snprintf(name, sizeof(name), "%s %u", kind, id);
    json_add_text(json, "place", name);
    json_add_real(json, "share", share, 4);
    json_object_array_add(array, json);
}

void answer_add_ran(json_object *array, const struct topology_place *place,
                    double share)
{
    add_share_of(array, place->kind, place->id, share);
}

void answer_add_memory(json_object *array, unsigned int node, double share)
{
    add_share_of(array, "node", node, share);
}

void answer_add_acct(json_object *json, const struct core *core,
                     const char *key, const char *domid_key,
                     const char *group_key, uint16_t acct)
{
    const struct account *account = accounting_of(&core->accounting, acct);
    const struct domain *d;

    if (!account || !account->present) {
        json_add_text(json, key, account ? account->name
                                 : acct == XEN_SCHEDLOG_ACCT_XEN ? "(xen)" : "(not bound)");
        json_object_object_add(json, domid_key, NULL);
        return;
    }
    json_add_domain(json, key, domid_key, account->domid, account->name);
    d = domains_find(&core->domains, account->domid);
    if (d && d->group[0])
        json_add_text(json, group_key, d->group);
}

static void add_obstacle(json_object *array, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_obstacle(json_object *array, const char *format, ...)
{
    char text[400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    json_object_array_add(array, json_new_text(text));
}

void answer_add_obstacles(json_object *json, const struct core *core)
{
    json_object *array = json_object_new_array();

    if (core->mode != MODE_ACT)
        add_obstacle(array, "mode %s: no plan is carried out; 'xensched act' "
                     "has the next one carried out", mode_name(core->mode));
    if (core->lost[0])
        add_obstacle(array, "%s", core->lost);
    if (core->actuator.unsaved)
        add_obstacle(array, "%s; xenschedd moves no guest until it can save the affinities to "
                     "restore", core->actuator.why_unsaved.text);
    if (core->host->xapi)
        add_obstacle(array, XAPI_MEANS);
    if (core->put_off && core->mode == MODE_ACT)
        add_obstacle(array, "%u moves were made within a minute, which is the "
                     "most (max_moves); more follow later",
                     core->settings.max_moves);
    json_object_object_add(json, "obstacles", array);
}

json_object *answer_cpus(const struct cpumap *cpus)
{
    json_object *array = json_object_new_array();
    unsigned int cpu;

    for (cpu = 0; cpu < cpus->nr_cpus; cpu++)
        if (cpumap_test(cpus, cpu))
            json_object_array_add(array, json_object_new_int(cpu));

    return array;
}

const struct domain *answer_domain(const struct subject *s,
                                   struct xensched_error *err)
{
    const struct domain *d = NULL;

    if (s->domid < 0 && s->domain) {
        d = domains_find_name(&s->core->domains, s->domain);
        if (!d)
            xensched_fail(err, ESRCH, "there is no domain '%s'", s->domain);
        return d;
    }
    if (s->domid < 0) {
        xensched_fail(err, EINVAL, "the request has to name a domain: "
                      "\"domid\": NUMBER or \"domain\": NAME");
        return NULL;
    }
    if (s->domid <= UINT32_MAX)
        d = domains_find(&s->core->domains, s->domid);
    if (!d)
        xensched_fail(err, ESRCH, "there is no domain %lld",
                      (long long)s->domid);

    return d;
}

void answer_add_use(json_object *json, const struct core *core,
                    const struct domain *d, uint64_t now_ns)
{
    double share;

    if (core_service(core, d, now_ns, &share))
        json_add_real(json, "service_share", share, 4);
    else
        json_object_object_add(json, "service_share", NULL);
}
