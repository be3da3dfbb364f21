/* SPDX-License-Identifier: GPL-2.0-only */
/* Keeps the array of domains, and finds entries by domid and name. */
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>

#include "domain.h"
#include "base/alloc.h"

struct domain *domains_add(struct domains *domains)
{
    struct domain *d;

    domains->domain = need_more_memory(domains->domain, domains->nr + 1,
                                       sizeof(*domains->domain));
    d = &domains->domain[domains->nr++];
    memset(d, 0, sizeof(*d));

    return d;
}

static void domain_free(struct domain *d)
{
    unsigned int i;

    for (i = 0; i < d->nr_vcpus; i++) {
        cpumap_free(&d->vcpus[i].hard);
        cpumap_free(&d->vcpus[i].soft);
    }
    free(d->vcpus);
    free(d->serves);
    free(d->servers);
    free(d->threshold);
    cpumap_free(&d->pool_cpus);
    cpumap_free(&d->ours);
    pages_free(&d->pages);
}

void domain_add_serves(struct domain *d, uint32_t front_end)
{
    unsigned int i;

    d->driver = true;
    for (i = 0; i < d->nr_serves; i++)
        if (d->serves[i] == front_end)
            return;
    d->serves = need_more_memory(d->serves, d->nr_serves + 1,
                                 sizeof(*d->serves));
    d->serves[d->nr_serves++] = front_end;
}

void domains_drop_last(struct domains *domains)
{
    domain_free(&domains->domain[--domains->nr]);
}

void domains_free(struct domains *domains)
{
    unsigned int i;

    for (i = 0; i < domains->nr; i++)
        domain_free(&domains->domain[i]);
    free(domains->domain);
    memset(domains, 0, sizeof(*domains));
}

static int compare_domid(const void *key, const void *member)
{
    uint32_t domid = *(const uint32_t *)key;
    const struct domain *d = member;

    return domid < d->domid ? -1 : domid > d->domid;
}

struct domain *domains_find(const struct domains *domains, uint32_t domid)
{
    return domains->nr ? bsearch(&domid, domains->domain, domains->nr,
                                 sizeof(*domains->domain), compare_domid)
                       : NULL;
}

unsigned int *domains_by_acct(const struct domains *domains, unsigned int *nr)
{
    unsigned int *of, i;

    *nr = 0;
    for (i = 0; i < domains->nr; i++)
        if (domains->domain[i].acct >= *nr)
            *nr = domains->domain[i].acct + 1U;
    of = need_memory(*nr, sizeof(*of));
    for (i = 0; i < domains->nr; i++)
        if (domains->domain[i].acct >= XEN_SCHEDLOG_ACCT_FIRST)
            of[domains->domain[i].acct] = i + 1;

    return of;
}

struct domain *domains_find_name(const struct domains *domains,
                                 const char *name)
{
    unsigned int i;

    for (i = 0; i < domains->nr; i++)
        if (*name && !strcmp(domains->domain[i].name, name))
            return &domains->domain[i];

    return NULL;
}

bool domain_is_number(const char *text, uint32_t *domid)
{
    unsigned long number;

    if (!*text || text[strspn(text, "0123456789")])
        return false;
    number = strtoul(text, NULL, 10);
    *domid = number < UINT32_MAX ? number : UINT32_MAX;

    return true;
}

bool domain_is_meant(const char *text, uint32_t domid, const char *name)
{
    uint32_t number;

    return domain_is_number(text, &number) ? number == domid
                                           : !strcmp(text, name);
}

struct domain *domains_find_meant(const struct domains *domains,
                                  const char *text)
{
    uint32_t domid;

    return domain_is_number(text, &domid) ? domains_find(domains, domid)
                                          : domains_find_name(domains, text);
}

void domain_make_vcpus(struct domain *d, unsigned int nr_vcpus,
                       unsigned int nr_cpus)
{
    unsigned int i;

    d->nr_vcpus = nr_vcpus;
    d->vcpus = need_memory(nr_vcpus, sizeof(*d->vcpus));
    for (i = 0; i < nr_vcpus; i++) {
        cpumap_init(&d->vcpus[i].hard, nr_cpus);
        cpumap_init(&d->vcpus[i].soft, nr_cpus);
    }
}

bool domain_has_default_affinity(const struct domain *d)
{
    unsigned int i;

    for (i = 0; i < d->nr_vcpus; i++)
        if (!cpumap_subset(&d->pool_cpus, &d->vcpus[i].hard) ||
            !cpumap_subset(&d->pool_cpus, &d->vcpus[i].soft))
            return false;

    return true;
}

unsigned int domain_online_vcpus(const struct domain *d)
{
    unsigned int i, online = 0;

    for (i = 0; i < d->nr_vcpus; i++)
        online += d->vcpus[i].online;

    return online;
}

bool domain_is_group_name(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz"
                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789._-");

    return length > 0 && length < DOMAIN_GROUP_TEXT && !name[length];
}

bool domains_share(const struct domains *domains, const struct domain *d)
{
    unsigned int i;

    for (i = 0; d->group[0] && i < domains->nr; i++)
        if (&domains->domain[i] != d && domains->domain[i].acct == d->acct)
            return true;

    return false;
}
