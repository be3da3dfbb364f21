/* SPDX-License-Identifier: GPL-2.0-only */
/* answer-add.c - what all answers are made of; see answer.h. */
#include <errno.h>
#include <stdio.h>

#include "answer.h"

void answer_add_int(json_object *json, const char *key, uint64_t number)
{
    json_object_object_add(json, key,
                           json_object_new_int64(number > INT64_MAX
                                                 ? INT64_MAX : number));
}

void answer_add_text(json_object *json, const char *key, const char *text)
{
    json_object_object_add(json, key, json_object_new_string(text));
}

void answer_add_real(json_object *json, const char *key, double number,
                     unsigned int digits)
{
    char text[64];

    snprintf(text, sizeof(text), "%.*f", (int)digits, number);
    json_object_object_add(json, key,
                           json_object_new_double_s(number, text));
}

void answer_add_domain(json_object *json, const char *key,
                       const char *domid_key, uint32_t domid,
                       const char *name)
{
    char text[32];

    snprintf(text, sizeof(text), "domain %u", domid);
    answer_add_text(json, key, name[0] ? name : text);
    answer_add_int(json, domid_key, domid);
}

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
    answer_add_text(json, "place", name);
    answer_add_real(json, "share", share, 4);
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
