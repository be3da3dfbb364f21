/* SPDX-License-Identifier: GPL-2.0-only */
/* answer-add.c - what all answers are made of; see answer.h. */
#include <errno.h>
#include <stdio.h>

#include "answer.h"

/* A smaller share is not worth naming. */
#define LEAST_SHARE 0.005

void answer_add_ran(json_object *array, const struct topology_place *place,
                    double share)
{
    json_object *json;
    char name[32];

    if (share < LEAST_SHARE)
        return;
    json = json_object_new_object();
    snprintf(name, sizeof(name), "%s %u", place->kind, place->id);
    json_add_text(json, "place", name);
    json_add_real(json, "share", share, 4);
    json_object_array_add(array, json);
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

    if (s->domid < 0) {
        xensched_fail(err, EINVAL, "the request has to name a domain: "
                      "\"domid\": NUMBER");
        return NULL;
    }
    if (s->domid <= UINT32_MAX)
        d = domains_find(&s->core->domains, s->domid);
    if (!d)
        xensched_fail(err, ESRCH, "there is no domain %lld",
                      (long long)s->domid);

    return d;
}
