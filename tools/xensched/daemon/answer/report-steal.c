/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the causes of a guest's steal time to xenstore. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report-steal.h"

#define NS_PER_S 1000000000ULL
#define TELL_NS  (5 * NS_PER_S)

static struct steal_guest *find_guest(const struct report_steal *t, const struct domain *d)
{
    unsigned int i;

    for (i = 0; i < t->nr; i++)
        if (t->guest[i].domid == d->domid && !strcmp(t->guest[i].uuid, d->uuid))
            return &t->guest[i];

    return NULL;
}

static struct steal_guest *add_guest(struct report_steal *t, const struct domain *d)
{
    struct steal_guest *g = find_guest(t, d);

    if (g)
        return g;
    t->guest = need_more_memory(t->guest, t->nr + 1, sizeof(*t->guest));
    g = &t->guest[t->nr++];
    *g = (struct steal_guest){ .domid = d->domid };
    memcpy(g->uuid, d->uuid, sizeof(g->uuid));

    return g;
}

static enum steal_class class_of(const struct waits_of *of, const struct waits_end *culprit)
{
    if (culprit->identity == WAITS_XEN)
        return STEAL_XEN;
    if (culprit->identity == of->domain.identity)
        return STEAL_OWN;

    return culprit->domid ? STEAL_OTHERS : STEAL_DOM0;
}

static void add_up(struct steal_guest *g, const struct waits_of *of)
{
    unsigned int i;

    for (i = 0; of && i < of->nr_culprits; i++)
        g->ns[class_of(of, &of->culprit[i].domain)] += of->culprit[i].all.ns;
    if (of)
        g->ns[STEAL_UNKNOWN] += of->unknown_ns;
}

/* Adds the guests whose operator allows the report, and that have an accounting domain. */
static void add_all(struct report_steal *t, const struct core *core,
                    const struct waits_report *report)
{
    unsigned int i;

    for (i = 0; i < t->nr; i++)
        t->guest[i].seen = false;
    for (i = 0; i < core->domains.nr; i++) {
        const struct domain *d = &core->domains.domain[i];
        struct steal_guest *g;

        if (!d->wants_steal || d->acct < XEN_SCHEDLOG_ACCT_FIRST)
            continue;
        g = add_guest(t, d);
        g->seen = true;
        add_up(g, waits_find(core->waits, report, d->acct));
    }
}

/* A missing guest may have ended, and another one may have its domid. */
static void drop_unseen(struct report_steal *t, const struct core *core, struct xenstore *xs)
{
    unsigned int i = 0;

    while (i < t->nr) {
        const struct steal_guest *g = &t->guest[i];
        const struct domain *d = domains_find(&core->domains, g->domid);

        if (g->seen) {
            i++;
            continue;
        }
        if (g->told[0] && d && !strcmp(d->uuid, g->uuid))
            xenstore_write_steal(xs, g->domid, NULL);
        t->guest[i] = t->guest[--t->nr];
    }
}

static void write_steal(struct steal_guest *g, struct xenstore *xs)
{
    char text[sizeof(g->told)];

    snprintf(text, sizeof(text), "dom0:%.0f own:%.0f others:%.0f xen:%.0f unknown:%.0f",
             g->ns[STEAL_DOM0], g->ns[STEAL_OWN], g->ns[STEAL_OTHERS], g->ns[STEAL_XEN],
             g->ns[STEAL_UNKNOWN]);
    if (strcmp(text, g->told) && xenstore_write_steal(xs, g->domid, text))
        memcpy(g->told, text, sizeof(text));
}

static bool is_wanted(const struct core *core)
{
    unsigned int i;

    for (i = 0; i < core->domains.nr; i++)
        if (core->domains.domain[i].wants_steal)
            return true;

    return false;
}

void report_steal(struct report_steal *t, const struct core *core, struct xenstore *xs,
                  uint64_t now_ns)
{
    uint64_t now_s = now_ns / NS_PER_S;
    struct waits_report report = { 0 };
    unsigned int i;

    if (!t->nr && !is_wanted(core)) {
        t->next_s = 0;
        return;
    }
    waits_pass(core->waits, now_ns);
    if (t->next_s && t->next_s < now_s)
        waits_ask(core->waits, t->next_s, now_s - t->next_s, &report);
    t->next_s = now_s;
    add_all(t, core, &report);
    waits_report_free(&report);
    drop_unseen(t, core, xs);
    if (t->told_ns && now_ns - t->told_ns < TELL_NS)
        return;
    t->told_ns = now_ns;
    for (i = 0; i < t->nr; i++)
        write_steal(&t->guest[i], xs);
}

void report_steal_end(struct report_steal *t, struct xenstore *xs)
{
    while (t->nr)
        if (t->guest[--t->nr].told[0])
            xenstore_write_steal(xs, t->guest[t->nr].domid, NULL);
    free(t->guest);
    *t = (struct report_steal){ 0 };
}
