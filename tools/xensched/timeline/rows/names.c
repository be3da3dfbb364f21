/* SPDX-License-Identifier: GPL-2.0-only */
/* names.c - see names.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>

#include "model/memory.h"
#include "model/snapshot.h"
#include "names.h"

/* Beyond that a name of names is cut. */
#define MAX_NAME 255U

void names_init(struct names *names)
{
    names->entry = need_memory(NAMES_ACCTS, sizeof(*names->entry));
    names->told = 0;
    names->untold = 0;
    names->sampled = 0;
}

void names_free(struct names *names)
{
    unsigned int i;

    for (i = 0; names->entry && i < NAMES_ACCTS; i++) {
        free(names->entry[i].text);
        free(names->entry[i].uuid);
    }
    free(names->entry);
    names->entry = NULL;
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

static void learn_thresholds(struct names *names, const uint32_t *threshold)
{
    unsigned int event;

    for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
        if (threshold[event] > 1)
            names->sampled |= 1U << event;
}

static void learn_domain(struct names *names, const struct domain *d,
                         bool *counted)
{
    struct names_entry *e = &names->entry[d->acct];
    char number[32];
    const char *name = d->name;

    if (d->threshold)
        learn_thresholds(names, d->threshold);
    if (d->acct <= XEN_SCHEDLOG_ACCT_XEN || d->acct == XEN_SCHEDLOG_ACCT_NONE)
        return;
    snprintf(number, sizeof(number), "domain %u", d->domid);
    if (!*name)
        name = number;
    if (!e->text) {
        e->text = need_string(name);
        e->uuid = need_string(d->uuid);
        e->domid = d->domid;
    } else if (*d->name || d->domid != e->domid) {
        /* (Who is dying has no name any more.) */
        add_name(e, name);
    }
    /* A group's domains share the number, and are there at the same time. */
    e->vcpus = counted[d->acct] ? e->vcpus + domain_online_vcpus(d)
                                : domain_online_vcpus(d);
    counted[d->acct] = true;
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
    counted = need_memory(NAMES_ACCTS, sizeof(*counted));
    for (i = 0; i < s.domains.nr; i++)
        learn_domain(names, &s.domains.domain[i], counted);
    free(counted);
    snapshot_free(&s);
}

const char *names_of(const struct names *names, uint16_t acct)
{
    static char texts[8][32];
    static unsigned int next;
    char *text;

    if (acct == XEN_SCHEDLOG_ACCT_REST)
        return "rest";
    if (acct == XEN_SCHEDLOG_ACCT_XEN)
        return "idle";
    if (acct == XEN_SCHEDLOG_ACCT_NONE)
        return "none";
    if (names->entry[acct].text)
        return names->entry[acct].text;
    text = texts[next++ % 8];
    snprintf(text, sizeof(texts[0]), "accounting domain %u", acct);

    return text;
}

int names_find(const struct names *names, const char *who)
{
    unsigned int acct;
    char *end;
    unsigned long domid = strtoul(who, &end, 10);
    bool number = *who >= '0' && *who <= '9' && !*end;

    for (acct = 0; acct < NAMES_ACCTS; acct++)
        if (names->entry[acct].text && !strcmp(names->entry[acct].text, who))
            return acct;
    for (acct = 0; number && acct < NAMES_ACCTS; acct++)
        if (names->entry[acct].text && names->entry[acct].domid == domid)
            return acct;
    for (acct = 0; acct < NAMES_ACCTS; acct++)
        if (!strcmp(names_of(names, acct), who))
            return acct;

    return -1;
}
