/* SPDX-License-Identifier: GPL-2.0-only */
/* answer-add.c - what all answers are made of; see answer.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "answer.h"

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

    if (account && account->members && !account->group[0]) {
        json_add_domain(json, key, domid_key, account->domid, account->name);
        return;
    }
    json_add_text(json, key,
                  account ? account->name
                          : acct == XEN_SCHEDLOG_ACCT_XEN ? "(xen)"
                                                          : "(not bound)");
    json_object_object_add(json, domid_key, NULL);
    if (account && account->group[0])
        json_add_text(json, group_key, account->group);
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
