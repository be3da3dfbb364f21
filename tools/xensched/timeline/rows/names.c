/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the names of accounting domains in a recording. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>

#include "base/text.h"
#include "model/domain.h"
#include "base/alloc.h"
#include "model/snapshot.h"
#include "names.h"

/* pCPUs from this number on count as online. */
#define MAX_CPUS 4096U

/* A longer name is cut. */
#define MAX_NAME 255U

void names_init(struct names *names)
{
    memset(names, 0, sizeof(*names));
    names->entry = need_memory(NAMES_ACCTS, sizeof(*names->entry));
    names->of_domid = need_memory(NAMES_DOMIDS, sizeof(*names->of_domid));
    memset(names->of_domid, 0xff, NAMES_DOMIDS * sizeof(*names->of_domid));
    cpumap_init(&names->offline, MAX_CPUS);
}

void names_free(struct names *names)
{
    unsigned int i;

    for (i = 0; names->entry && i < NAMES_ACCTS; i++) {
        free(names->entry[i].text);
        free(names->entry[i].uuid);
    }
    for (i = 0; i < names->nr_aliases; i++)
        free(names->alias[i].name);
    free(names->alias);
    cpumap_free(&names->offline);
    free(names->of_domid);
    free(names->entry);
    memset(names, 0, sizeof(*names));
}

static void add_name(struct names_entry *e, const char *name)
{
    char *both;

    if (strstr(e->text, name) || strlen(e->text) + strlen(name) > MAX_NAME)
        return;
    both = need_memory(strlen(e->text) + strlen(name) + 2, 1);
    sprintf(both, "%s/%s", e->text, name);
    free(e->text);
    e->text = both;
}

static int find_alias(const struct names *names, const char *name)
{
    size_t i;

    for (i = 0; i < names->nr_aliases; i++)
        if (!strcmp(names->alias[i].name, name))
            return names->alias[i].acct;

    return -1;
}

static void add_alias(struct names *names, const char *name, uint16_t acct)
{
    if (*name && find_alias(names, name) < 0)
        *list_add(names->alias, names->nr_aliases, names->aliases_room) =
            (struct names_alias){ need_string(name), acct };
}

static void learn_thresholds(struct names *names, const uint32_t *threshold)
{
    unsigned int event;

    for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
        if (threshold[event] > 1)
            names->sampled |= 1U << event;
}

static void learn_domain(struct names *names, const struct domains *domains,
                         const struct domain *d, bool *counted)
{
    struct names_entry *e = &names->entry[d->acct];
    char number[32], group[sizeof(d->group) + 16];
    const bool shared = domains_share(domains, d);
    const char *name = d->name;

    if (d->threshold)
        learn_thresholds(names, d->threshold);
    if (d->acct <= XEN_SCHEDLOG_ACCT_XEN || d->acct == XEN_SCHEDLOG_ACCT_NONE)
        return;
    snprintf(number, sizeof(number), "domain %u", d->domid);
    snprintf(group, sizeof(group), "(group %s)", d->group);
    if (!*name)
        name = number;
    if (shared)
        name = group;
    if (d->domid < NAMES_DOMIDS)
        names->of_domid[d->domid] = d->acct;
    add_alias(names, d->name, d->acct);
    if (shared)
        add_alias(names, d->group, d->acct);
    if (!e->text) {
        e->text = need_string(name);
        e->uuid = need_string(d->uuid);
        e->domid = d->domid;
    } else if (*d->name || d->domid != e->domid) {
        /* (A dying domain has no name any more.) */
        add_name(e, name);
        if (!shared)
            e->domid = d->domid;
    }
    /* Domains that share the number exist at the same time. */
    e->vcpus = counted[d->acct] ? e->vcpus + domain_online_vcpus(d)
                                : domain_online_vcpus(d);
    counted[d->acct] = true;
    e->driver |= d->driver;
}

void names_learn(struct names *names, const char *text, size_t length)
{
    struct snapshot s;
    bool *counted;
    unsigned int i;

    if (snapshot_from_text(&s, text, length, NULL)) {
        names->untold++;
        return;
    }
    names->told++;
    learn_thresholds(names, s.threshold);
    for (i = 0; i < s.topology.nr_cpus; i++)
        if (!s.topology.cpus[i].online)
            cpumap_set(&names->offline, i);
    counted = need_memory(NAMES_ACCTS, sizeof(*counted));
    for (i = 0; i < s.domains.nr; i++)
        learn_domain(names, &s.domains, &s.domains.domain[i], counted);
    free(counted);
    snapshot_free(&s);
}

const char *names_of(const struct names *names, uint16_t acct)
{
    if (acct == XEN_SCHEDLOG_ACCT_REST)
        return "rest";
    if (acct == XEN_SCHEDLOG_ACCT_XEN)
        return "idle";
    if (acct == XEN_SCHEDLOG_ACCT_NONE)
        return "none";
    if (names->entry[acct].text)
        return names->entry[acct].text;

    return text_format("accounting domain %u", acct);
}

int names_of_domid(const struct names *names, uint32_t domid)
{
    return domid < NAMES_DOMIDS ? names->of_domid[domid] : -1;
}

int names_find(const struct names *names, const char *name)
{
    unsigned int acct;
    uint32_t domid;
    int found;

    if (domain_is_number(name, &domid))
        return names_of_domid(names, domid);
    for (acct = 0; acct < NAMES_ACCTS; acct++)
        if (names->entry[acct].text && !strcmp(names->entry[acct].text, name))
            return acct;
    found = find_alias(names, name);
    if (found >= 0)
        return found;
    for (acct = 0; acct < NAMES_ACCTS; acct++)
        if (!strcmp(names_of(names, acct), name))
            return acct;

    return -1;
}
